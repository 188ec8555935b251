"""The sandbox over 5,000 calls, every tenth hostile: the next answers within 2 s, memory stays flat."""

import time
from pathlib import Path

import psutil
import pytest

from tool_runner.sandbox.limits import MIB, RunLimits
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.soak

CALLS = 5_000
NEXT_S = 2.0
HOSTILE = [
    "for (;;);",
    "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "for (;;) Array.from({ length: 1e5 }, (_, i) => -i).sort()",
    "const a = []; for (;;) a.push(new Array(1000).fill(1))",
    "function f() { return f() + 1 } f()",
    "for (;;) console.log('x'.repeat(1000))",
    "for (;;) await null",
    "return 'x'.repeat(5e6)",
    "throw { get message() { for (;;); } }",
    "for (;;) globalThis['g' + Math.random()] = new Array(100).fill({})",
]


async def test_hostile_code_leaves_no_trace(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "sandbox", workers=1)
    try:
        await calls(sandbox, 500)
        before = resident()
        slowest = await calls(sandbox, CALLS)
        after = resident()
    finally:
        await sandbox.close()
    assert slowest < NEXT_S
    assert after - before < 32 * MIB


async def calls(sandbox: Sandbox, count: int) -> float:
    """The slowest answer after a hostile call, in seconds."""
    slowest = 0.0
    for number in range(count):
        if number % 10 == 0:
            code = HOSTILE[number // 10 % len(HOSTILE)]
            outcome = await sandbox.run(SandboxProgram(code, limits=RunLimits(cpu_s=0.05, memory=48 * MIB)))
            assert outcome.error is not None
            began = time.perf_counter()
        assert (await sandbox.run(SandboxProgram(f"return {number}"))).value == number
        if number % 10 == 0:
            slowest = max(slowest, time.perf_counter() - began)
    return slowest


def resident() -> int:
    """Bytes of memory of this process and its worker."""
    processes = [psutil.Process(), *psutil.Process().children()]
    return sum(process.memory_info().rss for process in processes)
