"""A record is read once in a process, and nothing else is taken for it."""

import msgspec

from agent_contracts.ids import SessionId
from agent_contracts.log.record.records import LARGEST, REMEMBERED, ReadRecords, StoredMessage

SUBJECT = "ses.a.1.s_1.in.user_message"


def record(sequence: int = 1, data: bytes = b"[1]", subject: str = SUBJECT) -> StoredMessage:
    return StoredMessage(sequence, subject, data, {"Nats-Msg-Id": "e_1"})


def remembering(*records: StoredMessage) -> ReadRecords:
    read = ReadRecords()
    for one in records:
        read.remember(one, (one,))
    return read


def test_the_same_bytes_in_the_same_place_are_known() -> None:
    assert remembering(record()).of(record()) == (record(),)


def test_whatever_differs_is_another_record() -> None:
    read = remembering(record())
    assert read.of(record(2)) is None
    assert read.of(record(data=b"[2]")) is None
    assert read.of(record(subject="ses.a.1.s_2.in.user_message")) is None
    assert read.of(msgspec.structs.replace(record(), headers={"Nats-Msg-Id": "e_2"})) is None


def test_the_oldest_is_forgotten_where_there_are_too_many() -> None:
    read = remembering(*(record(number) for number in range(REMEMBERED + 1)))
    assert read.of(record(0)) is None
    assert read.of(record(1)) is not None
    assert read.of(record(REMEMBERED)) is not None


def test_a_large_one_is_not_remembered() -> None:
    large = record(data=b"x" * (LARGEST + 1))
    assert remembering(large).of(large) is None


def test_an_erased_session_is_forgotten() -> None:
    other = record(2, subject="ses.a.1.s_12.in.user_message")
    read = remembering(record(), other)
    read.forget(SessionId("s_1"))
    assert read.of(record()) is None
    assert read.of(other) is not None
