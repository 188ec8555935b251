"""Where and when an event stands, for the functions that make rows of it."""

from datetime import datetime

import msgspec

from agent_contracts.log.address import Address
from agent_contracts.session_events.union import SessionEvent
from projections.project.batch_rows import BatchRows
from projections.project.unprojectable import Unprojectable
from projections.project.usage_json import usage_in, usage_text
from projections.session_tables import TOOL_CALLS, SessionRow, ToolCallRow
from session_domain.domain.rules.endings import usage_of
from session_domain.domain.rules.speakers import is_spoken
from session_domain.domain.rules.statuses import status_after
from session_domain.domain.state import Status


class EventPlace(msgspec.Struct, frozen=True):
    """The event's session, address and time."""

    agent_id: str
    session_id: str
    address: Address
    time: datetime

    @property
    def place(self) -> int:
        """Where it stands, as tables have it."""
        return self.address.place


def reaching(at: EventPlace, session: SessionRow, event: SessionEvent) -> SessionRow:
    """The session as one whose newest event is this: its status, and what it spent by now."""
    spent = usage_of(event)
    return msgspec.structs.replace(
        session,
        active_at=at.time if is_spoken(event) else session.active_at,
        updated_at=at.time,
        last_sequence=at.address.sequence,
        status=status_after(Status(session.status), event).value,
        usage=usage_text(usage_in(session.usage) + spent) if spent else session.usage,
    )


def known_call(at: EventPlace, call_id: str, rows: BatchRows) -> ToolCallRow:
    """The tool call that an event names. Raises `Unprojectable` if no model asked for it."""
    call = rows.get(TOOL_CALLS, (at.session_id, call_id))
    if call is None:
        raise Unprojectable(f"no model asked for call {call_id!r}", kind="unknown_call")
    return call
