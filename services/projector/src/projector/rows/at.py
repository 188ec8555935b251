"""Where and when an event stands, for the functions that make rows of it."""

from datetime import datetime

import msgspec

from projections.session_tables import TOOL_CALLS, SessionRow, ToolCallRow
from projector.projecting.batch_rows import Rows
from projector.projecting.projection import Unprojectable


class At(msgspec.Struct, frozen=True):
    """The event's session, log sequence and time."""

    agent_id: str
    session_id: str
    sequence: int
    time: datetime


def reaching(at: At, session: SessionRow) -> SessionRow:
    """The session as one whose newest event is this."""
    return msgspec.structs.replace(session, updated_at=at.time, last_sequence=at.sequence)


def known_call(at: At, call_id: str, rows: Rows) -> ToolCallRow:
    """The tool call that an event names. Raises `Unprojectable` if no model asked for it."""
    call = rows.get(TOOL_CALLS, (at.session_id, call_id))
    if call is None:
        raise Unprojectable(f"no model asked for call {call_id!r}", kind="unknown_call")
    return call
