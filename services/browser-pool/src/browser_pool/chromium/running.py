"""One Chromium, from its start to its end."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import structlog
from playwright.async_api import Browser, Error, Playwright, async_playwright

from agent_contracts.errors import ErrorKind, Failure, Transient
from agent_platform.process.cage.launching import CageReport, report_in
from browser_pool.chromium.confining import confined, environment
from browser_pool.chromium.finding import find_chromium
from browser_pool.chromium.flags import flags
from browser_pool.chromium.folder import own_folder, reachable
from browser_pool.chromium.proxies import Proxies, proxies
from browser_pool.chromium.request_interceptor import RequestInterceptor
from browser_pool.chromium.settings import ChromiumSettings
from browser_pool.chromium.tap import tapped
from browser_pool.chromium.watching import until_lost
from browser_pool.limits import CONTEXTS
from egress.dialing import CheckedDialing

log = structlog.get_logger()

_START_S = 30.0
_END_S = 2.0
_CLOSING = 8
"""Contexts that are being closed still have their proxies."""
_SHARED_MEMORY = 512 * 1024 * 1024


class RunningChromium:
    """A Chromium that is up. Files that pages have it save are in `downloads`, which has a limit."""

    def __init__(
        self,
        browser: Browser,
        lendable: Sequence[Proxies],
        pausing: RequestInterceptor,
        folder: Path,
        cage: CageReport,
    ) -> None:
        """The first of those to lend is for contexts that have none of their own."""
        self.browser = browser
        self.pausing = pausing
        self.cage = cage
        self.downloads = folder / "downloads"
        self._own, *free = lendable
        self._free = free
        self._folder = folder
        self._gone = asyncio.Event()
        self.why_gone = "it died"
        """What became of it, once it is gone; follows "the browser was lost: "."""

    @property
    def is_alive(self) -> bool:
        """Whether its pages can be used."""
        return not self._gone.is_set()

    def is_gone(self) -> None:
        """Its pipes are closed: so it ended, or Playwright did."""
        self._gone.set()

    async def gone(self) -> None:
        """Wait until it has died or was ended: every page of it is lost."""
        await self._gone.wait()

    async def watch(self, disk: int) -> None:
        """Notice that it is gone, and kill it when its files take more than `disk` bytes."""
        self.why_gone = await until_lost(self.cage.process, self._folder, disk)
        log.warning("chromium.lost", why=self.why_gone)
        self._kill()
        self._gone.set()

    def _kill(self) -> None:
        if self.is_alive:  # else its number may be another's by now
            with suppress(ProcessLookupError):
                os.killpg(self.cage.process, signal.SIGKILL)

    async def end(self) -> None:
        """End it at once; nothing of it is kept."""
        self._kill()
        with suppress(Error, TimeoutError):  # what is left of it ends with Playwright
            async with asyncio.timeout(_END_S):
                await self.browser.close()
        self._gone.set()

    def lend_proxies(self) -> Proxies:
        """For a context alone. `Transient` where all are lent."""
        if not self._free:
            raise Transient("each of Chromium's proxies is in use", retry_after=1)
        return self._free.pop()

    async def take_back(self, lent: Proxies) -> None:
        """Its context is closed: all that is open there ends."""
        await lent.close()
        self.pausing.forget(lent.port)
        self._free.append(lent)

    def refusal_of(self, url: str) -> Failure | None:
        """Why this address wasn't reached when a page last asked for it: `Rejected(kind="blocked")`,
        `Transient(kind="upstream")`; None if it was reached or not asked for. A refused https address fails
        in Chromium as ERR_TUNNEL_CONNECTION_FAILED; a refused http one is a page with status 403 or 502."""
        return self._own.refusals.of(url)


@asynccontextmanager
async def _driver() -> AsyncIterator[Playwright]:
    """What drives Chromium: Node, with a program, both of the package `playwright`."""
    driver = async_playwright()
    try:
        playwright = await driver.__aenter__()
    except Exception as error:  # of no class of its own: it ended before it said anything
        raise Transient(
            f"the program that drives Chromium (playwright's Node) does not start: {error}. The service's "
            "log has what it said; Debian's package libatomic1 is what it lacks most often",
            kind=ErrorKind.UPSTREAM,
        ) from error
    try:
        yield playwright
    finally:
        await driver.__aexit__()


@asynccontextmanager
async def running_chromium(
    settings: ChromiumSettings, dialing: CheckedDialing, contexts: int = CONTEXTS
) -> AsyncIterator[RunningChromium]:
    """Start one, behind proxies that dial by `dialing`: one for each of so many `contexts`, and one for all
    others; end it and remove its files after.

    Takes about a second. `Rejected(kind="not_installed")` if there is none;
    `Transient(kind="upstream")` if it doesn't start.
    """
    with own_folder() as folder, reachable(find_chromium(settings.chromium_path)) as program:
        async with AsyncExitStack() as stack:
            lendable = [
                await stack.enter_async_context(proxies(dialing)) for _ in range(1 + contexts + _CLOSING)
            ]
            playwright = await stack.enter_async_context(_driver())
            own = flags(folder / "profile", lendable[0].rules, shared_memory=_has_shared_memory())
            ports = [port for one in lendable for port in one.ports]
            tap = await stack.enter_async_context(tapped(folder))
            pausing = RequestInterceptor(tap.say, {one.port: one.rules for one in lendable})
            carrying = tap.begin(pausing)
            try:
                browser = await playwright.chromium.launch(
                    executable_path=sys.executable,
                    ignore_default_args=True,
                    args=confined([str(program), *own], folder, ports, settings.chromium_memory, tap.path),
                    env={**environment(folder)},
                    downloads_path=folder / "downloads",
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                    timeout=_START_S * 1000,
                )
            except Error as error:
                raise Transient(
                    f"Chromium ({program}) does not start: {error.message[-2000:]}", kind=ErrorKind.UPSTREAM
                ) from error
            cage = report_in(folder)
            log.info(
                "chromium.started", program=str(program), version=browser.version, lacks=list(cage.lacks)
            )
            running = RunningChromium(browser, lendable, pausing, folder, cage)
            carrying.add_done_callback(lambda _: running.is_gone())
            watching = asyncio.create_task(running.watch(settings.chromium_disk))
            try:
                yield running
            finally:
                watching.cancel()
                await running.end()


def _has_shared_memory() -> bool:
    try:
        size = os.statvfs("/dev/shm")
    except OSError:
        return False
    return size.f_blocks * size.f_frsize >= _SHARED_MEMORY
