"""Running code for a tool call: what it sees, and what the model is told when it fails."""

import hashlib
from collections.abc import Mapping

import msgspec

from agent_contracts.definitions import LIBRARY
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from tool_runner.code_check import CodeForm, CodeProblem
from tool_runner.code_host import ToolHost
from tool_runner.context import ToolContext
from tool_runner.sandbox.outcome import CodeError, FailureKind, LogLine, Outcome
from tool_runner.sandbox.program import Program
from tool_runner.sandbox.sandbox import Sandbox

_KINDS: Mapping[FailureKind, ErrorKind] = {
    FailureKind.SYNTAX: ErrorKind.INVALID_ARGUMENTS,
    FailureKind.CPU_TIME: ErrorKind.TIMEOUT,
    FailureKind.WALL_TIME: ErrorKind.TIMEOUT,
    FailureKind.KILLED: ErrorKind.TIMEOUT,
    FailureKind.MEMORY: ErrorKind.TOO_LARGE,
    FailureKind.RESULT_SIZE: ErrorKind.TOO_LARGE,
    FailureKind.LOGS: ErrorKind.TOO_LARGE,
    FailureKind.ARGUMENT_SIZE: ErrorKind.TOO_LARGE,
    FailureKind.TRAP: ErrorKind.INTERNAL,
    FailureKind.WORKER_DIED: ErrorKind.OUTCOME_UNKNOWN,
}
"""Of the closed list, what each failure is to the model; `rejected` is any that is not here."""
_MOST_LOGS = 200
_LONGEST = 4_000


async def run_code(ctx: ToolContext, code: str, args: Json, file: str) -> Outcome:
    """Run code with all that the call may ask for. Its randomness is the call's own.

    Raises `Transient` where no sandbox can be had."""
    digest = hashlib.sha256(ctx.idempotency_key.encode()).digest()
    program = Program(
        code,
        args,
        secrets=await ctx.egress.secrets_for_code(),
        clock=ctx.clock.now(),
        seed=int.from_bytes(digest[:8], "little"),
        file=file,
    )
    return await ctx.sandbox.run(program, ToolHost(ctx), _Libraries(ctx))


def lines_of(logs: tuple[LogLine, ...]) -> list[str]:
    """The log as texts; warnings and errors say so."""
    return [line.text if line.level == "log" else f"{line.level}: {line.text}" for line in logs]


def failed(error: CodeError, logs: tuple[LogLine, ...]) -> Rejected:
    """The failure of a run, for the model to act on."""
    where = f" (line {error.line}, column {error.column})" if error.line else ""
    told = msgspec.to_builtins(error)
    told["stack"] = error.stack[:_LONGEST]
    told["message"] = error.message[:_LONGEST]
    told["logs"] = [line[:_LONGEST] for line in lines_of(logs)[-_MOST_LOGS:]]
    return Rejected(
        f"{error.name}: {error.message[:_LONGEST]}{where}",
        kind=_KINDS.get(error.kind, ErrorKind.REJECTED),
        path="/code" if error.kind is FailureKind.SYNTAX else None,
        details=told,
    )


class SandboxCodeRunner:
    """Runs the code of an agent's own tools."""

    async def run(self, code: str, args: dict[str, Json], ctx: ToolContext) -> Json:
        """See `CodeRunner`. What the code logs is told only with a failure."""
        outcome = await run_code(ctx, code, args, "tool.js")
        if outcome.error is not None:
            raise failed(outcome.error, outcome.logs)
        return outcome.value


class SandboxCodeCheck:
    """Asks the engine that will run the code."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def problem(self, code: str, form: CodeForm) -> CodeProblem | None:
        """See `CodeCheck`. Raises `Transient` where no sandbox can be had."""
        found = await self._sandbox.problem_with(code, form)
        if found is None:
            return None
        return CodeProblem(f"{found.name}: {found.message}", found.line or 1, found.column or 1)


class _Libraries:
    """The agent's libraries, as they are now."""

    def __init__(self, ctx: ToolContext) -> None:
        self._ctx = ctx

    async def code_of(self, name: str) -> str | None:
        """See `Libraries`."""
        try:
            return (await self._ctx.definitions.read(LIBRARY, name)).value.code
        except Rejected:
            return None
