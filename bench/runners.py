"""Tools that compute, on one runner process and on two."""

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench.script import burns
from bench.stage import Stage, stage
from bench.table import Figure, at_least

GROUP = "runners"
_SESSIONS = 8
_BURN_MS = 200
_STOP_S = 10


async def measure(folder: Path, *, turns: int) -> list[Figure]:
    """Eight sessions whose tools only compute, in rounds: with one runner, with two, with one."""
    async with stage(folder, processes=True, burning=(_BURN_MS,)) as running:
        before = await _calls_per_second(running, turns)
        with _second_runner(running):
            await asyncio.sleep(2)  # until it pulls
            two = await _calls_per_second(running, turns)
        after = await _calls_per_second(running, turns)
    one = (before + after) / 2
    note = f"{_SESSIONS} sessions, {_BURN_MS} ms of processor time a call"
    return [
        Figure(GROUP, "computing calls/s, 1 runner", one, "1/s", note=note),
        Figure(GROUP, "computing calls/s, 2 runners", two, "1/s"),
        Figure(GROUP, "2 runners against 1", two / one, "x", at_least(1.5)),
    ]


async def _calls_per_second(running: Stage, turns: int) -> float:
    sessions = [await running.new_session() for _ in range(_SESSIONS)]

    async def talk(session_id: str) -> None:
        for _ in range(turns):
            await running.turn(session_id, burns(_BURN_MS))

    began = time.perf_counter()
    await asyncio.gather(*(talk(session_id) for session_id in sessions))
    return _SESSIONS * turns / (time.perf_counter() - began)


@contextmanager
def _second_runner(running: Stage) -> Iterator[None]:
    """Another process with the first one's settings."""
    [first] = running.stack.pids("runner")
    environment = psutil.Process(first).environ()
    environment.pop("FOLDLINE_PARENT_PID", None)
    command = [sys.executable, "-m", "foldline", "serve", "runner"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_S)
        if process.poll() is None:
            process.kill()
            process.wait()
