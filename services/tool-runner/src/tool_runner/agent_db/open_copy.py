"""A copy that is in use: one writer, a few readers beside it, all off the event loop."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import structlog

from agent_platform.process.clock import Clock
from agent_tools.ports.database import AgentTable
from tool_runner.agent_db.connection import WHOLE, SqlConnection, StatementDeadline, StatementResult, Window
from tool_runner.agent_db.content_hash import content_hash
from tool_runner.agent_db.copy import Copy
from tool_runner.agent_db.failures import CopyUnusable
from tool_runner.agent_db.limits import STATEMENT_S
from tool_runner.agent_db.moment import moment_now
from tool_runner.agent_db.schema import size_of, tables_of
from tool_runner.agent_db.threads import Threads
from tool_runner.agent_db.values import SqlValue

T = TypeVar("T")

log = structlog.get_logger()

READERS = 3
"""Statements of one agent that may read at a time; a write goes on beside them."""


class OpenCopy:
    """Reads see what is committed. Whoever writes sees to it that nobody else does (see `AgentDb`).

    Once not `is_usable`, it is good for nothing but being closed.
    """

    def __init__(self, copy: Copy, threads: Threads, clock: Clock) -> None:
        self.copy = copy
        self._threads = threads
        self._clock = clock
        self._idle: list[SqlConnection] = []
        self._closed = False
        self.is_usable = True
        self._places = asyncio.Semaphore(READERS)

    @property
    def position(self) -> int:
        """The sequence of the last event in it."""
        return self.copy.position

    async def read(
        self, sql: str, values: Sequence[SqlValue], window: Window = WHOLE
    ) -> StatementResult | None:
        """What a reading statement gives, None for a writing one, which isn't run.

        Raises the failures of `SqlConnection`.
        """
        moment = moment_now(self._clock)

        def work(reader: SqlConnection, stop: StatementDeadline) -> StatementResult | None:
            stop.limit(STATEMENT_S)
            prepared = reader.prepare(sql, values, stop)
            if not prepared.reads:
                return None
            return reader.run(prepared.text, values, moment, stop, self.copy.last_rowid, window)

        return await self._reading(work)

    async def tables(self) -> list[AgentTable]:
        """Its tables."""
        return await self._reading(lambda reader, _: tables_of(reader.sqlite))

    async def size(self) -> int:
        """Bytes that it has."""
        return await self._reading(lambda reader, _: size_of(reader.sqlite))

    async def content_hash(self) -> str:
        """See `content_hash`."""
        return await self._reading(lambda reader, _: content_hash(reader.sqlite))

    async def write(self, work: Callable[[Copy, StatementDeadline], T]) -> T:
        """What `work` does with the copy itself."""
        with self._watched():
            return await self._threads.run(lambda stop: work(self.copy, stop))

    async def close(self) -> None:
        """Wait for those who read, then close and remove it."""
        self._closed, self.is_usable = True, False
        for _ in range(READERS):
            await self._places.acquire()
        await self._threads.run(self._close)
        for _ in range(READERS):
            self._places.release()

    def _close(self, _: StatementDeadline) -> None:
        for reader in self._idle:
            reader.close()
        self._idle.clear()
        self.copy.close()

    async def _reading(self, work: Callable[[SqlConnection, StatementDeadline], T]) -> T:
        async with self._places:
            if self._closed:
                raise CopyUnusable("it was closed")
            with self._watched():
                return await self._with_reader(work)

    async def _with_reader(self, work: Callable[[SqlConnection, StatementDeadline], T]) -> T:
        reader = self._idle.pop() if self._idle else await self._threads.run(lambda _: self.copy.reader())
        try:
            return await self._threads.run(lambda stop: work(reader, stop))
        finally:
            self._idle.append(reader)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except CopyUnusable as error:
            self.is_usable = False
            log.error("agent_db.copy_unusable", position=self.position, error=error.message)
            raise
