"""Reads the whole of what a model thought before an answer. An event holds only both ends of a long one."""

from collections.abc import AsyncGenerator

from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.record.records import event_of
from agent_contracts.session_events.results import ModelCallCompleted, Thinking
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.port import Log


class ThinkingOfAnswers:
    """Reads the log, and the blob that an event names."""

    def __init__(self, log: Log, directory: SessionDirectory, blobs: Blobs) -> None:
        self._log = log
        self._directory = directory
        self._blobs = blobs

    async def find(self, session_id: SessionId, answer: Address) -> Thinking:
        """What was thought before the answer at this address, as its event holds it.

        `Rejected(kind="not_found")` where the session has no answer there, or one without thinking.
        """
        session = await self._directory.find(session_id)
        for one in await self._log.record(answer.sequence) if answer.sequence else ():
            recorded = event_of(one) if one.subject.startswith(f"{session.key.prefix}.") else None
            event = recorded.event if recorded is not None else None
            is_it = answer in (one.address, Address(one.sequence))
            if is_it and isinstance(event, ModelCallCompleted) and event.thinking is not None:
                return event.thinking
        raise Rejected(f"Event {answer} of session {session_id} has no thinking", kind="not_found")

    async def read(self, thinking: Thinking, most: int | None) -> AsyncGenerator[bytes, None]:
        """Its text as UTF-8, in pieces: the first `most` bytes (None: all), never half a character."""
        if thinking.whole is None:
            data = thinking.text.encode()
            yield data if most is None or most >= len(data) else whole_characters(data[:most])
            return
        if most is None or most >= thinking.whole.size:
            async for piece in self._blobs.stream(thinking.whole.sha256):
                yield piece
            return
        pieces = [piece async for piece in self._blobs.stream(thinking.whole.sha256, 0, most)]
        yield whole_characters(b"".join(pieces))


def whole_characters(data: bytes) -> bytes:
    """UTF-8 without the character that was cut at its end."""
    return data.decode(errors="ignore").encode()
