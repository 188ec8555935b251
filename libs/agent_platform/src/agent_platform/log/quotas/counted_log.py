"""A log that counts what is added to it, by agent."""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_contracts.log.subjects import agent_of
from agent_platform.log.port import Log
from agent_platform.log.quotas.daily import DailyQuota


class CountedLog:
    """A `Log` whose appends count towards the quotas of the agents that they are of.

    `bounded`: what would exceed a quota is `Rejected(kind="quota_exceeded")` before it is sent. Else it is
    written in any case: what ends something that was begun must be.
    """

    def __init__(self, log: Log, quota: DailyQuota, *, bounded: bool = False) -> None:
        self._log = log
        self._quota = quota
        self._bounded = bounded

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        """Append, and count; see the port."""
        agent_id, size = agent_of(message.subject), size_of(message)
        if not self._bounded:
            sequence = await self._log.append(message, expect)
            await self._quota.count(agent_id, size)
            return sequence
        await self._quota.take(agent_id, size)
        try:
            return await self._log.append(message, expect)
        except Rejected:
            self._quota.give_back(agent_id, size)
            raise

    async def append_together(self, messages: Sequence[NewMessage], expects: Sequence[Expect | None]) -> int:
        """Append all or none, and count; see the port."""
        sizes = Counter[AgentId]()
        for message in messages:
            sizes[agent_of(message.subject)] += size_of(message)
        if not self._bounded:
            sequence = await self._log.append_together(messages, expects)
            for agent_id, size in sizes.items():
                await self._quota.count(agent_id, size)
            return sequence
        taken = Counter[AgentId]()
        try:
            for agent_id, size in sizes.items():
                await self._quota.take(agent_id, size)
                taken[agent_id] = size
            return await self._log.append_together(messages, expects)
        except Rejected:
            for agent_id, size in taken.items():
                self._quota.give_back(agent_id, size)
            raise

    def read(self, subject: str, *, after: int = 0, up_to: int | None = None) -> AsyncIterator[StoredMessage]:
        """See the port."""
        return self._log.read(subject, after=after, up_to=up_to)

    def records(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncIterator[StoredMessage]:
        """See the port."""
        return self._log.records(subject, after=after, up_to=up_to)

    def tail(self, subjects: Sequence[str], *, after: int) -> AsyncGenerator[StoredMessage, None]:
        """See the port."""
        return self._log.tail(subjects, after=after)

    async def record(self, sequence: int) -> Sequence[StoredMessage]:
        """See the port."""
        return await self._log.record(sequence)

    async def get(self, sequence: int) -> StoredMessage | None:
        """See the port."""
        return await self._log.get(sequence)

    async def last(self, subject: str) -> StoredMessage | None:
        """See the port."""
        return await self._log.last(subject)

    async def last_of_each(
        self, *subjects: str, after: int = 0, up_to: int | None = None
    ) -> list[StoredMessage]:
        """See the port."""
        return await self._log.last_of_each(*subjects, after=after, up_to=up_to)

    async def last_sequence(self) -> int:
        """See the port."""
        return await self._log.last_sequence()


def size_of(message: NewMessage) -> int:
    """Bytes that a message has: subject, headers and body. The server adds about 30 for itself."""
    headers = sum(len(name) + len(value) + 4 for name, value in message.headers.items())
    return len(message.subject) + headers + len(message.data)
