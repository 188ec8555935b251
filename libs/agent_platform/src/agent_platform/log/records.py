"""Records: a message of the log holds one event, or several that were committed together."""

from collections.abc import Sequence
from typing import Any

import msgspec

from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log import codec
from agent_contracts.log.codec import RecordedEvent
from agent_contracts.log.documents import (
    EventDefaults,
    read_document,
    read_record,
    write_document,
    write_record,
)
from agent_contracts.log.envelope import MESSAGE_ID, Envelope, id_within
from agent_contracts.log.event_subjects import subject_of
from agent_contracts.log.implied import implied_body
from agent_contracts.log.session_subjects import parse_session_subject
from agent_platform.log.expectation import expected_last, id_by_expectation
from agent_platform.log.fitting import check
from agent_platform.log.matching import matches
from agent_platform.log.port import NewMessage, StoredMessage
from agent_platform.log.read_records import ReadRecords

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


def remember(record: StoredMessage, events: Sequence[StoredMessage]) -> None:
    """A record that was just stored has these events: nobody in this process needs to read it."""
    _read.remember(record, events)


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
