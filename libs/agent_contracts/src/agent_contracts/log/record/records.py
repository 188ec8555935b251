"""Records: a message of the log holds one event, or several that were committed together.

An event counts only if it can be read, fits the subject on which it stands, and was written by one who may
write there. Whatever doesn't is skipped by all who read the log, in the same way.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import msgspec

from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.record import codec
from agent_contracts.log.record.codec import MESSAGE_ID, Envelope, RecordedEvent, id_within
from agent_contracts.log.record.documents import (
    EventDefaults,
    implied_body,
    read_document,
    read_record,
    write_document,
    write_record,
)
from agent_contracts.log.record.fitting import check
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject, subject_of
from agent_contracts.log.subjects import matches

_KNOWN = "known"


class NewMessage(msgspec.Struct, frozen=True, dict=True):
    """A message to append: one record. A `Nats-Msg-Id` header makes repeats of it harmless."""

    subject: str
    data: bytes
    headers: Mapping[str, str]

    @property
    def known(self) -> "EventDraft | None":
        """The one event in it, where whoever made it knows."""
        return self.__dict__.get(_KNOWN)


class StoredMessage(msgspec.Struct, frozen=True, dict=True):
    """An event as the log holds it; `sequence` is its record's place in the one order over all, from 1.

    Of a record that holds several events (`parts`), each is one of these: `part` says which, from 0,
    `subject` where it would stand by itself; the last one's is the record's own. `data` is the event's own
    JSON, beside its `envelope`. A message that can't be read as events is one of these as a whole: it has
    no envelope, and its `data` is all that it holds.
    """

    sequence: int
    subject: str
    data: bytes
    headers: Mapping[str, str]
    part: int = 0
    parts: int = 1
    envelope: Envelope | None = None

    @property
    def known(self) -> RecordedEvent[Any] | None:
        """The event in it, once somebody has read it: it is decoded and checked once (`decode`)."""
        return self.__dict__.get(_KNOWN)

    def remember(self, recorded: RecordedEvent[Any]) -> None:
        """This is the event in it. It is no part of what a message says, is compared by or sent as."""
        self.__dict__[_KNOWN] = recorded

    @property
    def event_id(self) -> str:
        """The event's id; that of the message, if it isn't an event."""
        return self.envelope.id if self.envelope is not None else self.headers.get(MESSAGE_ID, "")

    @property
    def event_type(self) -> str:
        """What its envelope says that it is; empty if it has none."""
        return self.envelope.type if self.envelope is not None else ""

    @property
    def address(self) -> Address:
        """Where the event stands."""
        return Address(self.sequence, self.part if self.parts > 1 else None)


class Expect(msgspec.Struct, frozen=True):
    """The last sequence among the messages that match `subject` (a wildcard is allowed); 0 means none yet."""

    subject: str
    last_sequence: int


_EXPECTED = "Nats-Expected-Last-Subject-Sequence"
_EXPECTED_SUBJECT = "Nats-Expected-Last-Subject-Sequence-Subject"
_DIGITS = 18


def headers_of(subject: str, expect: Expect | None) -> Mapping[str, str]:
    """Headers are stored with the message, so what the server takes for granted is left out."""
    if expect is None:
        return {}
    expected = {_EXPECTED: str(expect.last_sequence)}
    return expected if expect.subject == subject else {**expected, _EXPECTED_SUBJECT: expect.subject}


def id_by_expectation(headers: Mapping[str, str]) -> str | None:
    """The id of a record that has no other, and was expected to come next in a session.

    Only one record can: a second one is refused.
    """
    session_id, last = _session_expected(headers), expected_last(headers)
    return None if session_id is None or last is None else _id_after(session_id, last)


def expected_last(headers: Mapping[str, str]) -> int | None:
    """The last sequence of a whole session after which the record was expected to come."""
    last = headers.get(_EXPECTED, "")
    known = last.isdecimal() and len(last) <= _DIGITS and _session_expected(headers) is not None
    return int(last) if known else None


def id_after(session: SessionKey, last_sequence: int) -> str:
    """The same, for who is about to append it."""
    return _id_after(session.session_id, last_sequence)


def _session_expected(headers: Mapping[str, str]) -> SessionId | None:
    tokens = headers.get(_EXPECTED_SUBJECT, "").split(".")
    of_one = len(tokens) == 5 and tokens[0] == "ses" and tokens[3] != "*" and tokens[4] == ">"
    return SessionId(tokens[3]) if of_one else None


def _id_after(session_id: SessionId, last_sequence: int) -> str:
    return f"c.{session_id}.{last_sequence}"


Events = Callable[[StoredMessage], Sequence[StoredMessage]]
"""The events of a record, by who knows them without reading it."""
REMEMBERED = 512
LARGEST = 16 * 1024
"""Bytes of a record's body; with their number they bound what is remembered."""


class ReadRecords:
    """The events of the newest records, by what each record says: the same bytes in the same place."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[StoredMessage, Sequence[StoredMessage]]] = {}
        self._coming: dict[tuple[str, str], tuple[bytes, Events]] = {}
        self._changing = threading.Lock()

    def of(self, record: StoredMessage) -> Sequence[StoredMessage] | None:
        """Its events; None if they are not known (any more)."""
        found = self._known.get((record.sequence, record.subject))
        if found is not None and found[0] == record:
            return found[1]
        if not self._coming:
            return None
        data, events_in = self._coming.get((record.subject, message_id_of(record) or ""), (None, None))
        if events_in is None or data != record.data:
            return None
        events = events_in(record)
        self.remember(record, events)
        return events

    @contextmanager
    def coming(self, message: NewMessage, message_id: str, events_in: "Events") -> Iterator[None]:
        """For as long as the block runs, which appends the message, a record that says the same has these
        events: it may be delivered before the answer comes that it is stored."""
        place = (message.subject, message_id)
        self._coming[place] = (message.data, events_in)
        try:
            yield
        finally:
            del self._coming[place]

    def remember(self, record: StoredMessage, events: Sequence[StoredMessage]) -> None:
        """These are its events. The one that was remembered first is forgotten where there are too many."""
        if len(record.data) > LARGEST:
            return
        with self._changing:
            self._known[record.sequence, record.subject] = (record, events)
            if len(self._known) > REMEMBERED:
                del self._known[next(iter(self._known))]

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of it stays here."""
        token = f".{session_id}."
        with self._changing:
            for place in [place for place in self._known if token in place[1]]:
                del self._known[place]


MOST_EVENTS = 4094
"""So many one record may hold: the tables have that much room between two records (ADR 0042)."""


_read = ReadRecords()


class EventDraft(msgspec.Struct, frozen=True):
    """An event that is to be written: where it would stand by itself, what is around it, itself, and its own
    JSON."""

    subject: str
    envelope: Envelope
    event: Any
    body: bytes


def carrying(envelope: Envelope, body: bytes, subject: str) -> NewMessage:
    """The message with this event in it."""
    data = _written(subject, envelope.id, [(envelope, body)], ())
    return NewMessage(subject, data, {MESSAGE_ID: envelope.id})


def carrying_draft(made: EventDraft) -> NewMessage:
    """As `carrying`; in this process nobody needs to read it."""
    message = carrying(made.envelope, made.body, made.subject)
    message.__dict__[_KNOWN] = made
    return message


def one_record(messages: Sequence[NewMessage], *, after: int | None = None) -> NewMessage:
    """The events of these messages, one each, as one (see `record_of`)."""
    message_id = messages[0].headers[MESSAGE_ID]
    drafts = [draft_of(one, id_within(message_id, part)) for part, one in enumerate(messages)]
    return record_of(drafts, message_id, after=after)


def record_of(drafts: Sequence[EventDraft], message_id: str, *, after: int | None = None) -> NewMessage:
    """The events as one message with this id, on the subject of the last.

    The ids of its events follow from that. A record that will be expected to come next in its session,
    `after` this sequence, needs no id but that (`expectation.id_after`). `Rejected` for more events than a
    record may hold.
    """
    if len(drafts) > MOST_EVENTS:
        raise Rejected(f"{len(drafts)} events: a record has at most {MOST_EVENTS}", kind="too_large")
    subject = drafts[-1].subject
    found = [(one.envelope, one.body) for one in drafts]
    data = _written(subject, message_id, found, [one.event for one in drafts[:-1]], after)
    return NewMessage(subject, data, {MESSAGE_ID: message_id} if after is None else {})


def draft_of(message: NewMessage, event_id: str) -> EventDraft:
    """The one event of a message as it would stand elsewhere, under this id."""
    time, [document] = read_record(message.data)
    follows = EventDefaults(event_id, time, body=lambda: implied_body(message.subject, ()))
    envelope, body = read_document(document, follows)
    return EventDraft(message.subject, envelope, codec.decode(envelope.type, body), body)


def whole(events: Sequence[StoredMessage]) -> NewMessage:
    """The message that all events of one record are, read back from it."""
    last = events[-1]
    if last.envelope is None:
        return NewMessage(last.subject, last.data, last.headers)
    message_id = message_id_of(last) or ""
    found = [(one.envelope, one.data) for one in events if one.envelope is not None]
    earlier = [codec.decode(envelope.type, data) for envelope, data in found[:-1]]
    data = _written(last.subject, message_id, found, earlier, _after(last))
    return NewMessage(last.subject, data, last.headers)


def split(record: StoredMessage) -> Sequence[StoredMessage]:
    """The events of a stored message, in order; itself, if it can't be read as such."""
    try:
        return parts(record)
    except Permanent:
        return (record,)


def parts(record: StoredMessage) -> Sequence[StoredMessage]:
    """As `split`; `Permanent` where it can't be read as events. Of several one that doesn't count is enough:
    they are skipped together.

    A record that is not large is read once in a process, however many of its parts come by it.
    """
    known = _read.of(record)
    if known is None:
        known = tuple(parts_anew(record))
        _read.remember(record, known)
    return known


def made_here(record: StoredMessage, events_in: Events) -> Sequence[StoredMessage]:
    """The events of a record that was just stored, which `events_in` knows: nobody in this process needs to
    read it."""
    known = _read.of(record)
    if known is None:
        known = events_in(record)
        _read.remember(record, known)
    return known


def coming(message: NewMessage, message_id: str, events_in: Events) -> AbstractContextManager[None]:
    """See `ReadRecords.coming`."""
    return _read.coming(message, message_id, events_in)


def forget(session_id: SessionId) -> None:
    """A session was erased: no record of it stays in this process."""
    _read.forget(session_id)


def parts_anew(record: StoredMessage) -> Sequence[StoredMessage]:
    """As `parts`, whether or not the record was read before."""
    message_id, after = message_id_of(record), _after(record)
    earlier: list[Any] = []

    def implied() -> bytes | None:
        return implied_body(record.subject, earlier)

    time, documents = read_record(record.data)
    if len(documents) > MOST_EVENTS:
        raise Permanent(f"it holds more than {MOST_EVENTS} events", kind="bad_envelope")
    if len(documents) == 1:
        envelope, body = read_document(documents[0], EventDefaults(message_id, time, after, implied))
        return (StoredMessage(record.sequence, record.subject, body, record.headers, 0, 1, envelope),)
    key = parse_session_subject(record.subject).key
    found: list[StoredMessage] = []
    for number, document in enumerate(documents):
        is_last = number == len(documents) - 1
        follows = EventDefaults(
            id_within(message_id, number) if message_id else None,
            time,
            after if number == 0 else None,
            implied if is_last else _nothing,
        )
        envelope, body = read_document(document, follows)
        event: Any = codec.decode(envelope.type, body)
        try:
            subject = record.subject if is_last else subject_of(event, key)
        except (Rejected, UnicodeEncodeError) as error:
            raise Permanent(f"it names what can't be: {error}", kind="bad_subject") from error
        check(subject, envelope, event, number)
        message = StoredMessage(
            record.sequence, subject, body, record.headers, number, len(documents), envelope
        )
        message.remember(RecordedEvent(record.sequence, subject, envelope, event, number, len(documents)))
        found.append(message)
        earlier.append(event)
    return found


def _nothing() -> None:
    """What is implied of events that others follow."""


def message_id_of(record: StoredMessage) -> str | None:
    """The id that the message has, or that follows from what it was expected to come after."""
    return record.headers.get(MESSAGE_ID) or id_by_expectation(record.headers)


def _after(record: StoredMessage) -> int | None:
    return expected_last(record.headers) if MESSAGE_ID not in record.headers else None


def _written(
    subject: str,
    message_id: str,
    events: Sequence[tuple[Envelope, bytes]],
    earlier: Sequence[Any],
    after: int | None = None,
) -> bytes:
    """`earlier` are the events but the last, decoded."""
    time, last = events[0][0].time, len(events) - 1

    def implied() -> bytes | None:
        return implied_body(subject, earlier)

    documents = []
    for part, (envelope, body) in enumerate(events):
        body_by = implied if part == last else _nothing
        follows = EventDefaults(id_within(message_id, part), time, after if part == 0 else None, body_by)
        documents.append(write_document(envelope, body, follows))
    return write_record(time, documents)


def matching(events: Sequence[StoredMessage], subjects: Sequence[str]) -> Sequence[StoredMessage]:
    """The events of a record whose subject matches any of these, by which the record was found."""
    if len(events) == 1:
        return events
    return [event for event in events if any(matches(subject, event.subject) for subject in subjects)]


class SkippedMessage(msgspec.Struct, frozen=True):
    """A stored message that is not an event here. `problem` says why, for a person, `kind` for programs."""

    sequence: int
    subject: str
    kind: str
    problem: str


def decode(message: StoredMessage) -> RecordedEvent[Any]:
    """The event with its envelope and its place. `Permanent` for a message that must be skipped."""
    if message.known is not None:
        return message.known
    if message.envelope is None:
        message = parts(message)[-1]  # says what is wrong with it
        assert message.envelope is not None
    event = codec.decode(message.envelope.type, message.data)
    check(message.subject, message.envelope, event, message.part)
    recorded: RecordedEvent[Any] = RecordedEvent(
        message.sequence, message.subject, message.envelope, event, message.part, message.parts
    )
    message.remember(recorded)
    return recorded


def read(message: StoredMessage) -> RecordedEvent[Any] | SkippedMessage:
    """The event, or why there is none."""
    try:
        return decode(message)
    except Permanent as error:
        return SkippedMessage(message.sequence, message.subject, error.kind, error.message)


def event_of(message: StoredMessage | None) -> RecordedEvent[Any] | None:
    """The event, or None for a message that is skipped, or for none."""
    found = read(message) if message is not None else None
    return found if isinstance(found, RecordedEvent) else None
