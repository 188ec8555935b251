"""What is kept of a message that could not be handled."""

import msgspec

from agent_contracts.envelope import MESSAGE_ID
from agent_contracts.subjects import DLQ_STREAM, dead_letter_subject
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import NewMessage, StoredMessage
from agent_platform.nats.connection import Connection


class DeadLetter(msgspec.Struct, frozen=True):
    """A message that a consumer gave up, and why. The message itself stays in its stream under `sequence`."""

    stream: str
    consumer: str
    sequence: int
    subject: str
    reason: str
    attempts: int


class DeadLetters:
    """Writes dead letters. One message of one consumer is written once, though it may be given up twice."""

    def __init__(self, connection: Connection) -> None:
        self._log = JetStreamLog(connection, stream=DLQ_STREAM)

    async def put(
        self, stream: str, consumer: str, message: StoredMessage, reason: str, attempts: int
    ) -> None:
        """Set the message aside."""
        letter = DeadLetter(stream, consumer, message.sequence, message.subject, reason, attempts)
        headers = {MESSAGE_ID: f"{stream}:{consumer}:{message.sequence}"}
        subject = dead_letter_subject(stream, consumer)
        await self._log.append(NewMessage(subject, msgspec.json.encode(letter), headers))
