"""A worker from the runner's side: started, given runs, asked for nothing else, replaced when it dies."""

import asyncio
import contextlib
import contextvars
import itertools
import os
import socket
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path

import msgspec
import structlog

from tool_runner.sandbox.host import HostCalls
from tool_runner.sandbox.host_answers import HostAnswers, HostCallRequest
from tool_runner.sandbox.library import KEPT_BYTES, LoadedLibrary
from tool_runner.sandbox.memory import NoMemory
from tool_runner.sandbox.messages import (
    BrokenStream,
    CancelCall,
    CancelRun,
    ForgetLibrary,
    FromWorker,
    HostCall,
    HostCallAnswer,
    KeepLibrary,
    MemoryGrant,
    MessageInbox,
    MoreMemory,
    Ready,
    RunBegun,
    RunDone,
    StartRun,
    ToWorker,
)
from tool_runner.sandbox.outbox import Outbox

log = structlog.get_logger()

_CHUNK = 1 << 18
_LATE_S = 10.0
"""Seconds after a run's wall time at which a worker that has not ended it is ended itself."""
_START_S = 60.0
"""Seconds that a worker may take to start."""
_KEPT_VARIABLES = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
"""What a worker inherits of the environment, in which keys and tokens may be."""


Grow = Callable[[], Awaitable[int]]
"""Has a run have all the memory that its limits allow; how many bytes these are. Raises NoMemory."""

_reading: set[asyncio.Task[None]] = set()
"""A loop refers to its tasks weakly: that of a worker which died, and which no pool knows now, ends too."""


class WorkerDied(Exception):
    """The worker ended before the run did. Nothing of the run was done if it had not `begun`."""

    def __init__(self, why: str, *, begun: bool = True) -> None:
        super().__init__(why)
        self.begun = begun


class _Given:
    """A run that a worker has: its end, and the host calls that it waits for. They are made in the context of
    who wanted the run, so that logs and traces name its call."""

    def __init__(self, host: HostCalls, start: StartRun, grow: Grow) -> None:
        self.host = host
        self.grow = grow
        self.growing: asyncio.Task[None] | None = None
        self.quotas = dict(start.limits.quotas)
        self.owner = start.owner
        self.begun = False
        self.end: asyncio.Future[RunDone] = asyncio.get_running_loop().create_future()
        self.calls: dict[int, asyncio.Task[None]] = {}
        self.context = contextvars.copy_context()


class WorkerHandle:
    """One worker. `in_hand` is how many runs it has."""

    def __init__(
        self,
        connection: socket.socket,
        lives: Callable[[], bool],
        stop: Callable[[], None],
        answers: HostAnswers,
    ) -> None:
        self._connection = connection
        self._answers = answers
        self._lives = lives
        self._stop = stop
        self._numbers = itertools.count(1)
        self._given: dict[int, _Given] = {}
        self._lent: OrderedDict[bytes, int] = OrderedDict()
        self._ready: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()
        self._outbox: Outbox | None = None
        self._ended = False
        self._reading = asyncio.create_task(self._read())
        _reading.add(self._reading)
        self._reading.add_done_callback(_reading.discard)

    @property
    def alive(self) -> bool:
        """Whether it can be given runs. It may die at any time after."""
        return not self._ended and self._lives()

    @property
    def in_hand(self) -> int:
        """How many runs it has."""
        return len(self._given)

    def in_hand_of(self, owner: str) -> int:
        """How many of them are this agent's."""
        return sum(given.owner == owner for given in self._given.values())

    async def ready(self) -> Ready:
        """Wait until it takes work. Raises WorkerDied."""
        try:
            async with asyncio.timeout(_START_S):
                return await asyncio.shield(self._ready)
        except TimeoutError as error:
            raise WorkerDied(f"it was not ready after {_START_S:g} s") from error

    async def run(
        self, start: StartRun, libraries: Iterable[LoadedLibrary], host: HostCalls, grow: Grow
    ) -> RunDone:
        """Have a program run; its number is given here. `libraries` are those that `start` names.

        Raises WorkerDied.
        """
        number = next(self._numbers)
        message = msgspec.structs.replace(start, run=number)
        given = self._given[number] = _Given(host, message, grow)
        try:
            self._lend(libraries)
            self._send(message)
            async with asyncio.timeout(message.limits.wall_s + _LATE_S):
                done = await given.end
                if done.result is not None and given.calls:
                    # What the code did not wait for is done too: a write that lacks an `await` is a write.
                    await asyncio.wait(given.calls.values())
                return done
        except TimeoutError as error:
            log.error("sandbox.worker_hangs")
            self._stop()
            raise WorkerDied("it did not answer in time and was ended") from error
        finally:
            del self._given[number]
            for call in given.calls.values():
                call.cancel()
            if given.growing:
                given.growing.cancel()
            if not given.end.done():
                self._send(CancelRun(number))
            elif not given.end.cancelled():
                given.end.exception()

    async def close(self) -> None:
        """End it, and what it runs."""
        self._ended = True
        self._reading.cancel()
        await asyncio.wait({self._reading})

    def _lend(self, libraries: Iterable[LoadedLibrary]) -> None:
        """Give the worker what it does not have, and have it forget what was wanted longest ago."""
        wanted = set()
        for library in libraries:
            wanted.add(library.digest)
            if library.digest not in self._lent:
                self._send(KeepLibrary(library.digest, library.source))
                self._lent[library.digest] = len(library.source)
            self._lent.move_to_end(library.digest)
        while sum(self._lent.values()) > KEPT_BYTES and (oldest := next(iter(self._lent))) not in wanted:
            del self._lent[oldest]
            self._send(ForgetLibrary(oldest))

    def _send(self, message: ToWorker) -> None:
        if self._outbox is not None:
            self._outbox.put(message)

    async def _read(self) -> None:
        inbox = MessageInbox(FromWorker)
        try:
            reader, writer = await asyncio.open_connection(sock=self._connection)
        except BaseException:
            self._connection.close()
            self._die("it was not started")
            await asyncio.to_thread(self._stop)
            raise
        outbox, why = Outbox(writer), "it ended"
        self._outbox = outbox
        try:
            while data := await reader.read(_CHUNK):
                for message in inbox.feed(data):
                    self._hear(message)
        except (BrokenStream, ConnectionError) as error:
            why = str(error)
        finally:
            self._die(why)
            writer.close()
            try:
                await outbox.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()
            finally:  # also when cancelled here: it would stay as a zombie
                await asyncio.to_thread(self._stop)

    def _hear(self, message: object) -> None:
        match message:
            case Ready():
                if not self._ready.done():
                    self._ready.set_result(message)
            case RunBegun(run=number):
                if given := self._given.get(number):
                    given.begun = True
            case RunDone(run=number):
                given = self._given.get(number)
                if given and not given.end.done():
                    given.end.set_result(message)
            case MoreMemory(run=number):
                if given := self._given.get(number):
                    given.growing = asyncio.create_task(self._grow(number, given), context=given.context)
            case HostCall(run=number, call=call):
                if (given := self._given.get(number)) and call not in given.calls:
                    task = asyncio.create_task(self._answer(given, message), context=given.context)
                    given.calls[call] = task
                    task.add_done_callback(partial(_forget, given.calls, call))
            case CancelCall(run=number, call=call):
                if (given := self._given.get(number)) and call in given.calls:
                    given.calls[call].cancel()

    async def _grow(self, number: int, given: _Given) -> None:
        try:
            self._send(MemoryGrant(number, await given.grow()))
        except NoMemory as error:
            self._send(MemoryGrant(number, 0, str(error)))

    async def _answer(self, given: _Given, call: HostCall) -> None:
        assert self._outbox is not None
        asked = HostCallRequest(given.owner, call.name, call.arguments, given.quotas)
        async with self._answers.to(asked, given.host) as (kind, value):
            await self._outbox.deliver(given.owner, HostCallAnswer(call.run, call.call, kind, value))

    def _die(self, why: str) -> None:
        self._ended = True
        for given in self._given.values():
            if not given.end.done():
                given.end.set_exception(WorkerDied(why, begun=given.begun))
        if not self._ready.done():
            self._ready.set_exception(WorkerDied(why))
            self._ready.exception()


def _forget(calls: dict[int, asyncio.Task[None]], call: int, _: asyncio.Task[None]) -> None:
    del calls[call]


def worker_process(compiled: Path, answers: HostAnswers) -> WorkerHandle:
    """Start a worker as a process."""
    ours, theirs = socket.socketpair()
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    command = [sys.executable, "-B", "-m", "tool_runner.sandbox.worker", str(theirs.fileno()), str(compiled)]
    with theirs:
        process = subprocess.Popen(
            command,
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=environment,
            cwd="/",
        )

    def stop() -> None:
        process.kill()
        process.wait()

    return WorkerHandle(ours, lambda: process.poll() is None, stop, answers)


def worker_thread(compiled: Path, answers: HostAnswers) -> WorkerHandle:
    """Start a worker as a thread of this process: no protection but WebAssembly's own."""
    from tool_runner.sandbox.worker import work  # heavy: loads wasmtime, which no runner with processes needs

    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=work, args=(compiled, theirs), kwargs={"confined": False}, daemon=True)
    thread.start()

    def stop() -> None:
        thread.join(timeout=_LATE_S)

    return WorkerHandle(ours, thread.is_alive, stop, answers)
