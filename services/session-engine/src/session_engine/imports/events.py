"""Events of an exported session, rewritten for the place in the log that they get here.

What refers to sequences refers to the new ones; where a session gets another id, what names it (or a
sub-session, whose ids follow from it) names the new one. The rest stays byte for byte.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.address import Address, parse_address
from agent_contracts.log.cloud_events import from_cloud_event
from agent_contracts.log.record.codec import MESSAGE_ID, Envelope, id_within, type_of
from agent_contracts.log.record.documents import EventDefaults, write_document, write_record
from agent_contracts.log.record.records import NewMessage, StoredMessage, decode, one_record
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.outside import Source, Sources
from agent_contracts.policies import approved_hash
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.sessions.session_file import FileEvent

POINTS: Mapping[str, str] = {
    type_of(inputs.RewindRequested): "to",
    type_of(ev.Rewound): "to",
    type_of(ev.ForkMade): "at",
    type_of(ev.ForkedFrom): "at",
    type_of(ev.ChildSpawned): "fork_at",
}
"""Members that are a moment of a session: the last of its events up to there is meant."""

EVENTS: Mapping[str, tuple[str, ...]] = {
    type_of(ev.ModelCallRequested): ("joins",),
    type_of(results.ModelCallCompleted): ("summarised",),
    type_of(ev.ToolCallRequested): ("code_at", "outside_as"),
    type_of(ev.InputRefused): ("input",),
    type_of(ev.Rewound): ("requested",),
    type_of(ev.MessagesShadowed): ("first", "last"),
}
"""Members that name events of the session, or of one that its history begins with."""

ADDRESSES: Mapping[str, str] = {type_of(inputs.Feedback): "answer"}
"""Members that are the address of an event of the session."""

WITHIN: Mapping[str, tuple[str, str]] = {type_of(ev.ToolCallRequested): ("resumed", "since")}
"""Members whose own member names an event of the session."""

ELSEWHERE: Mapping[str, str] = {type_of(inputs.ChildFinished): "at"}
"""Members that name events of other sessions: kept as they are if those aren't in the file."""

OUTSIDE = "outside"
"""The member that names where material came from, by events of sessions that may be in the file."""

CUT = "overflow"
"""The member that says which messages a model was shown a part of."""

_FORKED_FROM = type_of(ev.ForkedFrom)
_REST = re.compile(r"(in|ev)(\.[A-Za-z0-9_-]+)+|result|claim")


class ImportedNames(msgspec.Struct, frozen=True):
    """Whose the sessions become, and which of the file's ids become which."""

    agent_id: AgentId
    ids: Mapping[str, str]

    def session(self, session_id: SessionId) -> SessionId:
        """The id here of one of the file's sessions."""
        return SessionId(self.ids.get(session_id, session_id))

    def renamed(self, text: str) -> str:
        """A text that names the new ids."""
        for old, new in self.ids.items():
            text = text.replace(old, new)
        return text


class ImportedPlaces:
    """Where the file's events stand in the log here: grows as they are appended, by some bytes for each.

    `skipped` are the messages of the file that were no events: nothing stands for them here.
    """

    def __init__(self, skipped: Iterable[int] = ()) -> None:
        self._skipped = frozenset(skipped)
        self._known = array("Q")
        self._here = array("Q")
        self._of_session: dict[SessionId, array[int]] = {}

    def put(self, event: FileEvent, sequence: int) -> None:
        """Event `event` of the file, which comes after those before, has this sequence here."""
        if self._known and self._known[-1] == event.sequence:
            return
        self._known.append(event.sequence)
        self._here.append(sequence)
        self._of_session.setdefault(event.session_id, array("Q")).append(event.sequence)

    def of(self, sequence: int) -> int | None:
        """The sequence here of one of the file's."""
        index = bisect_left(self._known, sequence)
        known = index < len(self._known) and self._known[index] == sequence
        return self._here[index] if known else None

    def before(self, event: FileEvent, sequence: int) -> int | None:
        """The sequence here of what an event was made after; of the event before that, if it was none."""
        if sequence in self._skipped:
            return self.moment(event.session_id, sequence)
        return self.of(sequence)

    def has(self, session_id: SessionId) -> bool:
        """Whether any event of this session of the file came yet."""
        return session_id in self._of_session

    @property
    def newest(self) -> int:
        """The sequence here of the last one; 0 before there is any."""
        return self._here[-1] if self._here else 0

    def last(self, session_id: SessionId) -> int:
        """The sequence here of the session's last event so far; 0 before its first."""
        known = self._of_session.get(session_id)
        return (self.of(known[-1]) or 0) if known else 0

    def moment(self, session_id: SessionId, sequence: int) -> int | None:
        """The sequence here of the session's last event up to a moment; None if it has none so early."""
        known = self._of_session.get(session_id, array("Q"))
        index = bisect_right(known, sequence)
        return self.of(known[index - 1]) if index else None


def as_stored(event: FileEvent) -> StoredMessage:
    """An event of a file as the log had it. `Permanent` if its envelope can't be read."""
    envelope = from_cloud_event(event.headers)
    message_id = {MESSAGE_ID: envelope.id}
    return StoredMessage(
        event.sequence, event.subject, event.data.encode(), message_id, event.part, event.parts, envelope
    )


def decoded(event: FileEvent) -> msgspec.Struct:
    """The event's body. `Rejected` if this version can't read it."""
    try:
        found: msgspec.Struct = decode(as_stored(event)).event
    except Permanent as error:
        raise _refused(event, error.message) from error
    return found


def rewritten(
    record: Sequence[FileEvent], here: ImportedNames, places: ImportedPlaces, digest: str
) -> NewMessage:
    """The message to append for all events of a record; `digest` names the import.

    `Rejected` if one refers to what the file lacks.
    """
    return one_record([_rewritten(event, here, places, digest) for event in record])


def _rewritten(event: FileEvent, here: ImportedNames, places: ImportedPlaces, digest: str) -> NewMessage:
    parts = parse_session_subject(event.subject)
    if not _REST.fullmatch(parts.rest):
        raise _refused(event, f"{event.subject!r} is not the subject of an event")
    session_id = here.session(parts.key.session_id)
    message_id = f"import.{digest[:16]}.{session_id}.{event.sequence}"
    body, envelope = _body(event, here, places).encode(), _envelope(event, here, places, digest)
    event_id = id_within(message_id, event.part)
    return NewMessage(
        subject=f"{SessionKey(here.agent_id, session_id).prefix}.{parts.rest}",
        data=write_record(
            envelope.time, [write_document(envelope, body, EventDefaults(event_id, envelope.time))]
        ),
        headers={MESSAGE_ID: message_id},
    )


def _envelope(event: FileEvent, here: ImportedNames, places: ImportedPlaces, digest: str) -> Envelope:
    was = from_cloud_event({name: here.renamed(value) for name, value in event.headers.items()})
    before = None if was.prev is None else places.before(event, was.prev)
    if before is None and was.prev is not None:
        raise _refused(event, f"it was made after event {was.prev}, which is not in the file")
    session_id = here.session(event.session_id)
    return msgspec.structs.replace(
        was,
        id=was.id if session_id == event.session_id else f"{session_id}.{event.address}",
        prev=before,
        causation=None if was.causation is None else places.of(was.causation),
        imported=digest,
    )


def _body(event: FileEvent, here: ImportedNames, places: ImportedPlaces) -> str:
    """The body; as it was stored where nothing in it changes."""
    text = here.renamed(event.data)
    body: dict[str, Json] = msgspec.json.decode(text)
    before = dict(body)
    kind = event.headers["ce-type"]
    if "agent_id" in body:
        body["agent_id"] = here.agent_id
    point = POINTS.get(kind)
    if point is not None and body.get(point) is not None:
        of = event.session_id if kind != _FORKED_FROM else _forked_from(event)
        found = places.moment(of, _sequence(body[point]))
        if found is None:
            raise _refused(event, f"it goes back to event {body[point]}, which is not in the file")
        body[point] = found
    for member in EVENTS.get(kind, ()):
        value = body.get(member)
        if isinstance(value, list):
            body[member] = [_known(event, places, _sequence(one)) for one in value]
        elif value is not None:
            body[member] = _known(event, places, _sequence(value))
    address = ADDRESSES.get(kind)
    if address is not None:
        was = parse_address(str(body[address]))
        body[address] = str(Address(_known(event, places, was.sequence), was.part))
    member, inner = WITHIN.get(kind, ("", ""))
    within = body.get(member)
    if isinstance(within, dict):
        body[member] = {**within, inner: _known(event, places, _sequence(within[inner]))}
    if CUT in body:
        body[CUT] = _cuts_here(event, body[CUT], places)
    if body.get("approved") is not None:
        asked = msgspec.convert(body, ev.ToolCallRequested)
        body["approved"] = approved_hash(asked.tool, asked.arguments, asked.code_at)
    elsewhere = ELSEWHERE.get(kind)
    if elsewhere is not None and elsewhere in body:
        body[elsewhere] = places.of(_sequence(body[elsewhere])) or body[elsewhere]
    if OUTSIDE in body:
        sources = msgspec.convert(msgspec.json.decode(event.data)[OUTSIDE], tuple[Source, ...])
        body[OUTSIDE] = msgspec.to_builtins(sources_here(sources, here, places))
    return text if body == before else msgspec.json.encode(body).decode()


def _cuts_here(event: FileEvent, overflow: Json, places: ImportedPlaces) -> Json:
    """What was cut of messages that were too long, by the events here."""
    cut = msgspec.convert(overflow, results.Overflow)
    cuts = [msgspec.structs.replace(one, sequence=_known(event, places, one.sequence)) for one in cut.cuts]
    here: Json = msgspec.to_builtins(msgspec.structs.replace(cut, cuts=tuple(cuts)))
    return here


def sources_here(sources: Sequence[Source], here: ImportedNames, places: ImportedPlaces) -> Sources:
    """Where material came from, by the events here. Of a session that isn't in the file, no event is named:
    the number stays, which tells it from others."""
    return tuple(_source_here(one, here, places) for one in sources)


def _source_here(source: Source, here: ImportedNames, places: ImportedPlaces) -> Source:
    if source.at is None:
        return source
    at, last = _address_here(source.at, places), _address_here(source.last, places)
    if source.session is None or not places.has(source.session) or at is None:
        return msgspec.structs.replace(source, session=None)
    return msgspec.structs.replace(
        source, session=here.session(source.session), at=at, last=last or source.last
    )


def _address_here(address: str | None, places: ImportedPlaces) -> str | None:
    found = None if address is None else places.of(parse_address(address).sequence)
    return None if found is None else str(found)


def _forked_from(event: FileEvent) -> SessionId:
    origin = decoded(event)
    assert isinstance(origin, ev.ForkedFrom)
    return origin.session_id


def _known(event: FileEvent, places: ImportedPlaces, sequence: int) -> int:
    found = places.of(sequence)
    if found is None:
        raise _refused(event, f"it refers to event {sequence}, which is not in the file")
    return found


def _sequence(value: Json) -> int:
    assert isinstance(value, int)  # the body was decoded by its type
    return value


def _refused(event: FileEvent, why: str) -> Rejected:
    return Rejected(f"event {event.address} can't be imported: {why}", kind="invalid_request")
