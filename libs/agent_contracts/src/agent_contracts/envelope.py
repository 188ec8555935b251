"""The envelope: CloudEvents 1.0 in binary mode, as NATS headers."""

from collections.abc import Mapping
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
    """Read an envelope back; `Permanent` if a required attribute is missing or malformed."""
    try:
        causation, prev = headers.get("ce-causation"), headers.get("ce-prev")
        return Envelope(
            id=headers["ce-id"],
            type=headers["ce-type"],
            source=headers["ce-source"],
            subject=headers["ce-subject"],
            time=headers[TIME],
            actor=Actor(headers["ce-actor"]),
            causation=int(causation) if causation is not None else None,
            prev=int(prev) if prev is not None else None,
            traceparent=headers.get("ce-traceparent"),
        )
    except (KeyError, ValueError) as error:
        raise Permanent(f"not a CloudEvents envelope: {error!r}", kind="bad_envelope") from error
