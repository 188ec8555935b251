"""The envelope of an event: everything about it but what it says. `documents` has how it is written."""

from enum import StrEnum

import msgspec

MESSAGE_ID = "Nats-Msg-Id"
"""NATS drops a second message with the same id within the stream's duplicate window."""


class Actor(StrEnum):
    """Who caused an event."""

    USER = "user"
    AGENT = "agent"
    SERVICE = "service"


class Envelope(msgspec.Struct, frozen=True):
    """Everything about an event but its body.

    `time` is RFC 3339 in UTC; `causation` is the sequence that led here; `prev` is the last sequence
    of the session that the writer saw, which makes holes visible: where several events are one record, only
    the first has these two, and the others follow the one before them. `traceparent` is W3C trace context.
    `request`, of an input asked for with an idempotency key, is the SHA-256 of the request, to tell repeat
    from misuse. `imported` is the SHA-256 of the file that an event was imported from: it is history, and no
    consumer acts on it.
    """

    id: str
    type: str
    source: str
    time: str
    actor: Actor = Actor.SERVICE
    causation: int | None = None
    prev: int | None = None
    traceparent: str | None = None
    request: str | None = None
    imported: str | None = None


def id_within(message_id: str, part: int) -> str:
    """The id of event `part` (from 0) of the record that a message of this id is."""
    return f"{message_id}.{part}" if part else message_id
