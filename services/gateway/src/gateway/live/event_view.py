"""A stored message as the event that the API shows. Total: whatever stands in the log can be shown."""

import binascii

import msgspec
from msgspec import UNSET, UnsetType

from agent_contracts.api.events import EventRecord, RowChange
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import SkippedMessage, StoredMessage, read
from agent_contracts.nesting import is_too_deep


def event_view(message: StoredMessage, rows: list[RowChange] | UnsetType | None = UNSET) -> EventRecord:
    """The event in a message, with the rows that it changed where they are wanted."""
    parts = message.subject.split(".")
    found, envelope = read(message), message.envelope
    return EventRecord(
        address=str(message.address),
        sequence=message.sequence,
        session_id=session_of(message.subject),
        agent_id=parts[1] if len(parts) > 1 else None,
        type=message.event_type,
        time=envelope.time if envelope else "",
        actor=envelope.actor.value if envelope else "service",
        causation=envelope.causation if envelope else None,
        event_id=message.event_id,
        body=_body(message.data),
        problem=found.problem if isinstance(found, SkippedMessage) else None,
        rows=rows,
    )


def session_of(subject: str) -> str | None:
    """The session that a subject belongs to; None for what belongs to an agent."""
    parts = subject.split(".", 4)
    return parts[3] if len(parts) == 5 and parts[0] == "ses" else None


def agent_of(subject: str) -> str:
    """The agent that a subject belongs to."""
    return subject.split(".", 2)[1]


def _body(data: bytes) -> dict[str, Json]:
    try:
        body = None if is_too_deep(data) else msgspec.json.decode(data, type=dict[str, Json])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        body = None
    if body is None:
        return {"unreadable": binascii.b2a_base64(data, newline=False).decode()}
    body.pop("type", None)
    return body
