"""A story's events as the messages of a log."""

from collections.abc import Iterable

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import Envelope, RecordedEvent, encode
from agent_contracts.log.record.records import NewMessage, StoredMessage, carrying, split
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.session_events.union import SessionEvent

AGENT = AgentId("default")


def stored(sequence: int, message: NewMessage) -> StoredMessage:
    """A message as the log would hold it."""
    return split(StoredMessage(sequence, message.subject, message.data, message.headers))[-1]


def as_messages(story: Iterable[RecordedEvent[SessionEvent]], session_id: SessionId) -> list[StoredMessage]:
    """A story's events as the messages of session `session_id`, at their sequences."""
    return [
        stored(recorded.sequence, as_message(recorded.event, recorded.envelope, session_id))
        for recorded in story
    ]


def as_message(event: SessionEvent, envelope: Envelope, session_id: SessionId) -> NewMessage:
    """An event of a session on its proper subject."""
    return carrying(envelope, encode(event), subject_of(event, SessionKey(AGENT, session_id)))
