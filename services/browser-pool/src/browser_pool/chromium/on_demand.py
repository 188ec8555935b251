"""Chromium when it is needed: started at its first use, and again after it died."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import structlog

from agent_contracts.errors import ErrorKind, Failure, Transient
from browser_pool.chromium.running import RunningChromium

log = structlog.get_logger()

Start = Callable[[], AbstractAsyncContextManager[RunningChromium]]

_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0
_LIVED_WELL_S = 60.0
"""Seconds after which a death counts as the first one again."""


class ChromiumOnDemand:
    """At most one Chromium. Deaths in quick succession make the next start wait: 1 s, 2 s … 60 s."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._lock = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._running: RunningChromium | None = None
        self._began = 0.0
        self._deaths = 0
        self._not_before = 0.0

    async def running(self) -> RunningChromium:
        """The one that runs, started if need be. As `running_chromium` raises, and
        `Transient(kind="upstream", retry_after=…)` so soon after it died several times."""
        async with self._lock:
            if self._running is not None and self._running.is_alive:
                return self._running
            if self._running is not None:
                log.warning("chromium.died", why=self._running.why_gone)
                await self._end()
                self._count_death()
            wait = self._not_before - _now()
            if wait > 0:
                message = f"Chromium died {self._deaths} times in a row; it starts again in {wait:.0f} s"
                raise Transient(message, kind=ErrorKind.UPSTREAM, retry_after=wait)
            try:
                self._running = await self._stack.enter_async_context(self._start())
            except Failure:
                self._count_death()
                raise
            self._began = _now()
            return self._running

    async def stop(self) -> None:
        """End it, if it runs, as after a while without use; the next `running` starts another."""
        async with self._lock:
            await self._end()

    async def _end(self) -> None:
        self._running = None
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()

    def _count_death(self) -> None:
        if _now() - self._began > _LIVED_WELL_S:
            self._deaths = 0
        self._deaths += 1
        if self._deaths > 1:
            wait = min(_FIRST_WAIT_S * 2 ** (self._deaths - 2), _LONGEST_WAIT_S)
            self._not_before = _now() + wait


@asynccontextmanager
async def chromium_on_demand(start: Start) -> AsyncIterator[ChromiumOnDemand]:
    """`start` is how one is started, as by `running_chromium`. None is, until it is asked for; what runs at
    the end is ended."""
    chromium = ChromiumOnDemand(start)
    try:
        yield chromium
    finally:
        await chromium.stop()


def _now() -> float:
    return asyncio.get_running_loop().time()
