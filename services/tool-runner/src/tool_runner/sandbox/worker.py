"""A sandbox worker: takes runs over a socket, and runs all it has in turns, each for one epoch at a time."""

import faulthandler
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path

from tool_runner.sandbox.confinement import confine
from tool_runner.sandbox.engine import Epochs, Guest
from tool_runner.sandbox.limits import LARGEST_MEMORY, RunLimits
from tool_runner.sandbox.messages import (
    BrokenStream,
    CancelRun,
    ForgetLibrary,
    FromWorker,
    HostCallAnswer,
    KeepLibrary,
    MemoryGrant,
    MessageInbox,
    Ready,
    RunBegun,
    RunDone,
    StartRun,
    ToWorker,
    framed,
)
from tool_runner.sandbox.rotation import Rotation
from tool_runner.sandbox.run import SandboxRun
from tool_runner.sandbox.snapshots import GuestSnapshots

_CHUNK = 1 << 18


class SandboxWorker:
    """Serves one socket until it is closed."""

    def __init__(self, compiled: Path, connection: socket.socket) -> None:
        self._code = Guest(compiled)
        self._snapshots = GuestSnapshots(self._code)
        self._epochs = Epochs(self._code.engine)
        self._connection = connection
        self._inbox = MessageInbox(ToWorker)
        self._sources: dict[bytes, bytes] = {}
        self._runs: dict[int, SandboxRun] = {}
        self._waiting = Rotation()

    def warm_up(self) -> None:
        """Run each part once, so that nothing needs to be loaded when there is no way to files any more."""
        payload = (
            b'{"code":"throw new Error()","file":"w","args":null,"secrets":{},"limits":{},"form":"body"}'
        )
        self._sources[b"w"] = b'"exports.w = 1"'
        self._take(StartRun(0, payload, {"w": b"w"}, RunLimits(), 1, 0, LARGEST_MEMORY))
        while 0 in self._runs:
            self._turn(telling=False)
        del self._sources[b"w"]

    @property
    def lacks(self) -> list[str]:
        """What this worker could not get before it was confined."""
        return [f"machine code shared with others: {self._code.unshared}"] if self._code.unshared else []

    def serve(self, confined_by: list[str], lacks: list[str]) -> None:
        """Answer until the other side closes. Raises BrokenStream for what is not a message."""
        poller = select.poll()
        poller.register(self._connection, select.POLLIN)
        self._tell(Ready(confined_by, lacks))
        while True:
            if poller.poll(self._patience_ms()) and not self._receive():
                return
            now = time.monotonic()
            for number, run in list(self._runs.items()):
                if not run.running and run.wakes_at() <= now:
                    self._look(number, run)
            self._turn(telling=True)

    def close(self) -> None:
        """End what runs."""
        for run in self._runs.values():
            run.close()
        self._runs.clear()
        self._snapshots.close()
        self._epochs.close()

    def _patience_ms(self) -> int | None:
        if self._waiting:
            return 0
        self._epochs.off()
        if not self._runs:
            return None
        soonest = min(run.wakes_at() for run in self._runs.values())
        return max(0, int((soonest - time.monotonic()) * 1000) + 1)

    def _receive(self) -> bool:
        data = self._connection.recv(_CHUNK)
        if not data:
            return False
        touched: set[int] = set()
        for message in self._inbox.feed(data):
            match message:
                case StartRun():
                    self._take(message)
                case HostCallAnswer(run=number, call=call, kind=kind, value=value):
                    if run := self._runs.get(number):
                        run.answer(call, kind, value)
                        touched.add(number)
                case MemoryGrant(run=number, memory=memory, why=why):
                    if run := self._runs.get(number):
                        run.granted(memory, why)
                        self._queue(number, run)
                case KeepLibrary(digest=digest, source=source):
                    self._sources[digest] = source
                case ForgetLibrary(digest=digest):
                    self._sources.pop(digest, None)
                case CancelRun(run=number):
                    if run := self._runs.pop(number, None):
                        run.close()
        for number in touched:
            if (run := self._runs.get(number)) and not run.running:
                self._look(number, run)
        return True

    def _take(self, start: StartRun) -> None:
        run = self._runs[start.run] = SandboxRun(
            start, self._code, self._sources, self._snapshots, self._tell
        )
        self._queue(start.run, run)

    def _look(self, number: int, run: SandboxRun) -> None:
        run.look()
        self._queue(number, run)

    def _queue(self, number: int, run: SandboxRun) -> None:
        if run.running:
            self._line_up(number, run)
            self._epochs.on()
        elif run.done:
            self._finish(number, run, telling=True)

    def _turn(self, *, telling: bool) -> None:
        """One slice for the run whose turn it is."""
        if not self._waiting:
            return
        number = self._waiting.next()
        run = self._runs.get(number)
        if run is None:
            return
        if telling and not run.begun:
            run.begun = True
            self._tell(RunBegun(number))
        run.slice()
        if run.done:
            self._finish(number, run, telling)
        elif run.running:
            self._line_up(number, run)
        else:
            self._look(number, run)

    def _line_up(self, number: int, run: SandboxRun) -> None:
        self._waiting.add(run.owner, number, short=run.is_short)

    def _finish(self, number: int, run: SandboxRun, telling: bool) -> None:
        done = run.done
        assert isinstance(done, RunDone)
        run.close()
        del self._runs[number]
        if telling:
            self._tell(done)

    def _tell(self, message: FromWorker) -> None:
        self._connection.sendall(framed(message))


def work(compiled: Path, connection: socket.socket, *, confined: bool) -> None:
    """A worker's whole life. With `confined`, this process gives up first whatever it does not need."""
    worker = SandboxWorker(compiled, connection)
    try:
        worker.warm_up()
        got, lacks = confine()[:2] if confined else ([], ["a process of its own"])
        worker.serve(got, [*worker.lacks, *lacks])
    except (BrokenStream, ConnectionError):
        return
    finally:
        worker.close()
        connection.close()


def main(descriptor: int, compiled: Path) -> None:
    """The entry of a worker process: serve the socket that it was given."""
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.clear()
    work(compiled, socket.socket(fileno=descriptor), confined=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
