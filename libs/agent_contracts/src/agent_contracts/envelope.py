"""The envelope: CloudEvents 1.0 in binary mode, as NATS headers."""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from agent_contracts.errors import Permanent

MESSAGE_ID = "Nats-Msg-Id"
TIME = "ce-time"
"""NATS drops a second message with the same id within the stream's duplicate window."""

REQUEST_DIGEST = "foldline-request"
"""On an input asked for with an idempotency key: SHA-256 of the request, to tell repeat from misuse."""

IMPORTED = "foldline-imported"
"""On an event that was imported: SHA-256 of the file's events. It is history: no consumer acts on it."""

_REQUIRED = ("ce-id", "ce-type", "ce-source", "ce-subject", TIME, "ce-actor")
_NUMBER = re.compile("[0-9]{1,18}")
_LONGEST = 512
_QUOTED = 60


class Actor(StrEnum):
    """Who caused an event."""

    USER = "user"
    AGENT = "agent"
    SERVICE = "service"


class Envelope(msgspec.Struct, frozen=True):
    """Everything about an event but its body.

    `time` is RFC 3339 in UTC; `causation` is the sequence that led here; `prev` is the last sequence
    of the session that the writer saw, which makes holes visible; `traceparent` is W3C trace context.
    """

    id: str
    type: str
    source: str
    subject: str
    time: str
    actor: Actor = Actor.SERVICE
    causation: int | None = None
    prev: int | None = None
    traceparent: str | None = None


def to_headers(envelope: Envelope) -> dict[str, str]:
    """The envelope as NATS headers. `Nats-Msg-Id` is the event's id."""
    headers = {
        MESSAGE_ID: envelope.id,
        "ce-id": envelope.id,
        "ce-specversion": "1.0",
        "ce-type": envelope.type,
        "ce-source": envelope.source,
        "ce-subject": envelope.subject,
        TIME: envelope.time,
        "ce-actor": envelope.actor.value,
    }
    if envelope.causation is not None:
        headers["ce-causation"] = str(envelope.causation)
    if envelope.prev is not None:
        headers["ce-prev"] = str(envelope.prev)
    if envelope.traceparent is not None:
        headers["ce-traceparent"] = envelope.traceparent
    return headers


def from_headers(headers: Mapping[str, str]) -> Envelope:
    """Read an envelope back; `Permanent` if a required attribute is missing or malformed.

    What it says can be stored and compared by everyone: short text without control characters, a time with
    its offset, sequences that fit 64 bits.
    """
    missing = [name for name in _REQUIRED if name not in headers]
    if missing:
        raise _bad(f"it has no {' and no '.join(missing)}")
    try:
        actor = Actor(headers["ce-actor"])
    except ValueError:
        raise _bad(f"{headers['ce-actor'][:_QUOTED]!r} is nobody who can write events (ce-actor)") from None
    return Envelope(
        id=_text(headers, "ce-id"),
        type=_text(headers, "ce-type"),
        source=_text(headers, "ce-source"),
        subject=headers["ce-subject"],
        time=_time(headers[TIME]),
        actor=actor,
        causation=_sequence(headers, "ce-causation"),
        prev=_sequence(headers, "ce-prev"),
        traceparent=_text(headers, "ce-traceparent") if "ce-traceparent" in headers else None,
    )


def _text(headers: Mapping[str, str], name: str) -> str:
    text = headers[name]
    if len(text) > _LONGEST or not text.isprintable():
        raise _bad(f"{name} is not a short printable text: {text[:_QUOTED]!r}")
    return text


def _time(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _bad(f"ce-time is not a time: {text[:_QUOTED]!r}") from None
    if moment.tzinfo is None or len(text) > _QUOTED:
        raise _bad(f"ce-time is not a time with an offset: {text[:_QUOTED]!r}")
    return text


def _sequence(headers: Mapping[str, str], name: str) -> int | None:
    text = headers.get(name)
    if text is None:
        return None
    if not _NUMBER.fullmatch(text):
        raise _bad(f"{name} is not a sequence of the log: {text[:_QUOTED]!r}")
    return int(text)


def _bad(why: str) -> Permanent:
    return Permanent(f"not a CloudEvents envelope: {why}", kind="bad_envelope")
