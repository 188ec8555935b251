"""Rows as the API shows them, for the stream of events."""

from collections.abc import Sequence
from typing import Any

import msgspec

from agent_contracts.api.events import RowChange
from agent_contracts.log.address import at_place
from agent_contracts.log.record.records import StoredMessage
from gateway.queries import calls, messages, sessions
from gateway.queries.database import Row as Found
from gateway.queries.stored_rows import as_found
from projections.project.batch_rows import BatchRows, PutRow
from projections.project.log_projection import hints_of
from projections.segments import hidden_by, segments_of
from projections.session_tables import (
    MESSAGES,
    SESSIONS,
    STAGES,
    TOOL_CALLS,
    MessageRow,
    SessionRow,
    ToolCallRow,
)
from projections.table import Key, ProjectedTable

_SHOWN = {MESSAGES, TOOL_CALLS}


class ChangedRows(msgspec.Struct, frozen=True):
    """What an event changed: the row of its session, and the session's messages and calls. Not `known`: by
    a bug nobody can tell."""

    session: RowChange | None = None
    others: tuple[RowChange, ...] = ()
    known: bool = True


def session_change(session: SessionRow) -> RowChange:
    """The row of a session."""
    return found_session(as_read(session))


def as_read(session: SessionRow) -> Found:
    """A session's row as queries find it, with the status that people read."""
    found = as_found(SESSIONS, session)
    if session.woken:
        found["status"] = "running"
    return found


def found_session(found: Found) -> RowChange:
    """The same, of what a query found."""
    return RowChange(SESSIONS.name, (found["session_id"],), sessions.now(found))


def views(rows: BatchRows, puts: Sequence[PutRow]) -> tuple[RowChange, ...]:
    """Those of an event's rows that people see, besides the session's. Lets `NotLoaded` of `rows` through."""
    return tuple(_change(rows, put.row) for put in puts if put.table in _SHOWN)


def _change(rows: BatchRows, row: Any) -> RowChange:
    if isinstance(row, ToolCallRow):
        return found_call(as_found(TOOL_CALLS, row))
    assert isinstance(row, MessageRow)
    session = rows.get(SESSIONS, (row.session_id,))
    assert session is not None
    found = as_found(MESSAGES, row)
    asked = [rows.get(TOOL_CALLS, (row.session_id, one)) for one in found["body"].get("tool_calls", ())]
    of_message = [calls.tool_call(as_found(TOOL_CALLS, one)) for one in asked if one is not None]
    hidden = hidden_by(segments_of(session.segments), row.session_id, (row.session_id, row.place))
    return found_message(found, of_message, hidden)


def found_call(found: Found) -> RowChange:
    """A call."""
    return RowChange(TOOL_CALLS.name, (found["session_id"], found["call_id"]), calls.tool_call(found))


def found_message(found: Found, asked: list[Any], hidden: int | None) -> RowChange:
    """A message, with the calls that it asked for."""
    key = (found["session_id"], str(at_place(found["place"])))
    return RowChange(MESSAGES.name, key, messages.message(found, asked, hidden))


def named_by(message: StoredMessage) -> Sequence[tuple[ProjectedTable[Any], Key]]:
    """The rows that `project` will ask for first."""
    return [(table, key) for table, key in hints_of(message) if table is not STAGES]
