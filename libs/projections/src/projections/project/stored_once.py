"""What a batch writes, without what the tables hold already."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from agent_contracts.log.record.codec import type_of
from agent_contracts.session_events.results import ToolCallCompleted
from projections.log_tables import EVENTS, EventRow
from projections.session_tables import TOOL_CALLS, ToolCallRow
from projections.table import ProjectedTable, Row

RESULT = """coalesce({call}.result, CASE WHEN {call}.status = 'completed' THEN (
    SELECT ended.body->'result' FROM events ended WHERE ended.place = {call}.result_place) END)"""
"""The result of a row `call` of `tool_calls`, as it is read."""
_COMPLETED = type_of(ToolCallCompleted)

Written = tuple[ProjectedTable[Any], Sequence[Row]]


def stored_once(written: Iterable[Written]) -> Iterator[Written]:
    """The same rows; a result that stands in the event that brought it is not stored in the call's row."""
    parts = list(written)
    places = {
        row.place
        for table, rows in parts
        if table is EVENTS
        for row in rows
        if isinstance(row, EventRow) and row.type == _COMPLETED and row.problem is None
    }
    for table, rows in parts:
        yield table, [_without_result(row, places) for row in rows] if table is TOOL_CALLS else rows


def _without_result(row: Row, places: set[int]) -> Row:
    assert isinstance(row, ToolCallRow)
    return msgspec.structs.replace(row, result=None) if row.result_place in places else row
