"""Running code for a tool call: what it sees, and what the model is told when it fails.

A call runs with the code, its own and that of the functions and libraries it uses, as of the event that asked
for it; what it reads of state, database, skills and notepad is as of now.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from agent_contracts.entities.definitions import NamedDefinition, ToolDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.kinds.library import LIBRARY
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.validation import InvalidArguments, parse_arguments
from tool_runner.agent.egress import SecretsForCode
from tool_runner.code.host import HostParts, SharedRunState, ToolHost
from tool_runner.code.own_tools import require_enabled, runnable
from tool_runner.code.redacted_host import RedactedHost, redacted
from tool_runner.sandbox.host import HostCallFailed
from tool_runner.sandbox.limits import RunLimits
from tool_runner.sandbox.memory import Holder
from tool_runner.sandbox.outcome import CodeError, FailureKind, LogLine, ProgramOutcome
from tool_runner.sandbox.problems import CodeForm, CodeProblem
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

_KINDS: Mapping[FailureKind, ErrorKind] = {
    FailureKind.SYNTAX: ErrorKind.INVALID_ARGUMENTS,
    FailureKind.CPU_TIME: ErrorKind.TIMEOUT,
    FailureKind.WALL_TIME: ErrorKind.TIMEOUT,
    FailureKind.KILLED: ErrorKind.TIMEOUT,
    FailureKind.MEMORY: ErrorKind.TOO_LARGE,
    FailureKind.NO_MEMORY: ErrorKind.TIMEOUT,
    FailureKind.RESULT_SIZE: ErrorKind.TOO_LARGE,
    FailureKind.LOGS: ErrorKind.TOO_LARGE,
    FailureKind.ARGUMENT_SIZE: ErrorKind.TOO_LARGE,
    FailureKind.TRAP: ErrorKind.INTERNAL,
    FailureKind.WORKER_DIED: ErrorKind.OUTCOME_UNKNOWN,
}
"""Of the closed list, what each failure is to the model; `rejected` is any that is not here."""
DEEPEST_CALL = 8
"""How many functions may be in hand at once, each called by the one before it."""
_MOST_LOGS = 200
_LONGEST = 4_000


@dataclass(frozen=True)
class CodeRuns:
    """The port that runs code in the name of one call, with all that the call may ask for. The randomness of
    a run is the call's own."""

    call: CallContext
    sandbox: Sandbox
    definitions: AgentDefinitions
    secrets: SecretsForCode
    clock: Clock
    parts: HostParts

    async def run(self, code: str, args: Json, file: str) -> ProgramOutcome:
        """How the code ended. Raises `NotStarted` where no sandbox can be started."""
        return await self._run(
            SandboxProgram(code, args, file=file), SharedRunState(), Holder(self.call.agent_id), depth=0
        )

    async def rehearse(self, code: str, args: Json, file: str, limits: RunLimits) -> ProgramOutcome:
        """The same, but nothing is sent or written: what the code asks for to do so fails. Its log is not
        the call's."""
        said = list(self.call.said)
        try:
            program = SandboxProgram(code, args, limits=limits, file=file)
            return await self._run(
                program, SharedRunState(rehearsal=True), Holder(self.call.agent_id), depth=0
            )
        finally:
            self.call.said[:] = said

    async def _run(
        self, wanted: SandboxProgram, shared: SharedRunState, holder: Holder, depth: int
    ) -> ProgramOutcome:
        secrets = await self.secrets.secrets_for_code()
        digest = hashlib.sha256(self.call.idempotency_key.encode()).digest()
        program = msgspec.structs.replace(
            wanted,
            secrets=dict(secrets.given),
            clock=self.clock.now(),
            seed=int.from_bytes(digest[:8], "little") ^ depth,
        )

        async def function(name: str, given: dict[str, Json]) -> Json:
            return await self._called(name, given, shared, Holder(holder.agent, holder), depth + 1)

        host = RedactedHost(ToolHost(self.parts, function, shared), secrets.redaction)
        libraries = _Libraries(self.definitions, self.call.code_at)
        outcome = redacted(await self.sandbox.run(program, host, libraries, holder=holder), secrets.redaction)
        prefix = f"{wanted.file}: " if depth else ""
        self.call.said.extend(f"{prefix}{line}" for line in _told(outcome.logs))
        del self.call.said[:-_MOST_LOGS]
        return outcome

    async def _called(
        self, name: str, args: dict[str, Json], shared: SharedRunState, holder: Holder, depth: int
    ) -> Json:
        """What a function returns to the code that called it; what it throws, that code sees thrown."""
        if depth > DEEPEST_CALL:
            message = f"functions call each other more than {DEEPEST_CALL} deep"
            raise HostCallFailed(message, name="CallDepthError", code="call_depth")
        found = await self.definitions.read(FUNCTION, name, up_to=self.call.code_at)
        require_enabled(found, FUNCTION.noun)
        try:
            parse_arguments(runnable(found), args)
        except InvalidArguments as error:
            raise HostCallFailed(error.error.message, name="TypeError", code=error.error.kind) from error
        program = SandboxProgram(found.value.code, args, file=f"{name}.js")
        outcome = await self._run(program, shared, holder, depth)
        if outcome.error is not None:
            told = failed(outcome.error, ())
            raise HostCallFailed(f"{name}: {told.message}", name=outcome.error.name, code=outcome.error.kind)
        return outcome.value


class SandboxCodeRunner:
    """A `CodeRunner`: tools and functions run in the sandbox, called as they are named."""

    def __init__(self, runs: CodeRuns) -> None:
        self._runs = runs

    async def run(self, made: NamedDefinition[ToolDefinition], args: dict[str, Json]) -> Json:
        """See `CodeRunner`. Raises `NotStarted` as `CodeRuns.run`."""
        outcome = await self._runs.run(made.value.code, args, f"{made.name}.js")
        if outcome.error is not None:
            raise failed(outcome.error, outcome.logs)
        return outcome.value


def lines_of(logs: tuple[LogLine, ...]) -> list[str]:
    """The log as texts; warnings and errors say so."""
    return [line.text if line.level == "log" else f"{line.level}: {line.text}" for line in logs]


def failed(error: CodeError, logs: tuple[LogLine, ...]) -> Rejected:
    """The failure of a run, for the model to act on."""
    where = f" (line {error.line}, column {error.column})" if error.line else ""
    told = msgspec.to_builtins(error)
    told["stack"] = error.stack[:_LONGEST]
    told["message"] = error.message[:_LONGEST]
    told["logs"] = _told(logs)
    return Rejected(
        f"{error.name}: {error.message[:_LONGEST]}{where}",
        kind=_KINDS.get(error.kind, ErrorKind.REJECTED),
        path="/code" if error.kind is FailureKind.SYNTAX else None,
        details=told,
    )


def _told(logs: tuple[LogLine, ...]) -> list[str]:
    return [line[:_LONGEST] for line in lines_of(logs)[-_MOST_LOGS:]]


class SandboxCodeCheck:
    """Asks the engine that will run the code; of pages, a parser that runs in it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def problem(self, code: str, form: CodeForm) -> CodeProblem | None:
        """See `CodeCheck`. Raises `NotStarted` where no sandbox can be started."""
        if form == "component":
            return await self._sandbox.problem_with_component(code)
        found = await self._sandbox.problem_with(code, form)
        if found is None:
            return None
        return CodeProblem(f"{found.name}: {found.message}", found.line or 1, found.column or 1)


class _Libraries:
    """The agent's libraries, as they were at an event: when the call was asked for."""

    def __init__(self, definitions: AgentDefinitions, at: int) -> None:
        self._definitions = definitions
        self._at = at

    async def code_of(self, name: str) -> str | None:
        """See `LibrarySource`."""
        try:
            found = await self._definitions.read(LIBRARY, name, up_to=self._at)
        except Rejected:
            return None
        return found.value.code
