"""What code logs is told to whoever tries it: the newest lines, and none of its rehearsals."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from agent_contracts.ids import AgentId, CallId
from agent_platform.process.clock import SystemClock
from agent_tools.context import CallContext
from agent_tools.running.contexts import context_of_page
from egress.redaction import Redaction
from tool_runner.agent.egress import CodeSecrets
from tool_runner.code.host import HostParts
from tool_runner.code.runs import CodeRuns
from tool_runner.sandbox.limits import RunLimits
from tool_runner.sandbox.outcome import CodeError, FailureKind, LogLine, ProgramOutcome
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox


@dataclass
class Logging:
    """A `Sandbox` in which code logs the lines that it is; with `fails`, it breaks."""

    fails: BaseException | None = None
    ran: list[SandboxProgram] = field(default_factory=list)

    async def run(self, program: SandboxProgram, *_: Any, **__: Any) -> ProgramOutcome:
        self.ran.append(program)
        if self.fails is not None:
            raise self.fails
        lines = tuple(LogLine("log", line) for line in program.code.split("\n"))
        return ProgramOutcome(error=CodeError(FailureKind.EXCEPTION, "Error", "no"), logs=lines)


class NoSecrets:
    async def secrets_for_code(self) -> CodeSecrets:
        return CodeSecrets({}, Redaction({}))


def runs(sandbox: Logging) -> tuple[CodeRuns, CallContext]:
    call = context_of_page(AgentId("a"), CallId("c_1"), 1, "probe")
    made = CodeRuns(
        call,
        cast("Sandbox", sandbox),
        cast("Any", None),
        NoSecrets(),
        SystemClock(),
        cast("HostParts", None),
    )
    return made, call


@pytest.fixture(autouse=True)
def without_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tool_runner.code.runs.ToolHost", lambda *_: None)


async def test_the_newest_two_hundred_lines_of_a_call_are_kept() -> None:
    code, call = runs(Logging())
    await code.run("\n".join(f"a{n}" for n in range(150)), {}, "tool.js")
    await code.run("\n".join(f"b{n}" for n in range(150)), {}, "tool.js")
    assert call.said == [f"a{n}" for n in range(100, 150)] + [f"b{n}" for n in range(150)]
    await code.run("\n".join(f"c{n}" for n in range(900)), {}, "tool.js")
    assert call.said == [f"c{n}" for n in range(700, 900)]


async def test_a_line_is_cut_and_a_list_is_always_the_same_one() -> None:
    """Whoever holds it sees what comes."""
    code, call = runs(Logging())
    said = call.said
    await code.run("x" * 5_000, {}, "tool.js")
    assert said is call.said
    assert said == ["x" * 4_000]


@pytest.mark.parametrize("fails", [None, RuntimeError("a bug"), asyncio.CancelledError()])
async def test_a_rehearsal_leaves_the_log_as_it_was_however_it_ends(fails: BaseException | None) -> None:
    sandbox = Logging()
    code, call = runs(sandbox)
    await code.run("before", {}, "tool.js")
    sandbox.fails = fails
    limits = RunLimits(memory=1)
    if fails is None:
        await code.rehearse("of an example", {}, "tool.js", limits)
    else:
        with pytest.raises(type(fails)):
            await code.rehearse("of an example", {}, "tool.js", limits)
    assert call.said == ["before"]
    assert [one.limits == limits for one in sandbox.ran] == [False, True]
