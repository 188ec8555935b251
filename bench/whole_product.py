"""The whole product as a user has it: 16 sessions over HTTP, a scripted model server over HTTP, all services.

It looks from outside alone (HTTP, the projector's notices, the processes' own accounts), so that the same
measurement runs against another checkout: `--against FOLDER` takes both in rotation.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec

from bench.gateway_http import Address, Poster, arrivals
from bench.lag import Lag
from bench.memory import weights
from bench.processor_time import cpu_ms
from bench.sampling import median, percentile
from bench.script import steps
from bench.scripted_model import step_model
from bench.stage import TOKENS
from bench.table import Figure, Target, at_least, at_most
from foldline.supervisor.announcement import read_announcement
from foldline_testing.product.stack import Stack

GROUP = "whole-product"
_SESSIONS = 16
_STEPS = 20
_PATIENCE_S = 600.0


class Run(msgspec.Struct, frozen=True):
    """One run's figures. Times in milliseconds, weights in MB."""

    steps_per_s: float
    cpu_per_step: float
    rss: float
    pss: float
    lag_p99: float
    first_event_p99: float


class _Event(msgspec.Struct, frozen=True):
    sequence: int
    session_id: str | None
    type: str
    time: datetime


class _Watch:
    """Follows all events: when a session was heard, and when its turn was over."""

    def __init__(self) -> None:
        self.stored_at: dict[int, datetime] = {}
        self._heard: dict[tuple[str, str], asyncio.Future[float]] = {}

    async def run(self, address: Address) -> None:
        """Follow until cancelled."""
        async for arrival in arrivals(address, "/events"):
            if arrival.name != "event":
                continue
            event = msgspec.json.decode(arrival.data, type=_Event)
            self.stored_at[event.sequence] = event.time
            kind = event.type.split(".")[2]
            future = self._heard.pop((event.session_id or "", kind), None)
            if future is not None and not future.done():
                future.set_result(arrival.at)

    def next(self, session_id: str, kind: str) -> "asyncio.Future[float]":
        """When the session's next event of this kind arrives (`time.perf_counter`)."""
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._heard[session_id, kind] = future
        return future


async def measure(folder: Path, *, rounds: int, turns: int, against: Path | None) -> list[Figure]:
    """Both ways to run it; with another checkout, each round takes one after the other."""
    checkouts = {"": sys.executable}
    if against is not None:
        checkouts[f" ({against})"] = str(against / ".venv" / "bin" / "python")
    figures: list[Figure] = []
    for processes in (False, True):
        how = "--processes" if processes else "one process"
        runs: dict[str, list[Run]] = {name: [] for name in checkouts}
        for number in range(rounds):
            for place, (name, python) in enumerate(checkouts.items()):
                where = folder / f"{number}-{place}-{processes:d}"
                runs[name].append(await _run(where, python, processes=processes, turns=turns))
        for name, found in runs.items():
            figures += _figures(f"{how}{name}", found, ours=not name)
        if against is not None:
            ours, theirs = (median([run.steps_per_s for run in found]) for found in runs.values())
            ratio = Figure(GROUP, f"{how}: steps/s against the other's", ours / theirs, "x")
            figures.append(ratio)
    return figures


def _figures(how: str, runs: list[Run], *, ours: bool) -> list[Figure]:
    note = f"{_SESSIONS} sessions, {len(runs)} rounds"

    def figure(name: str, of: Callable[[Run], float], unit: str, target: Target | None = None) -> Figure:
        value = median([of(run) for run in runs])
        return Figure(GROUP, f"{how}: {name}", value, unit, target if ours else None, note)

    return [
        figure("steps/s", lambda run: run.steps_per_s, "1/s", at_least(40)),
        figure("CPU a step", lambda run: run.cpu_per_step, "ms"),
        figure("RSS of everything after it", lambda run: run.rss, "MB"),
        figure("PSS of everything after it", lambda run: run.pss, "MB"),
        figure("projection lag p99", lambda run: run.lag_p99, "ms", at_most(300)),
        figure("message to first event p99", lambda run: run.first_event_p99, "ms", at_most(500)),
    ]


async def _run(folder: Path, python: str, *, processes: bool, turns: int) -> Run:
    """One start, a short turn of every session, then what is measured: `turns` of 20 steps in each."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    with step_model() as model:
        env = {**model, "FOLDLINE_SELFTEST_TOOLS": "true"}
        stack = Stack(folder / "data", processes=processes, env=env, python=python)
        await asyncio.to_thread(stack.start)
        try:
            async with _watching(stack) as (watch, poster):
                return await _measured(stack, watch, poster, turns)
        finally:
            await asyncio.to_thread(stack.stop)


async def _measured(stack: Stack, watch: _Watch, poster: Poster, turns: int) -> Run:
    told = read_announcement(stack.data_dir)
    assert told is not None
    firsts: list[float] = []

    async def turn(session_id: str, number: int) -> None:
        first, over = watch.next(session_id, "user_message"), watch.next(session_id, "became_idle")
        began = time.perf_counter()
        await poster.post(f"/sessions/{session_id}/messages", {"text": steps(number)})
        firsts.append((await first - began) * 1000)
        await over

    async def talk(session_id: str) -> None:
        for _ in range(turns):
            await turn(session_id, _STEPS)

    made = [await poster.post("/sessions", {"token_limit": TOKENS, "title": "b"}) for _ in range(_SESSIONS)]
    sessions = [str(one["id"]) for one in made]
    async with asyncio.timeout(_PATIENCE_S):
        await asyncio.gather(*(turn(session_id, 1) for session_id in sessions))
        firsts.clear()
        watch.stored_at.clear()
        async with Lag(told.postgres_dsn) as lag:
            cpu, began = cpu_ms(stack.pid), time.perf_counter()
            await asyncio.gather(*(talk(session_id) for session_id in sessions))
            took, spent = time.perf_counter() - began, cpu_ms(stack.pid) - cpu
            await lag.until(max(watch.stored_at))
        found = weights(stack.pid)
    number = _SESSIONS * turns * _STEPS
    return Run(
        steps_per_s=number / took,
        cpu_per_step=spent / number,
        rss=sum(one.rss for one in found),
        pss=sum(one.pss for one in found),
        lag_p99=percentile(lag.behind(watch.stored_at), 0.99),
        first_event_p99=percentile(firsts, 0.99),
    )


@asynccontextmanager
async def _watching(stack: Stack) -> AsyncIterator[tuple[_Watch, Poster]]:
    address = Address.of(stack.url, stack.token)
    watch, poster = _Watch(), Poster(address)
    following = asyncio.create_task(watch.run(address))
    try:
        yield watch, poster
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError, OSError):
            await following
        poster.close()
