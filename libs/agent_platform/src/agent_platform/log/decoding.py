"""From a stored message to the event that it carries."""

from typing import Any

from agent_contracts import codec
from agent_contracts.codec import Recorded
from agent_contracts.envelope import from_headers
from agent_platform.log.port import StoredMessage


def decode(message: StoredMessage) -> Recorded[Any]:
    """The event with its envelope and its place.

    Raises `UnknownEventType` for an event of a newer version, `Permanent` for one that can't be read.
    """
    envelope = from_headers(message.headers)
    event = codec.decode(envelope.type, message.data)
    return Recorded(message.sequence, message.subject, envelope, event)
