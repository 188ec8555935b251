"""A story's events as the messages of a log."""

from collections.abc import Iterable

import msgspec

from agent_contracts.codec import Recorded, encode, type_of
from agent_contracts.envelope import Envelope, to_headers
from agent_contracts.event_subjects import subject_of
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.session_key import SessionKey
from agent_platform.log.port import NewMessage, StoredMessage

AGENT = AgentId("default")


def stored(sequence: int, message: NewMessage) -> StoredMessage:
    """A message as the log would hold it."""
    return StoredMessage(sequence, message.subject, message.data, message.headers)


def as_messages(story: Iterable[Recorded[SessionEvent]], session_id: SessionId) -> list[StoredMessage]:
    """A story's events as the messages of session `session_id`, at their sequences."""
    return [
        stored(recorded.sequence, as_message(recorded.event, recorded.envelope, session_id))
        for recorded in story
    ]


def as_message(event: SessionEvent, envelope: Envelope, session_id: SessionId) -> NewMessage:
    """An event of a session on its proper subject."""
    headers = to_headers(msgspec.structs.replace(envelope, type=type_of(event), subject=session_id))
    return NewMessage(subject_of(event, SessionKey(AGENT, session_id)), encode(event), headers)
