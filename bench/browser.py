"""The browser pool by itself: what a session's context costs while Chromium runs, and what is given back."""

import asyncio
import time

import psutil

from agent_contracts.ids import SessionId
from agent_tools.testing.world import AGENT
from bench.sampling import median, percentile
from bench.table import Figure, at_most
from browser_pool.limits import CONTEXTS
from browser_pool.testing.site import site
from browser_pool.testing.world import BrowserWorld, browser_world

GROUP = "browser"
_SETTLES_S = 2.0


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
    return [
        Figure(GROUP, "first page, Chromium started for it", cold_ms, "ms"),
        Figure(GROUP, "a context, warm, median", median(warm), "ms", at_most(150)),
        Figure(GROUP, "a context, warm, p95", percentile(warm, 0.95), "ms"),
        Figure(GROUP, f"memory of each of {CONTEXTS} contexts with a page", (full - empty) / CONTEXTS, "MB"),
        Figure(GROUP, "memory kept after they were closed", after - empty, "MB", at_most(150)),
    ]


async def _lease_ms(world: BrowserWorld, session: SessionId) -> float:
    began = time.perf_counter()
    async with world.contexts.lent(AGENT, session):
        took = (time.perf_counter() - began) * 1000
    await world.contexts.close(session)
    return took


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
