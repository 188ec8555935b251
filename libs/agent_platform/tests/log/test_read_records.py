"""A record is read once in a process, and nothing else is taken for it."""

import msgspec

from agent_contracts.ids import SessionId
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import LARGEST, REMEMBERED, NewMessage, ReadRecords, StoredMessage

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


def test_one_that_comes_before_it_is_said_to_be_stored_is_known_and_only_if_it_says_the_same() -> None:
    read, made = ReadRecords(), record()
    message = NewMessage(made.subject, made.data, made.headers)
    with read.coming(message, made.headers[MESSAGE_ID], lambda stored: (stored,)):
        assert read.of(msgspec.structs.replace(made, data=b"else")) is None
        assert read.of(msgspec.structs.replace(made, subject="other")) is None
        known = read.of(made)
        assert known == (made,)
    assert read.of(made) is known  # by who found it, from then on
    assert read.of(record(7)) is None
