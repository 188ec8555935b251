"""How much memory a program may have: measured by programs that take it."""

import pytest

from tool_runner.sandbox.limits import MIB, RunLimits
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

TAKES = "const a = []; for (let i = 0; i < args.mb; i++) a.push(new Uint8Array(1e6).fill(i)); return a.length"


@pytest.mark.parametrize(("allowed", "fits", "too_much"), [(64, 20, 80), (128, 60, 160), (1_000, 60, 160)])
async def test_a_program_gets_what_it_may_have_and_no_more(
    sandbox: Sandbox, allowed: int, fits: int, too_much: int
) -> None:
    limits = RunLimits(memory=allowed * MIB)
    assert (await sandbox.run(SandboxProgram(TAKES, {"mb": fits}, limits=limits))).value == fits
    outcome = await sandbox.run(SandboxProgram(TAKES, {"mb": too_much}, limits=limits))
    assert outcome.error is not None
    assert outcome.error.kind == "memory"
    assert (await sandbox.run(SandboxProgram("return 1"))).value == 1, "the next one is well"
