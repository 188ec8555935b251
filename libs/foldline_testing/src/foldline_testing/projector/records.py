"""A story's messages, as an engine commits them: a result in one record with the decisions that follow."""

from collections.abc import Iterable

import msgspec

from agent_contracts.log.record.records import NewMessage, StoredMessage, carrying, one_record, split


def committed(messages: Iterable[StoredMessage]) -> list[StoredMessage]:
    """The same events; each result, and all decisions after it, are the events of one record.

    A record keeps the sequence of its first event, so what events say of earlier records stays true.
    """
    return [
        event
        for record in _records(messages)
        for event in split(_stored(record[0].sequence, _joined(record)))
    ]


def records(messages: Iterable[StoredMessage]) -> list[NewMessage]:
    """The same, as messages to append."""
    return [_joined(record) for record in _records(messages)]


def _joined(record: list[StoredMessage]) -> NewMessage:
    return one_record([_message(record, one) for one in record])


def _records(messages: Iterable[StoredMessage]) -> list[list[StoredMessage]]:
    records: list[list[StoredMessage]] = []
    for message in messages:
        family = message.subject.split(".")[4]
        if family == "ev" and records and records[-1][0].subject.split(".")[4] == "result":
            records[-1].append(message)
        else:
            records.append([message])
    return records


def _message(record: list[StoredMessage], event: StoredMessage) -> NewMessage:
    """Only the first event of a record says what it follows."""
    assert event.envelope is not None
    envelope = event.envelope
    if event is not record[0]:
        envelope = msgspec.structs.replace(envelope, prev=None, causation=None)
    return carrying(envelope, event.data, event.subject)


def _stored(sequence: int, record: NewMessage) -> StoredMessage:
    return StoredMessage(sequence, record.subject, record.data, record.headers)
