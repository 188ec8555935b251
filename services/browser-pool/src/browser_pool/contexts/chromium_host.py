"""The one Chromium of a pool, watched: whoever uses it hears at once when it dies."""

import asyncio
from collections.abc import Callable

import structlog
from playwright.async_api import Error

from browser_pool.chromium.on_demand import ChromiumOnDemand, Start
from browser_pool.chromium.running import RunningChromium

_CHECK_S = 15.0
"""For an answer, on a machine that does much else as well; that it ended is known without asking."""

log = structlog.get_logger()


class ChromiumHost:
    """Keeps at most one Chromium. `died` is called, from the event loop, when one ended by itself."""

    def __init__(self, start: Start, died: Callable[[], None]) -> None:
        self._chromium = ChromiumOnDemand(start)
        self._died = died
        self._running: RunningChromium | None = None
        self._watching: asyncio.Task[None] | None = None
        self.starts = 0

    @property
    def is_running(self) -> bool:
        """Whether there is one now."""
        return self._running is not None

    async def running(self) -> RunningChromium:
        """The one that runs, started if need be. Raises what starting it does."""
        running = await self._chromium.running()
        if running is not self._running:
            if self._running is not None:
                self._gone(self._running)
            self._running = running
            self.starts += 1
            self._watching = asyncio.create_task(self._watch(running))
        return running

    async def lives(self) -> bool:
        """Whether it answers; if not, it is ended."""
        running = self._running
        if running is None:
            return False
        if not running.is_alive:
            self._gone(running)  # who asks is told at once, not when the watch wakes
            return False
        try:
            async with asyncio.timeout(_CHECK_S):
                session = await running.browser.new_browser_cdp_session()
                await session.detach()
        except (Error, TimeoutError) as error:
            log.warning("chromium.does_not_answer", error=str(error)[:500])
            await running.end()
            self._gone(running)
            return False
        return True

    async def stop(self) -> None:
        """End it, if it runs."""
        self._running = None
        if self._watching is not None:
            self._watching.cancel()
        await self._chromium.stop()

    async def _watch(self, running: RunningChromium) -> None:
        await running.gone()
        self._gone(running)

    def _gone(self, running: RunningChromium) -> None:
        if running is self._running:
            self._running = None
            self._died()
