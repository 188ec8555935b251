"""A message of the log as a row of `events`: archive, search and the source of repairs."""

from base64 import b64encode
from datetime import datetime

import msgspec

from agent_contracts.event import Event
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import Envelope, RecordedEvent
from agent_contracts.log.record.records import StoredMessage
from projections.json_text import json_text, visible, without_nul
from projections.log_tables import EventRow
from projections.project.unprojectable import Unprojectable
from projections.table import JsonText


def owner_of(subject: str) -> tuple[str | None, str | None]:
    """The agent and the session that a subject names."""
    match subject.split(".", 4):
        case ["ses", agent_id, _, session_id, *_]:
            return agent_id, session_id
        case ["agt", agent_id, *_]:
            return agent_id, None
        case _:
            return None, None


def time_of(envelope: Envelope) -> datetime:
    """The event's time. Raises `Unprojectable` if it isn't RFC 3339 with an offset."""
    try:
        moment = datetime.fromisoformat(envelope.time)
    except ValueError as error:
        raise Unprojectable(f"not a time: {envelope.time!r}", kind="bad_time") from error
    if moment.tzinfo is None:
        raise Unprojectable(f"a time without offset: {envelope.time!r}", kind="bad_time")
    return moment


def event_row(recorded: RecordedEvent[Event], time: datetime, data: bytes) -> EventRow:
    """The row of a readable event; `data` is its body as stored, without U+0000."""
    envelope = recorded.envelope
    agent_id, session_id = owner_of(recorded.subject)
    return EventRow(
        place=recorded.address.place,
        subject=recorded.subject,
        session_id=session_id,
        agent_id=agent_id,
        type=envelope.type,
        time=time,
        actor=envelope.actor.value,
        event_id=envelope.id,
        causation=envelope.causation,
        prev=envelope.prev,
        traceparent=envelope.traceparent,
        body=_without_type(envelope.type, data),
    )


def problem_row(message: StoredMessage, problem: str) -> EventRow:
    """What can be kept of any message, whatever is wrong with it: Postgres takes this row in any case.

    A body that is a JSON object is kept as it is, another as `{"unreadable": text}` if it is text at all,
    else as `{"unreadable_base64": …}`.
    """
    agent_id, session_id = owner_of(visible(message.subject))
    envelope = message.envelope
    return EventRow(
        place=message.address.place,
        subject=visible(message.subject),
        session_id=session_id,
        agent_id=agent_id,
        type=visible(message.event_type),
        time=time_of(envelope) if envelope else None,
        actor=envelope.actor.value if envelope else None,
        event_id=visible(message.event_id) or None,
        causation=envelope.causation if envelope else None,
        prev=envelope.prev if envelope else None,
        traceparent=envelope.traceparent if envelope else None,
        body=_safe_body(message.data),
        problem=visible(problem),
    )


def _without_type(event_type: str, data: bytes) -> JsonText:
    """The body without its `type`. Our encoder writes that first, so it can be cut off."""
    start = b'{"type":"' + event_type.encode() + b'"'
    if data.startswith(start + b","):
        return JsonText("{" + data[len(start) + 1 :].decode())
    if data == start + b"}":
        return JsonText("{}")
    body = msgspec.json.decode(data, type=dict[str, Json])
    body.pop("type", None)
    return json_text(body)


def _safe_body(data: bytes) -> JsonText:
    """Decoded and encoded again, so that nothing is in it that jsonb refuses."""
    try:
        body = msgspec.json.decode(without_nul(data), type=dict[str, Json])
        body.pop("type", None)
        return json_text(body)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        pass
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\x00"
    if "\x00" in text:
        return json_text({"unreadable_base64": b64encode(data).decode()})
    return json_text({"unreadable": text})
