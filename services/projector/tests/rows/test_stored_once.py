"""A result that an event brought is stored in the event alone, and read from there."""

from typing import Any

import msgspec
import psycopg
from psycopg.rows import dict_row

from foldline_testing.projector.short_sessions import child
from foldline_testing.session_domain.messages import as_messages
from projections.project.log_projection import LogProjection
from projections.project.stored_once import RESULT, stored_once
from projections.schema import SCHEMA
from projections.session_tables import TOOL_CALLS, ToolCallRow
from projections.table import JsonText
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.projecting.writer import ProjectionWriter

_ENDED = f"""
    SELECT t.result, {RESULT.format(call="t")} AS read, e.body->'result' AS brought
    FROM tool_calls t LEFT JOIN events e
      ON e.place = t.result_place AND e.type = 'foldline.session.tool_call_completed.v1'
    WHERE t.status = 'completed'
"""


async def test_a_result_is_stored_in_its_event_alone_and_read_from_there(postgres_dsn: str) -> None:
    projection = LogProjection()
    async with writing(postgres_dsn) as connection:
        await create(connection, projection, projection.schema)
        writer = ProjectionWriter(connection, projection, projection.schema, 0, letters=None)
        await writer.write(as_messages(child().recorded, child().state.session_id))
    async with await psycopg.AsyncConnection.connect(
        postgres_dsn, row_factory=dict_row, options=f"-c search_path={SCHEMA}"
    ) as reader:
        ended: list[dict[str, Any]] = await (await reader.execute(_ENDED.encode())).fetchall()
    brought = [one for one in ended if one["brought"] is not None]
    assert brought
    assert all(one["result"] is None and one["read"] == one["brought"] for one in brought)


def test_what_no_completion_in_the_batch_brought_stays_with_its_call() -> None:
    """An answer of a person ends a call, too: its event has it under another name."""
    call = ToolCallRow("s", "c", "m", 0, 1, "ask", JsonText("{}"), "completed", None, None, result_place=9)
    answered = msgspec.structs.replace(call, result=JsonText('"yes"'))
    assert [*stored_once([(TOOL_CALLS, [answered])])] == [(TOOL_CALLS, [answered])]
