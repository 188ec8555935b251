"""The browser pool by itself: what a session's context costs while Chromium runs, and what is given back."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil

from agent_contracts.ids import SessionId
from bench.sampling import median, percentile
from bench.table import Figure, at_most
from browser_pool.chromium.running import RunningChromium
from browser_pool.limits import CONTEXTS
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.browser_pool.site import site
from foldline_testing.browser_pool.world import BrowserWorld, browser_world, local_chromium
from foldline_testing.egress.web import answered, local_server

GROUP = "browser"
_SETTLES_S = 2.0
_PICTURES = 100
_AGAIN = 9
_PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"


async def measure(*, rounds: int) -> list[Figure]:
    """In a Chromium in its cage, behind its proxy, with a site of this machine."""
    async with site() as pages, browser_world() as world:
        began = time.perf_counter()
        await world.get("browser_navigate", "first", url=pages.url())
        cold_ms = (time.perf_counter() - began) * 1000
        warm = [await _lease_ms(world, SessionId(f"w{number}")) for number in range(rounds)]
        await world.contexts.close(SessionId("first"))
        empty = await _memory_mb(world)
        for number in range(CONTEXTS):
            await world.get("browser_navigate", f"s{number}", url=pages.url())
        full = await _memory_mb(world)
        for number in range(CONTEXTS):
            await world.contexts.close(SessionId(f"s{number}"))
        after = await _memory_mb(world)
    judged, unjudged = await _seen_before_ms()
    return [
        Figure(GROUP, "first page, Chromium started for it", cold_ms, "ms"),
        Figure(GROUP, "a context, warm, median", median(warm), "ms", at_most(150)),
        Figure(GROUP, "a context, warm, p95", percentile(warm, 0.95), "ms"),
        Figure(GROUP, f"memory of each of {CONTEXTS} contexts with a page", (full - empty) / CONTEXTS, "MB"),
        Figure(GROUP, "memory kept after they were closed", after - empty, "MB", at_most(150)),
        Figure(GROUP, f"a page with {_PICTURES} pictures, seen before", judged, "ms"),
        Figure(GROUP, "the same, where nothing that it asks for is judged", unjudged, "ms"),
        Figure(GROUP, "the ratio of these two", judged / unjudged, "x", at_most(4)),
    ]


async def _lease_ms(world: BrowserWorld, session: SessionId) -> float:
    began = time.perf_counter()
    async with world.contexts.lent(AGENT, session):
        took = (time.perf_counter() - began) * 1000
    await world.contexts.close(session)
    return took


async def _seen_before_ms() -> tuple[float, float]:
    """Of a page whose pictures may be kept, until all are there: judged, and not; medians, by turns."""

    def answer(request: str) -> bytes:
        if " / " in request:
            pictures = "".join(f"<img src='/{number}.svg'>" for number in range(_PICTURES))
            return answered(f"<title>Page</title>{pictures}".encode(), "Content-Type: text/html")
        return answered(_PICTURE, "Content-Type: image/svg+xml", "Cache-Control: max-age=3600")

    async with (
        local_server(answer) as server,
        browser_world() as judged,
        browser_world(start=_unjudged) as unjudged,
    ):
        took: tuple[list[float], list[float]] = ([], [])
        for _ in range(1 + _AGAIN):
            for world, times in zip((judged, unjudged), took, strict=True):
                began = time.perf_counter()
                await world.get("browser_navigate", url=server.url("a.test"))
                times.append((time.perf_counter() - began) * 1000)
        assert len([one for one in server.seen if ".svg " in one]) == 2 * _PICTURES, "each once"
    return median(took[0][1:]), median(took[1][1:])


@asynccontextmanager
async def _unjudged() -> AsyncIterator[RunningChromium]:
    async with local_chromium() as running:
        running.pausing.judge = lambda port, judge: None  # type: ignore[method-assign]
        yield running


async def _memory_mb(world: BrowserWorld) -> float:
    """Of Chromium's processes, each shared page counted once."""
    await asyncio.sleep(_SETTLES_S)
    running = await world.contexts.chromium.running()
    chromium = psutil.Process(running.cage.process)
    total = 0
    for process in (chromium, *chromium.children(recursive=True)):
        try:
            total += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total / 1024**2
