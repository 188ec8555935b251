"""Records: a message of the log holds one event, or several that were committed together."""

from collections.abc import Sequence
from typing import Any

from agent_contracts import codec
from agent_contracts.envelope import (
    MESSAGE_ID,
    id_within,
    join_documents,
    read_document,
    split_documents,
    write_document,
)
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.event_subjects import subject_of
from agent_contracts.subjects import parse_session_subject
from agent_platform.log.fitting import check
from agent_platform.log.matching import matches
from agent_platform.log.port import NewMessage, StoredMessage


def one_record(messages: Sequence[NewMessage]) -> NewMessage:
    """The events of these messages as one: on the subject of the last, with the id of the first.

    The ids of the others follow from that.
    """
    return NewMessage(
        messages[-1].subject, join_documents([one.data for one in messages]), messages[0].headers
    )


def whole(events: Sequence[StoredMessage]) -> NewMessage:
    """The message that all events of one record are, read back from it."""
    last = events[-1]
    if last.envelope is None:
        return NewMessage(last.subject, last.data, last.headers)
    message_id = last.headers.get(MESSAGE_ID, "")
    documents = [
        write_document(one.envelope, one.data, id_within(message_id, one.part))
        for one in events
        if one.envelope is not None
    ]
    return NewMessage(last.subject, join_documents(documents), last.headers)


def split(record: StoredMessage) -> Sequence[StoredMessage]:
    """The events of a stored message, in order; itself, if it can't be read as such."""
    try:
        return parts(record)
    except Permanent:
        return (record,)


def parts(record: StoredMessage) -> Sequence[StoredMessage]:
    """As `split`; `Permanent` where it can't be read as events. Of several one that doesn't count is enough:
    they are skipped together."""
    message_id = record.headers.get(MESSAGE_ID)
    if not record.data.startswith(b"["):
        envelope, body = read_document(record.data, message_id)
        return (StoredMessage(record.sequence, record.subject, body, record.headers, 0, 1, envelope),)
    documents = split_documents(record.data)
    key = parse_session_subject(record.subject).key
    found: list[StoredMessage] = []
    for number, document in enumerate(documents):
        envelope, body = read_document(document, id_within(message_id, number) if message_id else None)
        event: Any = codec.decode(envelope.type, body)
        try:
            subject = record.subject if number == len(documents) - 1 else subject_of(event, key)
        except (Rejected, UnicodeEncodeError) as error:
            raise Permanent(f"it names what can't be: {error}", kind="bad_subject") from error
        check(subject, envelope, event, number)
        found.append(
            StoredMessage(record.sequence, subject, body, record.headers, number, len(documents), envelope)
        )
    return found


def matching(events: Sequence[StoredMessage], subjects: Sequence[str]) -> Sequence[StoredMessage]:
    """The events of a record whose subject matches any of these, by which the record was found."""
    if len(events) == 1:
        return events
    return [event for event in events if any(matches(subject, event.subject) for subject in subjects)]
