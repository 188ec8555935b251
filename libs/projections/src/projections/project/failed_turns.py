"""What a session's row says of a turn that failed."""

from typing import Any

import msgspec

from agent_contracts.session_events.decisions import TurnFailed
from projections.json_text import json_text
from projections.project.effects import with_changes
from projections.project.event_place import EventPlace
from projections.session_tables import SessionRow
from projections.table import JsonText


def failed_turn(at: EventPlace, event: TurnFailed) -> JsonText:
    """The column of a session whose turn just failed."""
    return json_text({"failed_at": at.address.sequence, **_fields(event)})


def waits_no_more(session: SessionRow) -> SessionRow:
    """It goes on by itself no more."""
    if session.failed_turn is None:
        return session
    failed: dict[str, Any] = msgspec.json.decode(session.failed_turn)
    return with_changes(session, failed_turn=json_text({**failed, "retry_at": None}))


def _fields(event: TurnFailed) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "message": event.message,
        "retryable": event.retryable,
        "retry_at": event.retry_at,
        "setting": event.setting,
    }
