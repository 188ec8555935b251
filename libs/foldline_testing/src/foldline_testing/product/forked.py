"""`foldline` in processes that are forked from one that has imported it: each begins at once."""

import io
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from agent_platform.process.stopping import PARENT_PID
from foldline.cli import output
from foldline.cli.main import app
from foldline_testing.agent_platform.warm import keep_warm

LOOKS = {"COLUMNS": "200", "NO_COLOR": "1"}
"""How wide and plain a command prints. Read as soon as it is imported."""

_CONTEXT = multiprocessing.get_context("forkserver")
keep_warm("foldline_testing.product.imported")


@dataclass(frozen=True)
class Streams:
    """The files that a process reads as its standard input, and adds its output and errors to. A terminal
    becomes that of the process: Ctrl-C reaches it."""

    stdin: Path
    stdout: Path
    stderr: Path


class Forked:
    """`foldline` with these words, in `folder`, with this environment alone; used as a `subprocess.Popen`.

    It has begun when this returns, no more. `up` ends with this process.
    """

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], folder: Path, streams: Streams
    ) -> None:
        self._words = words
        self._process = _CONTEXT.Process(target=_run, args=(words, dict(environment), folder, streams))
        self._process.start()

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def sentinel(self) -> int:
        """What `select` finds readable once it has ended."""
        return self._process.sentinel

    def poll(self) -> int | None:
        """What it ended with, a signal as a negative number; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """The same, once it has ended. Raises `subprocess.TimeoutExpired` after so many seconds."""
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(["foldline", *self._words], timeout or 0)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """A signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)


@dataclass(frozen=True)
class Ran:
    """A command that has ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


def run_forked(
    words: Sequence[str], environment: Mapping[str, str], folder: Path, stdin: str, patience_s: float
) -> Ran:
    """Run `foldline` with these words to its end, in `folder` and with this environment alone.

    Raises `subprocess.TimeoutExpired` if it takes longer than that.
    """
    with tempfile.TemporaryDirectory() as kept:
        streams = Streams(*(Path(kept) / name for name in ("in", "out", "err")))
        streams.stdin.write_text(stdin)
        process = Forked(words, environment, folder, streams)
        try:
            code = process.wait(patience_s)
        finally:
            process.kill()
        return Ran(code, streams.stdout.read_text(), streams.stderr.read_text())


def _run(words: Sequence[str], environment: dict[str, str], folder: Path, streams: Streams) -> None:
    """What `python -m foldline` does."""
    os.environ.clear()
    os.environ.update({**environment, PARENT_PID: str(os.getppid())})
    os.chdir(folder)
    os.setsid()  # which makes the first terminal that is opened next its own
    os.dup2(os.open(streams.stdin, os.O_RDONLY), 0)
    for number, stream in ((1, streams.stdout), (2, streams.stderr)):
        os.dup2(os.open(stream, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # a fork server lives for as long as a fork has its pipe
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    if sys.stdin.isatty():
        _look_at_terminal()
    elif stat.S_ISFIFO(os.fstat(1).st_mode):
        _look_at_streams()  # a stream that was a file before still takes itself for one that can seek
    sys.argv = ["foldline", *words]
    if "--processes" in words:
        # Heavy, and imported already where this runs.
        from foldline_testing.product.forked_services import fork_services

        fork_services()
    app()


def _look_at_terminal() -> None:
    """What a program finds out about its terminal as it starts; here that was while none was there."""
    _look_at_streams()
    for console in (output.console, output.errors):
        vars(console).update(vars(Console(emoji=False, stderr=console.stderr)))


def _look_at_streams() -> None:
    """What a program finds out about its output and errors as it starts."""
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.BufferedWriter(io.FileIO(number, "w", closefd=False)), line_buffering=True)
        for number in (1, 2)
    )
