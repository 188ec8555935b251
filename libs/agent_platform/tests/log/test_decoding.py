import pytest

from agent_contracts import event_sources
from agent_contracts.errors import Permanent
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import Envelope, UnknownEventType, encode, type_of
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import UserMessage

SUBJECT = SessionKey(AgentId("a"), SessionId("s")).input("foldline.session.user_message.v1")


def stored(event_type: str, data: bytes) -> StoredMessage:
    envelope = Envelope("e", event_type, event_sources.GATEWAY, "2026-01-31T12:34:56.000Z")
    return StoredMessage(9, SUBJECT, data, {}, envelope=envelope)


def test_a_stored_message_becomes_an_event_with_its_place_and_envelope() -> None:
    recorded = decode(stored(type_of(UserMessage), encode(UserMessage(text="hi"))))
    assert (recorded.sequence, recorded.subject) == (9, SUBJECT)
    assert recorded.envelope.id == "e"
    assert recorded.event == UserMessage(text="hi")


def test_a_type_of_a_newer_version_is_told_apart_from_a_body_that_does_not_fit() -> None:
    with pytest.raises(UnknownEventType):
        decode(stored("foldline.session.danced.v1", b"{}"))
    with pytest.raises(Permanent) as refused:
        decode(stored(type_of(UserMessage), b"{"))
    assert refused.value.kind == "bad_event"


def test_a_message_without_an_envelope_is_permanent() -> None:
    with pytest.raises(Permanent, match="envelope"):
        decode(StoredMessage(9, SUBJECT, b"{}", {}))
