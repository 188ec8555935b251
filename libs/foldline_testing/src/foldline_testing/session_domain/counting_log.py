"""A log in memory that counts."""

from collections.abc import AsyncGenerator

from agent_contracts.log.record.records import StoredMessage
from foldline_testing.agent_platform.memory_log import MemoryLog


class CountingLog(MemoryLog):
    """Counts the messages that were read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    async def read(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        """What is stored, counted."""
        async for message in super().read(subject, after=after, up_to=up_to):
            self.reads += 1
            yield message
