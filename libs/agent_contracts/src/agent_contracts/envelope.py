"""The envelope of an event, in short names of our own. A message of the log, one *record*, is the document of
its one event, or a JSON array of several. NATS' own headers hold what NATS needs, and the id with it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from agent_contracts.errors import Permanent

MESSAGE_ID = "Nats-Msg-Id"
"""NATS drops a second message with the same id within the stream's duplicate window."""

_LONGEST = 512
_QUOTED = 60
_TAGGED = b'{"type":"'


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


_Text = Annotated[str, msgspec.Meta(max_length=_LONGEST)]
_Sequence = Annotated[int, msgspec.Meta(ge=0, lt=10**18)]


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event as it is written: who wrote it (`by`) for whom (`actor`), when (`at`), the sequences that
    led to it (`cause`) and that its writer saw last (`prev`). `id` only where the message has another."""

    id: _Text | None = None
    by: _Text
    actor: Actor = Actor.SERVICE
    at: Annotated[str, msgspec.Meta(max_length=_QUOTED)]
    cause: _Sequence | None = None
    prev: _Sequence | None = None
    trace: _Text | None = None
    request: _Text | None = None
    imported: _Text | None = None
    event: msgspec.Raw


class _Tagged(msgspec.Struct, frozen=True):
    type: str


_document = msgspec.json.Decoder(Document)
_documents = msgspec.json.Decoder(list[msgspec.Raw])
_tagged = msgspec.json.Decoder(_Tagged)
_encoder = msgspec.json.Encoder()


def write_document(envelope: Envelope, body: bytes, message_id: str) -> bytes:
    """An event's document: `body` is the event's own JSON, `message_id` that of the message it goes into."""
    return _encoder.encode(
        Document(
            id=envelope.id if envelope.id != message_id else None,
            by=envelope.source,
            actor=envelope.actor,
            at=envelope.time,
            cause=envelope.causation,
            prev=envelope.prev,
            trace=envelope.traceparent,
            request=envelope.request,
            imported=envelope.imported,
            event=msgspec.Raw(body),
        )
    )


def read_document(data: bytes, message_id: str | None) -> tuple[Envelope, bytes]:
    """The envelope, and the event's own JSON; `Permanent` where something is missing or malformed.

    What it says can be stored and compared by everyone: short text without control characters, a time with
    its offset, sequences that fit 64 bits.
    """
    try:
        found = _document.decode(data)
        body = bytes(found.event)
        event_type = _type_of(body)
    except (ValueError, RecursionError) as error:  # msgspec's and Unicode errors are such
        raise _bad(str(error)) from error
    event_id = found.id or message_id
    if not event_id:
        raise _bad("it has no id")
    for name, text in (("id", event_id), ("by", found.by), ("trace", found.trace or "")):
        if len(text) > _LONGEST or not text.isprintable():
            raise _bad(f"`{name}` is not a short printable text: {text[:_QUOTED]!r}")
    return Envelope(
        id=event_id,
        type=event_type,
        source=found.by,
        time=_time(found.at),
        actor=found.actor,
        causation=found.cause,
        prev=found.prev,
        traceparent=found.trace,
        request=found.request,
        imported=found.imported,
    ), body


def join_documents(documents: list[bytes]) -> bytes:
    """The body of the message that holds these events."""
    return documents[0] if len(documents) == 1 else b"[" + b",".join(documents) + b"]"


def split_documents(data: bytes) -> list[bytes]:
    """The documents in a message's body; `Permanent` where it is an array of none, or no JSON."""
    if not data.startswith(b"["):
        return [data]
    try:
        found = [bytes(one) for one in _documents.decode(data)]
    except (ValueError, RecursionError) as error:
        raise _bad(str(error)) from error
    if not found:
        raise _bad("it holds no event")
    return found


def id_within(message_id: str, part: int) -> str:
    """The id of event `part` (from 0) of the record that a message of this id is."""
    return f"{message_id}.{part}" if part else message_id


def _type_of(body: bytes) -> str:
    """Our encoder writes the type first."""
    if body.startswith(_TAGGED):
        name = body[len(_TAGGED) : body.find(b'"', len(_TAGGED))]
        if b"\\" not in name:
            return name.decode()
    return _tagged.decode(body).type


def _time(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _bad(f"`at` is not a time: {text!r}") from None
    if moment.tzinfo is None:
        raise _bad(f"`at` is not a time with an offset: {text!r}")
    return text


def _bad(why: str) -> Permanent:
    return Permanent(f"no event in its envelope: {why}", kind="bad_envelope")
