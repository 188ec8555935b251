"""How events are written. A message of the log, one *record*, is a JSON array: its time, and the document of
each of its events. NATS' own headers hold what NATS needs.

A document leaves out what follows from elsewhere: from the event's type who writes it, from the record's
subject and the events before it in the record (`implied`) what the last one says. One that has nothing
besides its event is the event.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Any, get_args

import msgspec
from msgspec import UNSET, UnsetType

from agent_contracts.errors import Permanent, Rejected
from agent_contracts.event import Event, kind_of
from agent_contracts.event_sources import ENGINE, GATEWAY, MODEL_CALLER, RUNNER, Actor
from agent_contracts.ids import CallId, tool_call_id
from agent_contracts.log.record.codec import EVENT_TYPES, Envelope, encode, type_of
from agent_contracts.log.record.session_subjects import parse_session_subject
from agent_contracts.session_events import results
from agent_contracts.session_events.decisions import Decision, ToolCallRequested
from agent_contracts.session_events.inputs import ChildFinished, Input, TimerDue
from agent_contracts.session_events.results import ModelCallCompleted

_LONGEST = 512
_QUOTED = 60
_TAGGED = b'{"type":"'
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_USUAL: tuple[tuple[tuple[type[Event], ...], tuple[str, Actor]], ...] = (
    (get_args(Input), (GATEWAY, Actor.USER)),
    ((TimerDue, ChildFinished), (ENGINE, Actor.SERVICE)),
    (get_args(Decision), (ENGINE, Actor.AGENT)),
    ((results.ModelCallCompleted, results.ModelCallFailed), (MODEL_CALLER, Actor.AGENT)),
    (
        (
            results.ToolCallCompleted,
            results.ToolCallFailed,
            results.ToolCallPending,
            results.CallClaimed,
        ),
        (RUNNER, Actor.SERVICE),
    ),
)
USUAL_WRITERS = {type_of(event): writer for events, writer in _USUAL for event in events}
"""Who writes an event of this type, and for whom, where its document doesn't say: the last row that names it.
Part of what is stored."""

_Text = Annotated[str, msgspec.Meta(max_length=_LONGEST)]
_Time = Annotated[str, msgspec.Meta(max_length=_QUOTED)]
_Sequence = Annotated[int, msgspec.Meta(ge=0, lt=10**18)]


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event as it is written: who wrote it (`by`) for whom (`actor`), when (`at`), the sequences that
    led to it (`cause`) and that its writer saw last (`prev`), and what it says. Left out are

    - `id`, where it follows from the message's;
    - `by` and `actor`, where they are those that usually write such an event;
    - `at`, where it is the record's time;
    - `cause`, where it is what the record was expected to come after, by which it has its id;
    - `prev`, where it is the cause;
    - `event`, where it follows from the subject and the events before it in the record.
    """

    id: _Text | None = None
    by: _Text | None = None
    actor: Actor | None = None
    at: _Time | None = None
    cause: _Sequence | UnsetType | None = UNSET
    prev: _Sequence | UnsetType | None = UNSET
    trace: _Text | None = None
    request: _Text | None = None
    imported: _Text | None = None
    event: msgspec.Raw | UnsetType = UNSET


class EventDefaults(msgspec.Struct, frozen=True):
    """What is known of an event from where it stands: its id, if the message has one, its record's time, the
    cause, if the record has its id by it, and the body that it has without saying so."""

    id: str | None
    at: str
    cause: int | None = None
    body: Callable[[], bytes | None] = lambda: None


class _Tagged(msgspec.Struct, frozen=True):
    type: str


class _AnswerCalls(msgspec.Struct, frozen=True):
    call_id: CallId
    tool_calls: list[msgspec.Raw]


_answer = msgspec.json.Decoder(_AnswerCalls)
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_document = msgspec.json.Decoder(Document)
_records = msgspec.json.Decoder(list[msgspec.Raw])
_instant = msgspec.json.Decoder(int | _Time)
_tagged = msgspec.json.Decoder(_Tagged)
_encoder = msgspec.json.Encoder()


def write_document(envelope: Envelope, body: bytes, follows: EventDefaults) -> bytes:
    """An event's document. `body` is the event's own JSON."""
    by, actor = USUAL_WRITERS.get(envelope.type, (None, Actor.SERVICE))
    event = _shortened(body) if body != follows.body() else None
    data = _encoder.encode(
        Document(
            id=envelope.id if envelope.id != follows.id else None,
            by=envelope.source if envelope.source != by else None,
            actor=envelope.actor if envelope.actor != actor else None,
            at=envelope.time if envelope.time != follows.at else None,
            cause=envelope.causation if envelope.causation != follows.cause else UNSET,
            prev=envelope.prev if envelope.prev != envelope.causation else UNSET,
            trace=envelope.traceparent,
            request=envelope.request,
            imported=envelope.imported,
            event=msgspec.Raw(event) if event is not None else UNSET,
        )
    )
    return event if event is not None and len(data) == len(event) + len(_EVENT_ALONE) else data


def read_document(data: bytes, follows: EventDefaults) -> tuple[Envelope, bytes]:
    """The envelope, and the event's own JSON; `Permanent` where something is missing or malformed.

    What it says can be stored and compared by everyone: short text without control characters, a time with
    its offset, sequences that fit 64 bits.
    """
    try:
        found = Document(event=msgspec.Raw(data)) if data.startswith(_TAGGED) else _document.decode(data)
        body = follows.body() if found.event is UNSET else _lengthened(bytes(found.event))
        if body is None:
            raise _bad("it has no event")
        event_type = _type_of(body)
    except (ValueError, RecursionError) as error:  # msgspec's and Unicode errors are such
        raise _bad(str(error)) from error
    event_id = found.id or follows.id
    if not event_id:
        raise _bad("it has no id")
    by, actor = USUAL_WRITERS.get(event_type, ("", Actor.SERVICE))
    by = found.by or by
    if not by:
        raise _bad("it doesn't say who wrote it (`by`)")
    for name, text in (("id", event_id), ("by", by), ("trace", found.trace or "")):
        if len(text) > _LONGEST or not text.isprintable():
            raise _bad(f"`{name}` is not a short printable text: {text[:_QUOTED]!r}")
    cause = follows.cause if found.cause is UNSET else found.cause
    return Envelope(
        id=event_id,
        type=event_type,
        source=by,
        time=follows.at if found.at is None else _checked(found.at),
        actor=found.actor or actor,
        causation=cause,
        prev=cause if found.prev is UNSET else found.prev,
        traceparent=found.trace,
        request=found.request,
        imported=found.imported,
    ), body


def write_record(time: str, documents: list[bytes]) -> bytes:
    """The body of the message that holds these events: its time in milliseconds since 1970, if that is all
    that the text says, and they."""
    return b"[" + b",".join([_written(time), *documents]) + b"]"


def read_record(data: bytes) -> tuple[str, list[bytes]]:
    """The time, and the documents in a message's body; `Permanent` where it is no such array."""
    try:
        first, *documents = _records.decode(data)
        instant = _instant.decode(first)
        time = _checked(instant) if isinstance(instant, str) else _text_of(instant)
    except (ValueError, OverflowError, OSError, RecursionError) as error:
        raise _bad(str(error)) from error
    if not documents:
        raise _bad("it holds no event")
    return time, [bytes(one) for one in documents]


_TIMES = 1024
"""So many are remembered in both forms: a record is written and read some times at once."""
_EVENT_ALONE = b'{"event":}'
_LONG_TAG = _TAGGED + b"foldline.session."
_OTHER_TAG = _TAGGED + b"foldline."
_VERSION = b'.v1"'
_ANSWER = b"model_call_completed"
_CALL_ID = b'{"call_id":"%b",'


def _shortened(body: bytes) -> bytes:
    """A session's event with `tool_call_requested` for its type: our encoder writes the type first."""
    if not body.startswith(_LONG_TAG):
        return body
    end = body.find(b'"', len(_LONG_TAG))
    name, rest = body[len(_LONG_TAG) : end + 1], body[end + 1 :]
    if name == _ANSWER + _VERSION:
        return _with_calls(body, _TAGGED + _ANSWER + b'"', _unnumbered)
    return _TAGGED + (name.removesuffix(_VERSION) + b'"' if name.endswith(_VERSION) else name) + rest


def _lengthened(body: bytes) -> bytes:
    """The same with its type's whole name."""
    if body.startswith(_OTHER_TAG) or not body.startswith(_TAGGED):
        return body
    end = body.find(b'"', len(_TAGGED))
    name = body[len(_TAGGED) : end]
    if name == _ANSWER:
        return _with_calls(body, _LONG_TAG + _ANSWER + _VERSION, _numbered)
    return _LONG_TAG + name + (b"" if b"." in name else b".v1") + body[end:]


def _with_calls(body: bytes, tag: bytes, put: Callable[[bytes, bytes], bytes]) -> bytes:
    """The answer of a model, under another tag, each of its calls as `put` makes it."""
    rest = body[body.find(b'"', len(_TAGGED)) + 1 :]
    if b'"tool_calls":[{' not in rest:
        return tag + rest
    members = _members.decode(b"{" + rest.removeprefix(b","))
    answer = _answer.decode(body)
    calls = [
        put(bytes(call), tool_call_id(answer.call_id, index).encode())
        for index, call in enumerate(answer.tool_calls)
    ]
    members["tool_calls"] = msgspec.Raw(b"[" + b",".join(calls) + b"]")
    return tag + b"," + _encoder.encode(members)[1:]


def _unnumbered(call: bytes, call_id: bytes) -> bytes:
    """Without its id, which follows from its answer's and its place."""
    return b"{" + call.removeprefix(_CALL_ID % call_id) if call.startswith(_CALL_ID % call_id) else call


def _numbered(call: bytes, call_id: bytes) -> bytes:
    return call if call.startswith(_CALL_ID[: -len('%b",')]) else _CALL_ID % call_id + call[1:]


def _type_of(body: bytes) -> str:
    if body.startswith(_TAGGED):
        name = body[len(_TAGGED) : body.find(b'"', len(_TAGGED))]
        if b"\\" not in name:
            return name.decode()
    return _tagged.decode(body).type


@lru_cache(maxsize=_TIMES)
def _written(time: str) -> bytes:
    moment = datetime.fromisoformat(time)
    instant = (moment - _EPOCH) // timedelta(milliseconds=1) if moment.tzinfo is not None else 0
    return str(instant).encode() if instant > 0 and _text_of(instant) == time else _encoder.encode(time)


@lru_cache(maxsize=_TIMES)
def _text_of(instant: int) -> str:
    moment = datetime.fromtimestamp(instant // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{instant % 1000:03}Z"


def _checked(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _bad(f"it was at no time: {text!r}") from None
    if moment.tzinfo is None:
        raise _bad(f"it was at a time without an offset: {text!r}")
    return text


def _bad(why: str) -> Permanent:
    return Permanent(f"no event in its envelope: {why}", kind="bad_envelope")


_SAY_NOTHING_MORE = {
    kind_of(name): event_type
    for name, event_type in EVENT_TYPES.items()
    if name.startswith("foldline.session.")
    and not any(field.required for field in msgspec.structs.fields(event_type))
}
"""Events that may have no member at all, by kind."""


def implied_body(subject: str, earlier: Sequence[Any]) -> bytes | None:
    """The body of the event on this subject, after these of its record; None where it must say more."""
    event = _implied(subject, earlier)
    return encode(event) if event is not None else None


def _implied(subject: str, earlier: Sequence[Any]) -> Event | None:
    try:
        rest = parse_session_subject(subject).rest.split(".")
    except (Permanent, Rejected):  # an entity's, or none that can be
        return None
    match rest:
        case ["ev", "tool_call_requested", runs_on]:
            return _requested(runs_on, earlier)
        case ["in" | "ev", kind]:
            event_type = EVENT_TYPES.get(f"foldline.session.{kind}.v1")
            fields = msgspec.structs.fields(event_type) if event_type is not None else ()
            return (
                event_type() if event_type is not None and not any(one.required for one in fields) else None
            )
    return None


def _requested(runs_on: str, earlier: Sequence[Any]) -> ToolCallRequested | None:
    """The request of the next call on these workers that an answer in the same record asked for."""
    requested = {one.call_id for one in earlier if isinstance(one, ToolCallRequested)}
    for answer in earlier:
        for call in answer.tool_calls if isinstance(answer, ModelCallCompleted) else ():
            if call.runs_on.value == runs_on and call.call_id not in requested:
                return ToolCallRequested(call.call_id, call.tool, call.arguments, call.runs_on, call.effect)
    return None
