"""One run in a worker: a guest taken from step to step, within its limits."""

import heapq
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

import msgspec
import wasmtime

from tool_runner.sandbox.engine import Guest
from tool_runner.sandbox.fiber import Fiber
from tool_runner.sandbox.frames import (
    BadFrame,
    CancelFrame,
    FailureFrame,
    HostCallFrame,
    LogFrame,
    MissingLibraryFrame,
    ResultFrame,
    TimerFrame,
    failure,
    frame,
)
from tool_runner.sandbox.instance import BadPointer, Instance
from tool_runner.sandbox.limits import LARGEST_MEMORY, MIB
from tool_runner.sandbox.messages import TIMER, CancelCall, HostCall, MoreMemory, RunDone, StartRun
from tool_runner.sandbox.outcome import FailureKind, GuestStep
from tool_runner.sandbox.snapshots import GuestSnapshots

_SHORT_S = 0.02
GRACE_S = 0.25
"""Seconds between the exception that a time limit throws and the end of a guest that it doesn't stop."""
_WAITS, _STUCK = 0, 2
_TRAPS = {
    wasmtime.TrapCode.STACK_OVERFLOW: failure(FailureKind.STACK, "RangeError", "the call stack is exhausted"),
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: failure(
        FailureKind.TRAP, "SandboxError", "a fault in guest memory"
    ),
}
_LOG_SLACK = 4096
_ANSWER_BYTES = 4 * MIB
"""Bytes of answers that may be on their way to a run, as far as those before tell: code that asks for a
thousand large values at once gets them one after another."""
_UNKNOWN_ANSWER = _ANSWER_BYTES / 8
"""Bytes that the first answers are taken for."""
_STARVED = ("null", "out of memory or stack", "[unreadable error]", "Invalid error message")
"""What errors say that had no memory left to be made in."""


class SandboxRun:
    """What it waits for, and what it does when that comes. `send` takes to the host what it asks."""

    def __init__(
        self,
        start: StartRun,
        code: Guest,
        sources: Mapping[bytes, bytes],
        snapshots: GuestSnapshots,
        send: Callable[[HostCall | CancelCall | MoreMemory], None],
    ) -> None:
        """`sources` has at least the libraries that `start` names."""
        self._start = start
        self.owner = start.owner
        self._limits = start.limits
        self._send = send
        self._began = time.monotonic()
        self._deadline = self._began + start.limits.wall_s
        self._replay = iter(start.replay) if start.replay else None
        self._recorded: list[GuestStep] = []
        self._answers: list[bytes] = []
        self._open: set[int] = set()
        self._queued: OrderedDict[int, HostCall] = OrderedDict()
        self._under_way = 0
        self._answered = 0
        self._usual_answer = _UNKNOWN_ANSWER
        self._waits_for_memory = False
        self._timers: dict[int, float] = {}
        self._due: list[tuple[float, int]] = []
        self._logs: list[tuple[str, str]] = []
        self._log_bytes = 0
        self._cpu_s = 0.0
        self._steps = 0
        self._host_calls = 0
        self._missing: str | None = None
        self._interrupted: FailureKind | None = None
        self._fiber: Fiber | None = None
        self.done: RunDone | None = None
        self.begun = False
        self._instance = Instance(code, start.limits.memory, start.limits.heap, start.seed)
        self._instance.grant(start.memory)
        given = b"{}"
        if start.libraries:
            given = _object(start.libraries, sources)
            image = snapshots.of(start.libraries, given, start.limits)
            if image and self._instance.restore(image):
                self._instance.configure(start.seed, start.limits.heap)
                given = given if start.record else b"{}"
        self._enter("box_start", b'{"libraries":%s,%s' % (given, start.payload[1:]))

    @property
    def running(self) -> bool:
        """Whether a slice would do something."""
        return self._fiber is not None and self.done is None and not self._waits_for_memory

    def wakes_at(self) -> float:
        """When it must be looked at though nobody answered: on the monotonic clock, in seconds."""
        if self._waits_for_memory:
            return self._deadline
        while self._due and self._due[0][1] not in self._timers:
            heapq.heappop(self._due)
        return min(self._due[0][0], self._deadline) if self._due else self._deadline

    def answer(self, call: int, kind: int, value: bytes) -> None:
        """A host call ended."""
        if call in self._open:
            self._open.discard(call)
            self._answers.append(b"[%d,%d,%s]" % (call, kind, value))
            self._answered += 1
            self._usual_answer += (len(value) - self._usual_answer) / 4

    def granted(self, memory: int, why: str) -> None:
        """It waited for more memory, and may have so much; or, with 0, none."""
        if self.done or not self._waits_for_memory:
            return
        self._waits_for_memory = False
        if memory:
            self._instance.grant(memory)
            return
        message = f"it needed more memory than {self._start.memory // MIB} MiB, and {why}"
        self._end(error=failure(FailureKind.NO_MEMORY, "NoMemoryError", message))

    @property
    def is_short(self) -> bool:
        """Whether it has computed so little that those who compute for long let it pass."""
        return self._cpu_s < _SHORT_S

    def look(self) -> None:
        """Go on if something came, give up if it is too late. To be called when the run does not run."""
        if self.done or self.running:
            return
        now = time.monotonic()
        if self._waits_for_memory:
            if now >= self._deadline:
                self._late("it waited for memory that this runner has for agents' code")
            return
        if self._replay is None:
            while self._due and self._due[0][0] <= now:
                call = heapq.heappop(self._due)[1]
                if self._timers.pop(call, None) is not None:
                    self._answers.append(b"[%d,%d,null]" % (call, TIMER))
        if self._answers or self._replay is not None:
            payload = b"[" + b",".join(self._answers) + b"]"
            self._answers.clear()
            self._under_way -= self._answered
            self._answered = 0
            self._ask()
            self._enter("box_step", payload)
        elif now >= self._deadline:
            self._late("it waited for the host")

    def slice(self) -> None:
        """Run until the next epoch, the end of the step, or the end of the run."""
        assert self._fiber is not None
        began = time.thread_time()
        done = self._fiber.poll()
        self._cpu_s += time.thread_time() - began
        if done:
            self._stepped()
            return
        if self._instance.wants_more:
            self._wait_for_memory()
            return
        over = self._cpu_s - self._limits.cpu_s
        kind = FailureKind.CPU_TIME
        if over < 0 and (late := time.monotonic() - self._deadline) >= 0:
            over, kind = late, FailureKind.WALL_TIME
        if over >= GRACE_S:
            message = f"a time limit was up ({kind.value}) and the code could not be stopped otherwise"
            self._end(error=failure(FailureKind.KILLED, "TimeoutError", message))
        elif over >= 0 and self._interrupted is None:
            self._interrupted = kind
            self._instance.interrupt()

    def close(self) -> None:
        """Free what it holds; to be called once it is done or not wanted."""
        if self._fiber is not None:
            self._fiber.drop()
            self._fiber = None
        self._instance.close()

    def _enter(self, entry: str, payload: bytes) -> None:
        now_us = self._start.clock_us + round((time.monotonic() - self._began) * 1e6)
        if self._replay is not None:
            step = next(self._replay, None)
            if step is None:
                message = "the recording ends before the run does"
                self._end(error=failure(FailureKind.TRAP, "SandboxError", message))
                return
            now_us, payload = step.now_us, step.payload
        if self._start.record:
            self._recorded.append(GuestStep(now_us, payload))
        self._steps += 1
        try:
            self._fiber = self._instance.begin(entry, payload, now_us)
        except (BadPointer, wasmtime.Trap, wasmtime.WasmtimeError) as error:
            self._end(error=failure(FailureKind.TRAP, "SandboxError", str(error)))
            return
        if self._fiber is None:
            message = "what the host answered does not fit into the memory"
            self._end(error=failure(FailureKind.MEMORY, "MemoryLimitError", message))
        elif self._instance.wants_more:
            self._wait_for_memory()

    def _wait_for_memory(self) -> None:
        if self._replay is None:
            self._waits_for_memory = True
            self._send(MoreMemory(self._start.run))
        else:
            self._instance.grant(LARGEST_MEMORY)

    def _late(self, what: str) -> None:
        message = f"it took more than {self._limits.wall_s:g} s, at the end of which {what}"
        self._end(error=failure(FailureKind.WALL_TIME, "TimeoutError", message))

    def _stepped(self) -> None:
        assert self._fiber is not None
        status, error = 3, None
        try:
            status = self._fiber.result()
        except wasmtime.Trap as trap:
            unknown = failure(FailureKind.TRAP, "SandboxError", f"the guest trapped: {trap.trap_code}")
            error = _TRAPS.get(trap.trap_code, unknown) if trap.trap_code is not None else unknown
        except wasmtime.WasmtimeError as failed:
            error = failure(FailureKind.TRAP, "SandboxError", str(failed)[:500])
        self._fiber = None
        try:
            self._hear(status)
        except (BadFrame, BadPointer) as bad:
            self._end(error=failure(FailureKind.TRAP, "SandboxError", str(bad)))
        if self.done:
            return
        if self._interrupted is not None:
            # A promise took the exception for a reason to be rejected.
            self._end(error=self._explained(failure(self._interrupted, "TimeoutError", "interrupted")))
        elif error is not None:
            self._end(error=error)
        elif status == _STUCK and not self._is_full():  # else memory did not suffice to settle the promise
            message = "it waits for a promise that nothing will settle"
            self._end(error=failure(FailureKind.STUCK, "StuckError", message))
        elif status != _WAITS:
            self._end(error=self._explained({"name": "InternalError", "message": "null"}))
        else:
            self._ask()

    def _hear(self, status: int) -> None:
        for line in self._instance.frames():
            match frame(line):
                case HostCallFrame(call=call, name=name, arguments=arguments):
                    self._call(call, name, arguments)
                case TimerFrame(call=call, ms=ms) if status == _WAITS:
                    due = time.monotonic() + min(max(ms / 1000, 0.0), self._limits.timer_s)
                    self._timers[call] = due
                    heapq.heappush(self._due, (due, call))
                case TimerFrame():
                    pass
                case CancelFrame(call=call):
                    self._give_up(call)
                case LogFrame(level=level, text=text, size=size):
                    self._log_bytes += size
                    if self._log_bytes <= self._limits.logs + _LOG_SLACK:
                        self._logs.append((level, text))
                case MissingLibraryFrame(name=name):
                    self._missing = name
                case ResultFrame(value=value) if len(value) > self._limits.result:
                    message = f"a result of more than {self._limits.result} bytes"
                    self._end(error=failure(FailureKind.RESULT_SIZE, "ResultSizeError", message))
                    return
                case ResultFrame() if self._interrupted is not None:
                    return
                case ResultFrame(value=value):
                    self._end(result=value)
                    return
                case FailureFrame(error=error):
                    self._end(error=self._explained(error))
                    return

    def _call(self, call: int, name: str, arguments: bytes) -> None:
        self._host_calls += 1
        if self._replay is not None:
            return
        # The guest holds these limits itself, with exceptions for the code. This is for one that is broken.
        if len(self._open) > self._limits.pending_calls or len(arguments) > 2 * self._limits.argument + 1024:
            raise BadFrame("the guest passed its own limits on host calls")
        if call in self._open:
            raise BadFrame("the guest gave two host calls one number")
        self._open.add(call)
        self._queued[call] = HostCall(self._start.run, call, name, arguments)

    def _give_up(self, call: int) -> None:
        self._timers.pop(call, None)
        if call not in self._open:
            return
        self._open.discard(call)
        if self._queued.pop(call, None) is None:
            self._under_way -= 1
            self._send(CancelCall(self._start.run, call))

    def _ask(self) -> None:
        """Ask the host what it may be asked at a time; the rest when the code has got answers."""
        while self._queued and self._under_way < self._limits.calls_at_once and self._expected_fits():
            self._under_way += 1
            self._send(self._queued.popitem(last=False)[1])

    def _expected_fits(self) -> bool:
        if self._under_way == 0:
            return True
        return (self._under_way + 1) * self._usual_answer <= _ANSWER_BYTES

    def _explained(self, error: dict[str, str]) -> dict[str, str]:
        """The guest's error, with the kind that only the host can tell."""
        message = error.get("message", "")
        if message == "interrupted" and self._interrupted is not None:
            seconds = self._limits.cpu_s if self._interrupted is FailureKind.CPU_TIME else self._limits.wall_s
            what = "computing" if self._interrupted is FailureKind.CPU_TIME else "time"
            said = f"it took more than {seconds:g} s of {what}"
            return error | failure(self._interrupted, "TimeoutError", said)
        starved = message in _STARVED and self._is_full()
        if error.get("kind") is None and (message == "out of memory" or starved):
            said = f"it took more than {self._limits.memory} bytes of memory"
            return error | failure(FailureKind.MEMORY, "MemoryLimitError", said)
        if message == "Maximum call stack size exceeded" and error.get("name") == "RangeError":
            return error | {"kind": FailureKind.STACK.value}
        return {"kind": FailureKind.EXCEPTION.value} | error

    def _is_full(self) -> bool:
        """Whether there is so little memory left that errors can't be made any more: code sees null, then."""
        full = min(self._limits.memory, LARGEST_MEMORY) - MIB
        return self._instance.size >= full or self._instance.heap_used > self._limits.heap * 0.8

    def _end(self, *, result: bytes | None = None, error: dict[str, str] | None = None) -> None:
        while result is not None and self._queued:  # what the code did not wait for is asked too
            self._send(self._queued.popitem(last=False)[1])
        self.done = RunDone(
            run=self._start.run,
            result=result,
            error=error or {},
            logs=self._logs,
            cpu_s=self._cpu_s,
            memory=self._instance.size,
            steps=self._steps,
            host_calls=self._host_calls,
            missing=self._missing,
            recorded=self._recorded,
        )


def _object(libraries: dict[str, bytes], sources: Mapping[bytes, bytes]) -> bytes:
    """The JSON object of libraries: name to code."""
    pairs = (msgspec.json.encode(name) + b":" + sources[digest] for name, digest in libraries.items())
    return b"{" + b",".join(pairs) + b"}"
