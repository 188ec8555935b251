"""From single messages to batches: whatever has arrived while the last batch was written."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec

from agent_contracts.log.address import Address
from agent_contracts.log.record.records import StoredMessage


class BatchLimits(msgspec.Struct, frozen=True):
    """The most that one batch holds, and that waits for the next one: messages, and bytes of bodies.

    Only between records: the events of one are never in two batches.
    """

    messages: int = 2000
    size: int = 8 * 1024 * 1024


PLENTY = 100
"""So many messages are worth writing at once; fewer wait a moment for others."""


class Arrivals:
    """Reads ahead from `source`, within `limits`, as long as the context is open."""

    def __init__(self, source: AsyncIterator[StoredMessage], limits: BatchLimits) -> None:
        self._source = source
        self._limits = limits
        self._waiting: deque[StoredMessage] = deque()
        self._size = 0
        self._newest = 0
        self._arrived = asyncio.Event()
        self._taken = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to read."""
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop reading; what was read and not taken is forgotten."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    @property
    def ended(self) -> bool:
        """Whether the source has ended and everything was taken."""
        return not self._waiting and self._reader is not None and self._reader.done()

    async def wait(self, timeout: float | None = None) -> bool:
        """Wait for something to take, or for the source's end; False after `timeout` seconds without either.

        Raises what the source raised, once everything before that is taken.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while not self._waiting and not self.ended:
                    self._arrived.clear()
                    await self._arrived.wait()
        if self.ended and self._reader is not None:
            self._reader.result()
        return bool(self._waiting) or self.ended

    async def gather(self, seconds: float) -> None:
        """Give others so much time to come along, unless there is plenty or nothing more will come."""
        if len(self._waiting) < PLENTY and self._reader is not None and not self._reader.done():
            await asyncio.sleep(seconds)

    def take(self) -> list[StoredMessage]:
        """All that has arrived, in order, up to the limits."""
        taken: list[StoredMessage] = []
        size = 0
        while self._waiting:
            following = self._waiting[0]
            size += len(following.data)
            full = len(taken) >= self._limits.messages or size > self._limits.size
            if taken and full and following.sequence != taken[-1].sequence:
                break
            taken.append(self._waiting.popleft())
        self._size -= sum(len(message.data) for message in taken)
        self._taken.set()
        return taken

    def _is_full(self) -> bool:
        return len(self._waiting) >= self._limits.messages or self._size >= self._limits.size

    async def _read(self) -> None:
        try:
            async for message in self._source:
                while self._is_full() and message.sequence != self._newest:
                    self._taken.clear()
                    await self._taken.wait()
                self._newest = message.sequence
                self._waiting.append(message)
                self._size += len(message.data)
                self._arrived.set()
        finally:
            self._arrived.set()
            close = getattr(self._source, "aclose", None)
            if close is not None:
                await close()


def following(messages: Iterable[StoredMessage], sequence: int) -> list[StoredMessage]:
    """Those after record `sequence`, in order: one delivered again, or behind a later one, is left out."""
    found: list[StoredMessage] = []
    last = Address(sequence).end
    for message in messages:
        place = message.address.place
        if place > last:
            found.append(message)
            last = place
    return found
