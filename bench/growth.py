"""Whether a step costs the same however many came before it: in time, processor time and bytes on disk."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
import msgspec
from nats.aio.msg import Msg

from agent_contracts.log.subjects import LOG_STREAM, SNAPSHOTS_BUCKET
from bench.processor_time import cpu_ms
from bench.sampling import median
from bench.script import KILOBYTE, steps
from bench.stage import Stage
from bench.table import Figure, at_most

GROUP = "growth"
_STEPS = 20
_SHOWS_AFTER = 1_000
"""Steps: in fewer, the two halves have too few snapshots to be compared."""


class _Cost(msgspec.Struct, frozen=True):
    """Of a step, as a turn's steps took it: milliseconds, and bytes that the log and snapshots took."""

    took: float
    processor: float
    log: float
    snapshots: float


class _Written:
    """Counts the bytes of what is saved."""

    def __init__(self) -> None:
        self.bytes = 0

    async def saw(self, message: Msg) -> None:
        """One more write."""
        self.bytes += len(message.data)


async def measure(stage: Stage, *, turns: int) -> list[Figure]:
    """One session of so many turns of 20 steps each: the last tenth of its steps against its first."""
    session_id = await stage.new_session()
    await stage.turn(session_id, "warm up")
    costs: list[_Cost] = []
    async with _watched(stage) as written:
        for _ in range(turns):
            costs.append(await _turn(stage, session_id, written))
    of_server = [await _bare(stage, _STEPS * number) for number in (1, turns)]
    kept = Figure(GROUP, "snapshot bytes kept, a step", await _kept(stage) / (turns * _STEPS), "B")
    return [*_figures(costs, of_server), kept]


def _figures(costs: Sequence[_Cost], of_server: Sequence[float]) -> list[Figure]:
    tenth, half = max(2, len(costs) // 10), len(costs) // 2
    early, late = costs[:tenth], costs[-tenth:]
    note = f"the last {tenth * _STEPS} of {len(costs) * _STEPS:,} steps against the first; flat is 1"
    first, last = _median(early, "took") - of_server[0], _median(late, "took") - of_server[1]
    halves = [sum(cost.snapshots for cost in part) for part in (costs[:half], costs[-half:])]

    def ratio(what: str, field: str, most: float) -> Figure:
        value = _median(late, field) / _median(early, field)
        return Figure(GROUP, f"{what}, late against early", value, "x", at_most(most), note)

    return [
        Figure(
            GROUP,
            "step, late against early",
            last / first,
            "x",
            at_most(1.2),
            "without what the bare request takes the scripted server",
        ),
        ratio("processor time of a step", "processor", 1.2),
        ratio("log bytes of a step", "log", 1.05),
        Figure(GROUP, "processor time of a step, early", _median(early, "processor"), "ms"),
        Figure(
            GROUP,
            "snapshot bytes written, second half against first",
            halves[1] / max(1.0, halves[0]),
            "x",
            at_most(1.2) if len(costs) * _STEPS >= _SHOWS_AFTER else None,
            "flat is 1; pieces are put together about every 400 steps",
        ),
        Figure(GROUP, "snapshot bytes written, a step", sum(halves) / (2 * half), "B"),
    ]


async def _turn(stage: Stage, session_id: str, written: _Written) -> _Cost:
    log, saved = await _log_bytes(stage), written.bytes
    processor, began = cpu_ms(stage.stack.pid), time.perf_counter()
    await stage.turn(session_id, steps(_STEPS))
    took, spent = time.perf_counter() - began, cpu_ms(stage.stack.pid) - processor
    return _Cost(
        took * 1000 / _STEPS,
        spent / _STEPS,
        (await _log_bytes(stage) - log) / _STEPS,
        (written.bytes - saved) / _STEPS,
    )


async def _bare(stage: Stage, number: int) -> float:
    """Milliseconds for a request of so many steps, sent to the scripted server by nobody in particular."""
    step = [{"role": "assistant", "content": KILOBYTE}, {"role": "user", "content": KILOBYTE}]
    body = msgspec.json.encode({"model": "bench", "stream": True, "messages": step * number})
    took: list[float] = []
    async with httpx.AsyncClient(timeout=60) as client:
        for _ in range(10):
            began = time.perf_counter()
            await client.post(f"{stage.model_url}/chat/completions", content=body)
            took.append((time.perf_counter() - began) * 1000)
    return median(took)


@asynccontextmanager
async def _watched(stage: Stage) -> AsyncIterator[_Written]:
    written = _Written()
    subscription = await stage.admin.subscribe(f"$KV.{SNAPSHOTS_BUCKET}.>", cb=written.saw)
    try:
        yield written
    finally:
        await subscription.unsubscribe()


async def _log_bytes(stage: Stage) -> int:
    return int((await stage.log.stream_info(LOG_STREAM)).state.bytes)


async def _kept(stage: Stage) -> int:
    return int((await stage.log.stream_info(f"KV_{SNAPSHOTS_BUCKET}")).state.bytes)


def _median(costs: Sequence[_Cost], field: str) -> float:
    return median([getattr(cost, field) for cost in costs])
