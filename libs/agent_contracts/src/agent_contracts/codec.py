"""Events to bytes and back. Unknown fields are ignored, unknown types refused."""

from typing import Any, Generic, TypeVar, get_args

import msgspec

from agent_contracts.database_events import DatabaseEvent
from agent_contracts.entities import EntityEvent
from agent_contracts.envelope import Envelope
from agent_contracts.errors import Permanent
from agent_contracts.session_events.base import Event
from agent_contracts.session_events.union import SessionEvent

E = TypeVar("E", bound=Event)


class Recorded(msgspec.Struct, Generic[E], frozen=True):
    """An event as the log holds it: where, in which envelope, and what."""

    sequence: int
    subject: str
    envelope: Envelope
    event: E


class UnknownEventType(Permanent):
    """The log holds an event that this version doesn't know: it is older than the one that wrote it."""

    def __init__(self, event_type: str) -> None:
        super().__init__(
            f"unknown event type {event_type!r}: it was written by a newer version; update this one",
            kind="unknown_event_type",
        )
        self.event_type = event_type


EVENT_TYPES: dict[str, type[Event]] = {
    str(cls.__struct_config__.tag): cls
    for union in (SessionEvent, EntityEvent, DatabaseEvent)
    for cls in get_args(union)
}
"""Wire name to class, for every current event type."""

_encoder = msgspec.json.Encoder()
_decoders: dict[str, msgspec.json.Decoder[Any]] = {
    name: msgspec.json.Decoder(cls) for name, cls in EVENT_TYPES.items()
}


def type_of(event: Event | type[Event]) -> str:
    """The literal wire name of an event or an event class."""
    return str(event.__struct_config__.tag)


def encode(event: Event) -> bytes:
    """The event's body: UTF-8 JSON with its `type`. `Permanent` for text with a lone surrogate."""
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError as error:
        raise Permanent(f"text with a lone surrogate can't be stored: {error}", kind="bad_text") from error


def decode(event_type: str, data: bytes) -> Event:
    """Read a body of the given type.

    Raises `UnknownEventType`, or `Permanent` for a body that doesn't fit its type.
    """
    decoder = _decoders.get(event_type)
    if decoder is None:
        raise UnknownEventType(event_type)
    try:
        event: Event = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Permanent(f"{event_type}: {error}", kind="bad_event") from error
    return event
