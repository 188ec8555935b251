"""What a session's row says of a turn that failed."""

from typing import Any

import msgspec

from agent_contracts.log.address import at_place
from agent_contracts.session_events.decisions import TurnFailed
from projections.json_text import json_text
from projections.project.effects import with_changes
from projections.project.event_place import EventPlace
from projections.session_tables import ModelCallRow, SessionRow
from projections.table import JsonText
from session_domain.domain.state import Status

_fields_of = msgspec.json.Decoder(dict[str, Any])
_places = msgspec.json.Decoder(list[int])


def failed_turn(at: EventPlace, event: TurnFailed, newest: ModelCallRow | None) -> JsonText:
    """The column of a session whose turn just failed; `newest` is its newest model call."""
    asked = 0 if newest is None or newest.status != "failed" else at_place(newest.requested_place).sequence
    failed = {"failed_sequence": at.address.sequence, "asked": asked, "retrying": False}
    return json_text({**failed, **_fields(event)})


def waits_no_more(session: SessionRow) -> SessionRow:
    """It is no longer retried automatically."""
    return _with_failed_turn(session, retry_at=None, retrying=False)


def may_be_retried(session: SessionRow) -> bool:
    """Whether an idle session retries its failed turn at some time."""
    return session.status == Status.IDLE and _failed(session).get("retry_at") is not None


def retried(session: SessionRow) -> SessionRow:
    """An engine will retry the turn, if the last one failed."""
    return _with_failed_turn(session, retrying=True)


def is_woken(session: SessionRow) -> bool:
    """Whether an engine is about to begin a turn of an idle session: the engine's rule of the same name."""
    if session.status != Status.IDLE:
        return False
    failed = _failed(session)
    asked = failed.get("asked", 0)
    unread = _places.decode(session.queued)
    return bool(failed.get("retrying")) or any(at_place(place).sequence > asked for place in unread)


def _failed(session: SessionRow) -> dict[str, Any]:
    failed = session.failed_turn
    return _fields_of.decode(failed) if failed is not None else {}


def _with_failed_turn(session: SessionRow, **changes: object) -> SessionRow:
    if session.failed_turn is None:
        return session
    return with_changes(session, failed_turn=json_text({**_failed(session), **changes}))


def _fields(event: TurnFailed) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "message": event.message,
        "retryable": event.retryable,
        "retry_at": event.retry_at,
        "setting": event.setting,
    }
