"""Stop early: what runs for a session is told when the session wants it no more."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from cachetools import FIFOCache

from agent_contracts.ids import CallId, SessionId

T = TypeVar("T")

_REMEMBERED = 10_000
"""Of so many sessions it is known that something was told to stop. What is forgotten is in the log."""


class WorkStopped(Exception):
    """Nobody waits for this any more."""


class StopSignal:
    """Whether a piece of work was told to stop. It looks itself, and so keeps what it had by then."""

    def __init__(self) -> None:
        self.is_told = False
        self._waits: set[asyncio.Timeout] = set()

    def tell(self) -> None:
        """Stop. What is being waited for is waited for no more."""
        self.is_told = True
        for wait in self._waits:
            if not wait.expired():  # by an earlier word, say: it ends already
                wait.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def within(self, seconds: float | None) -> AsyncIterator[None]:
        """Do what follows in this time, else `TimeoutError`; `WorkStopped` once it is told to stop."""
        if self.is_told:
            raise WorkStopped
        try:
            async with asyncio.timeout(seconds) as wait:
                self._waits.add(wait)
                try:
                    yield
                finally:
                    self._waits.discard(wait)
        except TimeoutError:
            if self.is_told:
                raise WorkStopped from None
            raise


class Cancellations:
    """What is asked of models in this process, by session."""

    def __init__(self) -> None:
        self._running: dict[SessionId, list[tuple[CallId, Callable[[], None]]]] = {}
        self._lately: FIFOCache[SessionId, None] = FIFOCache(_REMEMBERED)

    def cancel(self, session_id: SessionId, call_id: CallId | None = None) -> None:
        """Stop this call of the session, or without an id all of them. Others' calls are ignored."""
        self._lately[session_id] = None
        for running, tell in self._running.get(session_id, ()):
            if call_id in (None, running):
                tell()

    def lately(self, session_id: SessionId) -> bool:
        """Whether something of the session was told to stop, so that the log says what is still wanted."""
        return session_id in self._lately

    @contextmanager
    def watched(self, session_id: SessionId, call_id: CallId) -> Iterator[StopSignal]:
        """A `StopSignal` for work on this call, which is told while the work goes on."""
        stop = StopSignal()
        with self._telling(session_id, call_id, stop.tell):
            yield stop

    async def run(self, session_id: SessionId, call_id: CallId, work: Coroutine[Any, Any, T]) -> T | None:
        """The work's result; None if it was told to stop first, and then it has stopped.

        A call may have several pieces of work at once.
        """
        told = asyncio.Event()
        working = asyncio.create_task(work)
        waiting = asyncio.create_task(told.wait())
        with self._telling(session_id, call_id, told.set):
            try:
                await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
                return working.result() if working.done() else None
            finally:
                waiting.cancel()
                working.cancel()
                await asyncio.gather(working, waiting, return_exceptions=True)

    @contextmanager
    def _telling(self, session_id: SessionId, call_id: CallId, tell: Callable[[], None]) -> Iterator[None]:
        calls = self._running.setdefault(session_id, [])
        entry = (call_id, tell)
        calls.append(entry)
        try:
            yield
        finally:
            calls.remove(entry)
            if not calls:
                self._running.pop(session_id, None)
