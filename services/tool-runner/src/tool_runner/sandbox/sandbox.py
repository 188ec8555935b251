"""The sandbox: programs in, outcomes out. Nothing that code does makes `run` raise, or its process end."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
import structlog

from agent_contracts.errors import NotStarted, Rejected, Transient
from tool_runner.sandbox.compiled import compile_once
from tool_runner.sandbox.components import component_problem
from tool_runner.sandbox.guest import guest_hash
from tool_runner.sandbox.host import HostCalls, HostTable
from tool_runner.sandbox.host_answers import HostAnswers
from tool_runner.sandbox.library import LoadedLibrary, ReadyLibraries, library
from tool_runner.sandbox.limits import LARGEST_MEMORY, MIB
from tool_runner.sandbox.memory import (
    OURS,
    WORKER,
    Holder,
    Memory,
    NoMemory,
    beginning,
    least_memory,
    usual_memory,
)
from tool_runner.sandbox.messages import RunDone, StartRun
from tool_runner.sandbox.outcome import (
    CodeError,
    FailureKind,
    LogLine,
    ProgramOutcome,
    RunRecording,
    RunUsage,
)
from tool_runner.sandbox.problems import CodeForm, CodeProblem
from tool_runner.sandbox.program import LibrarySource, NoLibraries, SandboxProgram
from tool_runner.sandbox.required_libraries import MOST, FindLibrary, libraries_for
from tool_runner.sandbox.stacks import code_error
from tool_runner.sandbox.syntax_errors import in_own_terms
from tool_runner.sandbox.typescript import Stripper, has_typed_calls
from tool_runner.sandbox.worker_handle import Grow, WorkerDied, WorkerHandle, worker_process, worker_thread

log = structlog.get_logger()

_NO_HOST = HostTable({})
_MOST_WORKERS = 5
"""Workers that a run is given to, one after another, while each dies before it begins the run."""


class Sandbox:
    """Runs programs in workers: processes, by default one for each core. They start with the first program.

    `threads` puts the workers into this process instead: for systems that can't start processes. Then what
    breaks out of WebAssembly, or ends wasmtime, does so here.
    """

    def __init__(self, folder: Path, workers: int = 0, *, memory: int = 0, threads: bool = False) -> None:
        """`folder` keeps the compiled guest, and must be this user's alone. `memory` is what all guests and
        workers may have, in bytes; 0: what so many workers need. Raises `Rejected` where it is too little."""
        self._folder = folder
        self._size = workers or os.cpu_count() or 1
        memory = memory or usual_memory(self._size)
        if memory < (least := least_memory(self._size)):
            raise Rejected(
                f"{memory // MIB} MiB are too little for {self._size} processes that run agents' code: "
                f"set FOLDLINE_SANDBOX_MEMORY to {least // MIB} or more, or FOLDLINE_SANDBOX_WORKERS to less",
                kind="invalid_settings",
            )
        self.memory = Memory(memory - self._size * WORKER - OURS)
        self._ours = asyncio.Lock()
        self._start = worker_thread if threads else worker_process
        self._answers = HostAnswers()
        self._workers: list[WorkerHandle] = []
        self._starting = asyncio.Lock()
        self._replacing: asyncio.Task[None] | None = None
        self._stripper = Stripper(self._alone)
        self._ready = ReadyLibraries(self._without_types)

    async def run(
        self,
        program: SandboxProgram,
        host: HostCalls = _NO_HOST,
        libraries: LibrarySource | None = None,
        *,
        holder: Holder | None = None,
        record: bool = False,
    ) -> ProgramOutcome:
        """Run a program to its end. Cancelling ends it, and the host calls that it has open.

        `holder` is who has the memory that it takes. Whatever the program does is an outcome, and so is that
        there was no memory for it. Raises `NotStarted` where no worker can be started.
        """
        source = libraries or NoLibraries()

        async def find(name: str) -> LoadedLibrary | None:
            text = await source.code_of(name)
            return None if text is None else await self._ready.of(text)

        code = program.code
        if has_typed_calls(code):
            code = await self._stripper.stripped(code) or code
        asked = _RunRequest(program, host, find, holder or Holder(), record)
        outcome = await self._holding(asked, code)
        if code == program.code and _is_syntax(outcome.error):
            stripped = await self._stripper.stripped(code)
            if stripped is not None and stripped != code:
                outcome = await self._holding(asked, stripped)
        if outcome.error is not None and _is_syntax(outcome.error):
            told = await self._in_own_terms(outcome.error, program.code, "body", program.file)
            return msgspec.structs.replace(outcome, error=told)
        return outcome

    async def problem_with(
        self, code: str, form: CodeForm = "body", file: str = "code.js"
    ) -> CodeError | None:
        """Why code (JavaScript or TypeScript) does not parse; None if it does.

        Nothing of it is run. Raises `NotStarted` as `run` does.
        """
        problem = await self._problem(code, form, file)
        if problem is not None and _is_syntax(problem):
            return await self._in_own_terms(problem, code, form, file)
        return problem

    async def problem_with_component(self, code: str) -> CodeProblem | None:
        """Why code (JSX or TSX) is no page; None if it is one.

        Nothing of it is run. Raises `NotStarted` as `run` does.
        """
        return await component_problem(self._alone, code)

    async def replay(self, recording: RunRecording) -> ProgramOutcome:
        """Run a recorded run again, without host or clock: it ends as it did.

        Raises `NotStarted` as `run` does, ValueError for a recording of another guest.
        """
        if recording.guest != guest_hash():
            raise ValueError(f"recorded with another guest: {recording.guest}")
        first = recording.steps[0]
        libraries = {name: library(code) for name, code in recording.libraries.items()}
        start = StartRun(
            run=0,
            payload=b"{}",
            libraries=_digests(libraries),
            limits=recording.limits,
            seed=recording.seed,
            clock_us=first.now_us,
            memory=LARGEST_MEMORY,
            replay=recording.steps,
        )
        return (await self._for_ourselves(start, libraries, recording.file)).outcome

    async def close(self) -> None:
        """End the workers, and what they run."""
        if self._replacing is not None:
            self._replacing.cancel()
            await asyncio.wait({self._replacing})
        workers, self._workers = self._workers, []
        for worker in workers:
            await worker.close()

    async def _problem(self, code: str, form: CodeForm, file: str) -> CodeError | None:
        problem = await self._check(code, form, file)
        if _is_syntax(problem):
            stripped = await self._stripper.stripped(code)
            if stripped is not None and stripped != code:
                return await self._check(stripped, form, file)
        return problem

    async def _in_own_terms(self, problem: CodeError, code: str, form: CodeForm, file: str) -> CodeError:
        async def parses(text: str) -> bool:
            return await self._problem(text, form, file) is None

        return await in_own_terms(problem, code, file, parses)

    async def _without_types(self, code: str) -> str:
        """A library's code without types, if it has any and parses without; else the code as it is."""
        if has_typed_calls(code) or await self._check(code, "module", "code.js") is not None:
            return await self._stripper.stripped(code) or code
        return code

    async def _check(self, code: str, form: CodeForm, file: str) -> CodeError | None:
        start = _start(SandboxProgram(code, file=file), code, {}, check=True, form=form)
        return (await self._for_ourselves(start, {}, file)).outcome.error

    async def _alone(self, program: SandboxProgram, libraries: dict[str, LoadedLibrary]) -> ProgramOutcome:
        start = _start(program, program.code, libraries)
        return (await self._for_ourselves(start, libraries, program.file)).outcome

    async def _holding(self, asked: "_RunRequest", code: str) -> ProgramOutcome:
        try:
            async with self.memory.holding(asked.holder, asked.program.limits):
                return await self._with_libraries(asked, code)
        except NoMemory as error:
            message = f"it did not run: {error}"
            return ProgramOutcome(error=CodeError(FailureKind.NO_MEMORY, "NoMemoryError", message))

    async def _with_libraries(self, asked: "_RunRequest", code: str) -> ProgramOutcome:
        program, find = asked.program, asked.find
        found: dict[str, LoadedLibrary] = {}

        async def grow() -> int:
            return await self.memory.grow(asked.holder, program.limits)

        while True:
            found = await libraries_for(code, find, found)
            start = _start(program, code, found, record=asked.record)
            start = msgspec.structs.replace(start, memory=beginning(program.limits), owner=asked.holder.agent)
            ended = await self._in_worker(start, found, asked.host, program.file, grow)
            missing = ended.missing
            if missing is None or missing in found or ended.outcome.usage.host_calls or len(found) >= MOST:
                return ended.outcome
            # A name that only the running code knew. Nothing was asked of the host yet: begin again with it.
            wanted = await find(missing)
            if wanted is None:
                return ended.outcome
            found = {**found, missing: wanted}

    async def _for_ourselves(
        self, start: StartRun, libraries: dict[str, LoadedLibrary], file: str
    ) -> "_Ended":
        """Run what no agent has memory for: one at a time, with memory of our own."""
        async with self._ours:
            return await self._in_worker(start, libraries, _NO_HOST, file, _all_memory)

    async def _in_worker(
        self, start: StartRun, libraries: dict[str, LoadedLibrary], host: HostCalls, file: str, grow: Grow
    ) -> "_Ended":
        given_to = 0
        while True:
            worker = await self._least_busy(start.owner)
            given_to += 1
            began = time.monotonic()
            try:
                done = await worker.run(start, libraries.values(), host, grow)
            except WorkerDied as error:
                if not error.begun and given_to < _MOST_WORKERS:
                    log.info("sandbox.run_given_on", error=str(error), workers=given_to)
                    continue
                message = f"the process that ran the code ended: {error}"
                died = CodeError(FailureKind.WORKER_DIED, "SandboxError", message)
                return _Ended(
                    ProgramOutcome(error=died, usage=RunUsage(wall_s=time.monotonic() - began)), None
                )
            outcome = _outcome(done, start, libraries, time.monotonic() - began, file)
            return _Ended(outcome, done.missing)

    async def _least_busy(self, owner: str) -> WorkerHandle:
        """The worker that has least in hand of this agent; of these, of all."""
        self._workers = [worker for worker in self._workers if worker.alive]
        if not self._workers:
            await self._start_missing()
        elif len(self._workers) < self._size and (self._replacing is None or self._replacing.done()):
            self._replacing = asyncio.create_task(self._replace())
        return min(self._workers, key=lambda worker: (worker.in_hand_of(owner), worker.in_hand))

    async def _replace(self) -> None:
        """Start the workers that are missing, while the others go on."""
        try:
            await self._start_missing()
        except Transient as error:
            log.error("sandbox.worker_not_replaced", error=error.message)

    async def _start_missing(self) -> None:
        async with self._starting:
            missing = self._size - sum(worker.alive for worker in self._workers)
            if missing <= 0:
                return
            compiled = await asyncio.to_thread(compile_once, self._folder)
            started = [self._start(compiled, self._answers) for _ in range(missing)]
            try:
                for worker in started:
                    ready = await worker.ready()
                    log.info("sandbox.worker_started", confined_by=ready.confined_by, lacks=ready.lacks)
            except BaseException as error:
                for worker in started:
                    await worker.close()
                if isinstance(error, WorkerDied):
                    message = f"no sandbox worker could be started: {error}"
                    raise NotStarted(message) from error
                raise
            self._workers = [*(worker for worker in self._workers if worker.alive), *started]


def _is_syntax(error: CodeError | None) -> bool:
    return error is not None and error.kind is FailureKind.SYNTAX


async def _all_memory() -> int:
    return LARGEST_MEMORY


@dataclass(frozen=True)
class _RunRequest:
    """What is to be run, and in whose name."""

    program: SandboxProgram
    host: HostCalls
    find: FindLibrary
    holder: Holder
    record: bool


class _Ended(msgspec.Struct, frozen=True):
    """An outcome, and the library that was missed."""

    outcome: ProgramOutcome
    missing: str | None


def _digests(libraries: dict[str, LoadedLibrary]) -> dict[str, bytes]:
    return {name: libraries[name].digest for name in sorted(libraries)}


def _start(  # noqa: PLR0913 — how this run differs, each part named
    program: SandboxProgram,
    code: str,
    libraries: dict[str, LoadedLibrary],
    *,
    check: bool = False,
    form: CodeForm = "body",
    record: bool = False,
) -> StartRun:
    limits = program.limits
    payload = {
        "code": code,
        "file": program.file,
        "args": program.args,
        "secrets": program.secrets,
        "check": check,
        "form": form,
        "limits": {
            "pending": limits.pending_calls,
            "pending_bytes": limits.pending_bytes,
            "argument": limits.argument,
            "timer": limits.timer_s * 1000,
            "result": limits.result,
            "logs": limits.logs,
        },
    }
    clock_us = time.time_ns() // 1000 if program.clock is None else round(program.clock.timestamp() * 1e6)
    body = msgspec.json.encode(payload)
    return StartRun(
        0, body, _digests(libraries), limits, program.seed, clock_us, LARGEST_MEMORY, record=record
    )


def _outcome(
    done: RunDone, start: StartRun, libraries: dict[str, LoadedLibrary], wall_s: float, file: str
) -> ProgramOutcome:
    recording = None
    if start.record:
        sources = {name: library.javascript for name, library in libraries.items()}
        recording = RunRecording(guest_hash(), start.seed, start.limits, sources, done.recorded, file)
    value, error = None, None
    if done.result is None:
        error = code_error(done.error, file)
    else:
        try:
            value = msgspec.json.decode(done.result)
        except (msgspec.DecodeError, RecursionError, ValueError):
            error = CodeError(FailureKind.TRAP, "SandboxError", "the guest's result can't be read")
    return ProgramOutcome(
        value=value,
        error=error,
        logs=tuple(LogLine(level, text) for level, text in done.logs),
        usage=RunUsage(done.cpu_s, wall_s, done.memory, done.steps, done.host_calls),
        recording=recording,
    )
