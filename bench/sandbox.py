"""The sandbox by itself: what a call costs its worker, how workers add up, host calls, libraries."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from agent_contracts.json_value import Json
from bench.sampling import median, percentile
from bench.table import Figure, at_least, at_most
from tool_runner.sandbox.compiled import compile_once
from tool_runner.sandbox.engine import Guest
from tool_runner.sandbox.guest import read
from tool_runner.sandbox.host import HostTable
from tool_runner.sandbox.instance import Instance
from tool_runner.sandbox.limits import RunLimits
from tool_runner.sandbox.memory import Holder
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

GROUP = "sandbox"
_TRIVIAL = SandboxProgram("return args.a + 1", {"a": 1})
_COMPUTING = SandboxProgram("let n = 0; for (let i = 0; i < 1e6; i++) n = (n * 31 + i) % 1000003; return n")
_SHORT = SandboxProgram("let n = 0; for (let i = 0; i < 2e5; i++) n = (n * 31 + i) % 1000003; return n")
_LARGE = SandboxProgram(
    "const a = []; for (let i = 0; i < 100; i++) a.push(new Uint8Array(1e6).fill(i)); return 1"
)
_CALLS = SandboxProgram("for (let i = 0; i < 20; i++) await state.get(i)")
_MEGABYTE = HostTable({"state.get": lambda _: _megabyte()})
_FIFTY = SandboxProgram(
    "return (await Promise.all(Array.from({ length: 50 }, (_, i) => state.get(i)))).length"
)


_PAYLOAD = b'{"libraries":{},"code":"return args.a + 1","file":"f","args":{"a":1},"limits":{},"form":"body"}'
_ROUNDS = 5
"""How often a figure and its floor are taken in turn: a machine's speed changes from second to second."""


class _Shelf:
    """One large library: the TypeScript stripper, 200 KB. Read anew each time, as from the log."""

    def __init__(self) -> None:
        self._source = read("typescript.js")

    async def code_of(self, name: str) -> str | None:
        return self._source.decode() if name == "large" else None


async def measure(folder: Path, *, calls: int) -> list[Figure]:
    """In worker processes of their own; the guest is compiled before anything is timed."""
    one, two = Sandbox(folder, workers=1), Sandbox(folder, workers=2)
    try:
        for sandbox in (one, two):
            await sandbox.run(_TRIVIAL)
        trivial = await _trivial(one, Guest(compile_once(folder)), calls)
        busy = await _at_once(one, calls)
        ratio = median([await _computing(one) / await _computing(two) for _ in range(5)])
        fifty = await _fifty(one)
        large = await _large(one)
        beside = await _beside_a_burst(two, _SHORT, _LARGE)
        long = await _beside_a_burst(two, _COMPUTING, _SHORT)
        calling = await _beside_a_burst(two, _SHORT, _CALLS)
    finally:
        await one.close()
        await two.close()
    return [
        *trivial,
        busy,
        Figure(
            GROUP, "2 workers against 1", ratio, "x", at_least(1.8), "16 runs of about 50 ms of computing"
        ),
        Figure(
            GROUP,
            "another agent's call beside a burst",
            beside,
            "x",
            at_most(2),
            "p50 of 10 ms of computing, while 100 runs of one agent want 100 MB each, against none",
        ),
        Figure(
            GROUP,
            "another agent's longer call beside a burst",
            long,
            "x",
            at_most(2),
            "p50 of 50 ms of computing, while 100 runs of one agent compute for 10 ms each",
        ),
        Figure(
            GROUP,
            "another agent's call beside host calls",
            calling,
            "x",
            at_most(2),
            "p50 of 10 ms of computing, while 100 runs of one agent ask for 20 MB each, a megabyte at a time",
        ),
        Figure(GROUP, "50 host calls of 10 ms at a time", fifty, "ms", at_most(25), "one run, p50"),
        Figure(
            GROUP, "require of a library of 200 KB", large, "ms", at_most(2), "p50, beyond a trivial call"
        ),
    ]


async def _trivial(sandbox: Sandbox, guest: Guest, calls: int) -> list[Figure]:
    worker = _worker()
    took: list[float] = []
    cost = floor = 0.0
    for _ in range(_ROUNDS):
        before = time.process_time()
        for _ in range(calls // _ROUNDS):
            _bare(guest)
        floor += time.process_time() - before
        before = sum(worker.cpu_times()[:2])
        for _ in range(calls // _ROUNDS):
            began = time.perf_counter()
            await sandbox.run(_TRIVIAL)
            took.append((time.perf_counter() - began) * 1000)
        cost += sum(worker.cpu_times()[:2]) - before
    made = calls // _ROUNDS * _ROUNDS
    note = "CPU time of the worker a call: fresh instance, compile, run, throw away"
    bare = "the same instance and code, driven directly: no worker, no messages, no limits of time"
    return [
        Figure(GROUP, "trivial call in the worker", cost / made * 1000, "ms", at_most(0.5), note),
        Figure(GROUP, "floor: the guest alone", floor / made * 1000, "ms", note=bare),
        Figure(GROUP, "trivial call against that floor", cost / floor, "x", note="CPU time, taken in turn"),
        Figure(GROUP, "trivial call from the runner p50", median(took), "ms", note="one after another"),
    ]


async def _megabyte() -> Json:
    return "x" * 1_000_000


async def _beside_a_burst(sandbox: Sandbox, program: SandboxProgram, of: SandboxProgram) -> float:
    """How many times as long a program takes another agent while 100 runs of one are under way."""

    async def others(until: Callable[[], bool]) -> list[float]:
        took: list[float] = []
        while not until():
            began = time.perf_counter()
            outcome = await sandbox.run(program, holder=Holder("other"))
            assert outcome.error is None, outcome.error
            took.append(time.perf_counter() - began)
        return took

    quiet_until = time.perf_counter() + 2
    quiet = await others(lambda: time.perf_counter() > quiet_until)
    burst = asyncio.gather(*(sandbox.run(of, _MEGABYTE, holder=Holder("burst")) for _ in range(100)))
    beside = await others(burst.done)
    await burst
    return median(beside) / median(quiet)


def _bare(guest: Guest) -> None:
    limits = RunLimits()
    instance = Instance(guest, limits.memory, limits.heap, 1)
    call = instance.begin("box_start", _PAYLOAD, 1)
    assert call is not None
    while not call.poll():
        pass
    call.result()
    assert instance.frames() == [b'["r",2]']
    instance.close()


async def _at_once(sandbox: Sandbox, calls: int) -> Figure:
    took: list[float] = []

    async def caller() -> None:
        for _ in range(calls // 16):
            began = time.perf_counter()
            await sandbox.run(_TRIVIAL)
            took.append((time.perf_counter() - began) * 1000)

    await asyncio.gather(*(caller() for _ in range(16)))
    return Figure(
        GROUP,
        "trivial call p99, 16 callers",
        percentile(took, 0.99),
        "ms",
        note="one worker, from the runner",
    )


def _worker() -> psutil.Process:
    """The first worker that this process started: the one of the sandbox with one."""
    workers = [
        child for child in psutil.Process().children() if "tool_runner.sandbox.worker" in child.cmdline()
    ]
    return min(workers, key=lambda process: process.create_time())


async def _computing(sandbox: Sandbox) -> float:
    began = time.perf_counter()
    await asyncio.gather(*(sandbox.run(_COMPUTING) for _ in range(16)))
    return time.perf_counter() - began


async def _fifty(sandbox: Sandbox) -> float:
    async def wait(_: list[Json]) -> Json:
        await asyncio.sleep(0.01)
        return 1

    host = HostTable({"state.get": wait})
    took: list[float] = []
    for _ in range(20):
        began = time.perf_counter()
        assert (await sandbox.run(_FIFTY, host)).value == 50
        took.append((time.perf_counter() - began) * 1000)
    return median(took)


async def _large(sandbox: Sandbox) -> float:
    requiring, shelf = SandboxProgram("return typeof require('large').strip"), _Shelf()
    plain: list[float] = []
    with_library: list[float] = []
    for _ in range(20):
        for program, into in ((_TRIVIAL, plain), (requiring, with_library)):
            began = time.perf_counter()
            assert (await sandbox.run(program, libraries=shelf)).error is None
            into.append((time.perf_counter() - began) * 1000)
    return median(with_library) - median(plain)
