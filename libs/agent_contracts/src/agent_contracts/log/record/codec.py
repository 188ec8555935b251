"""Events and their envelopes, as objects and as JSON. Unknown fields are ignored, unknown types refused."""

from typing import Any, Generic, TypeVar, get_args

import msgspec

from agent_contracts.entities.database_events import DatabaseEvent
from agent_contracts.entities.entity import EntityEvent
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.event import Event
from agent_contracts.event_sources import Actor
from agent_contracts.log.address import Address
from agent_contracts.nesting import DEEPEST, is_too_deep
from agent_contracts.session_events.union import SessionEvent

MESSAGE_ID = "Nats-Msg-Id"
"""NATS drops a second message with the same id within the stream's duplicate window."""


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


E = TypeVar("E", bound=Event)


class RecordedEvent(msgspec.Struct, Generic[E], frozen=True):
    """An event as the log holds it: where, in which envelope, and what.

    Its address is `sequence`, the record's, and `part`, from 0: its place in a record of several events.
    """

    sequence: int
    subject: str
    envelope: Envelope
    event: E
    part: int = 0
    parts: int = 1

    @property
    def address(self) -> Address:
        """Where the event stands."""
        return Address(self.sequence, self.part if self.parts > 1 else None)


class UnknownEventType(Permanent):
    """The log holds an event that this version doesn't know: it is older than the one that wrote it."""

    def __init__(self, event_type: str) -> None:
        super().__init__(
            f"unknown event type {event_type[:100]!r}: if a newer version wrote it, update this one",
            kind="unknown_event_type",
        )
        self.event_type = event_type


EVENT_TYPES: dict[str, type[Event]] = {
    str(cls.__struct_config__.tag): cls
    for union in (SessionEvent, EntityEvent, DatabaseEvent)
    for cls in get_args(union)
}
"""Wire name to class, for every current event type."""

_LONGEST_WHOLE = 2**63 - 1
_ONE_DIGIT = bytes.maketrans(b"123456789E", b"000000000e")
_LONG_NUMBERS = (b"0" * 19, b"e000", b"e+000")
"""Where a number may be too large for somebody, also within texts: digits taken for 0, `E` for `e`. Over each
byte of each event that is read this takes a tenth of the time of a regular expression."""

_encoder = msgspec.json.Encoder()
_decoders: dict[str, msgspec.json.Decoder[Any]] = {
    name: msgspec.json.Decoder(cls) for name, cls in EVENT_TYPES.items()
}


def type_of(event: Event | type[Event]) -> str:
    """The literal wire name of an event or an event class."""
    return str(event.__struct_config__.tag)


_whole_numbers: dict[type[Event], tuple[str, ...]] = {
    cls: tuple(field.name for field in msgspec.structs.fields(cls) if field.type in (int, int | None))
    for cls in EVENT_TYPES.values()
}


def encode(event: Event) -> bytes:
    """The event's body: UTF-8 JSON with its `type`.

    `Permanent` for text with a lone surrogate, `Rejected` for what is nested too deep for its readers.
    """
    try:
        data = _encoder.encode(event)
    except UnicodeEncodeError as error:
        raise Permanent(f"text with a lone surrogate can't be stored: {error}", kind="bad_text") from error
    if is_too_deep(data):
        raise Rejected(f"it is nested more than {DEEPEST} levels deep", kind="too_deep")
    return data


def decode(event_type: str, data: bytes) -> Event:
    """Read a body of the given type.

    Raises `UnknownEventType`, or `Permanent` for a body that doesn't fit its type, is nested too deep, or has
    a whole number of more than 64 bits where the type has one.
    """
    decoder = _decoders.get(event_type)
    if decoder is None:
        raise UnknownEventType(event_type)
    if is_too_deep(data):
        raise _unreadable(event_type, f"it is nested more than {DEEPEST} levels deep")
    try:
        event: Event = decoder.decode(data)
        suspicious = may_have_long_number(data)
        if suspicious:
            msgspec.json.decode(data)  # what the type doesn't know is passed over unread otherwise
    except (ValueError, RecursionError) as error:  # msgspec's and Unicode errors are such
        raise _unreadable(event_type, str(error)) from error
    if suspicious:
        for name in _whole_numbers[type(event)]:
            if abs(getattr(event, name) or 0) > _LONGEST_WHOLE:
                raise _unreadable(event_type, f"`{name}` needs more than 64 bits")
    return event


def may_have_long_number(data: bytes) -> bool:
    """Whether a number in it, or what looks like one in a text, may be too large for somebody."""
    alike = data.translate(_ONE_DIGIT)
    return any(number in alike for number in _LONG_NUMBERS)


def _unreadable(event_type: str, why: str) -> Permanent:
    return Permanent(f"{event_type}: {why}", kind="bad_event")
