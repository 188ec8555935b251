"""From nothing to the first answer, and what everything weighs then."""

import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from bench.gateway_http import Address, Poster, arrivals
from bench.memory import weights
from bench.scripted_model import step_model
from bench.stage import TOKENS
from bench.table import Figure, Target, at_most
from foldline_testing.product.stack import Stack

GROUP = "startup"
_QUIET_S = 5.0


async def measure(folder: Path, *, processes: bool) -> list[Figure]:
    """`foldline up` on an empty folder with the scripted model, which answers at once; ready, first answer,
    idle; and up once more."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    with step_model() as model:
        return await _measure(folder / "data", model, processes=processes)


async def _measure(folder: Path, model: Mapping[str, str], *, processes: bool) -> list[Figure]:
    how = "--processes" if processes else "one process"
    stack = Stack(folder, processes=processes, env=model, python=sys.executable)
    began = time.perf_counter()
    await asyncio.to_thread(stack.start)
    try:
        ready = time.perf_counter() - began
        await _answer(Address.of(stack.url, stack.token))
        answered = time.perf_counter() - began
        await asyncio.sleep(_QUIET_S)
        found = sorted(weights(stack.pid), key=lambda weight: -weight.rss)
        stopping = await asyncio.to_thread(stack.stop)
        again = time.perf_counter()
        await asyncio.to_thread(stack.start)
        warm = time.perf_counter() - again
    finally:
        await asyncio.to_thread(stack.stop)

    def time_of(name: str, seconds: float, target: Target | None = None) -> Figure:
        return Figure(GROUP, f"up ({how}): {name}", seconds, "s", target)

    def weight_of(name: str, megabytes: float, target: Target | None = None, note: str = "") -> Figure:
        return Figure(GROUP, f"idle ({how}): {name}", megabytes, "MB", target, note)

    whole = at_most(450)
    return [
        time_of("empty folder to ready", ready, None if processes else at_most(2.5)),
        time_of("empty folder to first answer", answered, None if processes else at_most(4)),
        time_of("second start to ready", warm, None if processes else at_most(2.5)),
        time_of("stop", stopping, at_most(2)),
        weight_of("RSS of everything", sum(one.rss for one in found), whole),
        weight_of("PSS of everything", sum(one.pss for one in found), note="shared pages once"),
        *(weight_of(f"  RSS of {one.name}", one.rss, note=f"PSS {one.pss:.1f}") for one in found),
    ]


async def _answer(address: Address) -> None:
    """Say hello, and wait for the end of the answer."""
    poster = Poster(address)
    try:
        session = await poster.post("/sessions", {"message": "hello", "token_limit": TOKENS})
    finally:
        poster.close()
    path = f"/events?session_id={session['id']}&after={session['last_sequence']}"
    async with asyncio.timeout(60):
        async for arrival in arrivals(address, path):
            if b".became_idle.v1" in arrival.data:
                return
            if b".session.failed.v1" in arrival.data:
                raise RuntimeError(arrival.data.decode())
