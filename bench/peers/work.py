"""The workload that every peer does, and how a driver is told to do it.

A session is some steps, one after another. A step is a model's answer and a tool's result, about a kilobyte
each, both durable before what follows. Whoever drives a runtime is a process that reads orders as JSON lines
and answers each with one.
"""

import asyncio
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

_TEXT = ("plan read write test build check merge value error index cache queue event state retry " * 12)[
    :1000
]
DIE_AT = "PEERS_DIE_AT"
"""Environment: at this step (from 0) of any session the process ends at once, as if it were killed."""


class Work:
    """The stubs, and when each was called."""

    def __init__(self) -> None:
        self.starts: dict[str, list[float]] = defaultdict(list)
        self.end: dict[str, float] = {}
        self._die_at = int(os.environ.get(DIE_AT, "-1"))

    def model(self, sid: str, i: int) -> str:
        """What the model says in step `i`."""
        self.starts[sid].append(time.perf_counter())
        if i == self._die_at:
            os._exit(9)
        return f"{sid} {i} {_TEXT}"

    def tool(self, sid: str, i: int) -> str:
        """What the tool says in step `i`, JSON."""
        return json.dumps({"sid": sid, "i": i, "out": _TEXT})

    def done(self, sid: str) -> None:
        """The last step is done."""
        self.end.setdefault(sid, time.perf_counter())

    def steps_ms(self, sid: str, end: float) -> list[float]:
        """How long each step of the session took: until the next began, the last one until `end`."""
        marks = [*self.starts[sid], end]
        return [(later - earlier) * 1000 for earlier, later in pairwise(marks)]


WORK = Work()


class Driver:
    """How a runtime is driven. `run` returns when the session's last step is durable; `resume` opens, too."""

    _is_open = False

    async def open(self) -> None:
        """Connect."""

    async def open_once(self) -> None:
        """The same, if that wasn't done."""
        if not self._is_open:
            self._is_open = True
            await self.open()

    async def op_run(self, sid: str, steps: int) -> dict[str, Any]:
        """A session, and how long each of its steps took."""
        await self.run(sid, steps)
        return {"step_ms": WORK.steps_ms(sid, WORK.end[sid])}

    async def run(self, sid: str, steps: int) -> None:
        """A new session from its first step to its last."""
        raise NotImplementedError

    async def resume(self, sid: str, steps: int) -> None:
        """What a process that died left of a session."""
        raise NotImplementedError

    async def fork(self, sid: str, at: int) -> float:
        """A new session that goes on from where `sid` was after `at` steps: the milliseconds until it could.

        To find that place in the history doesn't count: who forks has it before their eyes.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Let go."""


async def _obey(driver: Driver, order: dict[str, Any]) -> dict[str, Any]:
    began = time.perf_counter()
    match order:
        case {"op": "run", "sid": str(sid), "steps": int(steps)}:
            await driver.open_once()
            return await driver.op_run(sid, steps)
        case {"op": "many", "name": str(name), "sessions": int(sessions), "steps": int(steps)}:
            await driver.open_once()
            began = time.perf_counter()
            await asyncio.gather(*(driver.run(f"{name}{n}", steps) for n in range(sessions)))
        case {"op": "resume", "sid": str(sid), "steps": int(steps)}:
            await driver.resume(sid, steps)
        case {"op": "fork", "sid": str(sid), "at": int(at)}:
            await driver.open_once()
            return {"ms": await driver.fork(sid, at)}
        case _:
            raise ValueError(f"not an order: {order}")
    return {"ms": (time.perf_counter() - began) * 1000}


async def _serve(driver: Driver) -> None:
    print(json.dumps({"ready": True}), flush=True)
    try:
        while line := await asyncio.to_thread(sys.stdin.readline):
            try:
                answer = await _obey(driver, json.loads(line))
            except NotImplementedError:
                answer = {"error": "not written"}
            print(json.dumps(answer), flush=True)
    finally:
        if driver._is_open:
            await driver.close()


def serve(driver: Driver, run: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run) -> None:
    """Obey until the input ends, in the event loop that the runtime is meant for."""
    run(_serve(driver))
