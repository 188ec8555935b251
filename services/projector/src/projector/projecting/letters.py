"""Dead letters of what can't be projected: one for each message, however often it is folded."""

import msgspec

from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.subjects import LOG_STREAM, SKIPPED, dead_letter_subject
from agent_platform.log.port import Log
from agent_platform.log.storable_text import storable_text
from agent_platform.services.consuming.dead_letter import DeadLetterRecord, letter_message


class DeadLetterWriter:
    """Tells of messages in the order of the log, so whatever stands before the last letter was told.

    `stream` is the stream of dead letters.
    """

    def __init__(self, stream: Log) -> None:
        self._stream = stream
        self._told = -1

    async def begin(self) -> None:
        """Look up how far was told. `Transient` if that can't be done now."""
        last = await self._stream.last(dead_letter_subject(LOG_STREAM, SKIPPED))
        if last is not None:
            self._told = msgspec.json.decode(last.data, type=DeadLetterRecord).address.place

    async def put(self, message: StoredMessage, problem: str) -> None:
        """Tell of one message, unless it was told before. `Transient` if that can't be done now."""
        if message.address.place <= self._told:
            return
        subject = storable_text(message.subject)
        reason = storable_text(problem)
        letter = DeadLetterRecord(
            LOG_STREAM, SKIPPED, message.sequence, subject, reason, 1, message.address.part
        )
        await self._stream.append(letter_message(letter))
        self._told = message.address.place
