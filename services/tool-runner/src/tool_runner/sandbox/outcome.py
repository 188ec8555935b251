"""How a run ended."""

from enum import StrEnum

import msgspec

from agent_contracts.json_value import Json
from tool_runner.sandbox.limits import RunLimits


class FailureKind(StrEnum):
    """Why a run has no result. Every limit has one of its own."""

    EXCEPTION = "exception"
    """The code threw and did not catch."""
    SYNTAX = "syntax"
    """The code doesn't parse; it did not run."""
    CPU_TIME = "cpu_time"
    WALL_TIME = "wall_time"
    KILLED = "killed"
    """A time limit was up and the code could not be stopped by an exception, as in a long native loop."""
    MEMORY = "memory"
    NO_MEMORY = "no_memory"
    """The runner had no memory left for it, or for more of it."""
    STACK = "stack"
    RESULT_SIZE = "result_size"
    LOGS = "logs"
    PENDING_CALLS = "pending_calls"
    ARGUMENT_SIZE = "argument_size"
    CALL_QUOTA = "call_quota"
    TIMER = "timer"
    REQUIRE_DEPTH = "require_depth"
    REQUIRE_CYCLE = "require_cycle"
    MODULE_NOT_FOUND = "module_not_found"
    STUCK = "stuck"
    """It waits for a promise that nothing can settle any more."""
    TRAP = "trap"
    """The guest itself failed: a fault of its, or of ours."""
    WORKER_DIED = "worker_died"
    """The process that ran it ended. What it had asked of the host may have happened."""


class LogLine(msgspec.Struct, frozen=True):
    """One line of `console`; `level` is log, warn or error."""

    level: str
    text: str


class CodeError(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, as the author is told. `line` and `column` count from 1, in the author's code.

    `file` is the program's, or `lib:NAME` for a library.
    """

    kind: FailureKind
    name: str
    message: str
    stack: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    code: str | None = None


class RunUsage(msgspec.Struct, frozen=True):
    """What a run took: seconds, and bytes of guest memory at its end."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory: int = 0
    steps: int = 0
    host_calls: int = 0


class GuestStep(msgspec.Struct, frozen=True, array_like=True):
    """What the guest was given in one step: its clock (microseconds since 1970) and JSON."""

    now_us: int
    payload: bytes


class RunRecording(msgspec.Struct, frozen=True):
    """All that determined a run: replayed, it ends the same way. `guest` is the SHA-256 of what ran it."""

    guest: str
    seed: int
    limits: RunLimits
    libraries: dict[str, str]
    steps: list[GuestStep]
    file: str = "code.js"


class ProgramOutcome(msgspec.Struct, frozen=True):
    """The end of a run: a value, or an error. `recording` is there if it was asked for."""

    value: Json = None
    error: CodeError | None = None
    logs: tuple[LogLine, ...] = ()
    usage: RunUsage = RunUsage()
    recording: RunRecording | None = None
