"""Processes for tests to kill, forked from one that has imported what they run: a start costs no seconds."""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from agent_platform.process.stopping import end_with

_CONTEXT = multiprocessing.get_context("forkserver")
_imported: set[str] = set()


def keep_warm(module: str) -> None:
    """Have a module imported once, by the process from which others are forked: by all that fork in this one.

    To be called where a test module is imported: once the first process was forked, it is too late.
    """
    _imported.add(module)
    _CONTEXT.set_forkserver_preload(sorted(_imported))


def _run(main: Callable[[], int | None], environment: dict[str, str], folder: Path) -> None:
    end_with(os.getppid(), signal.SIGKILL)  # the server ends with the test run
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    with (folder / "processes.log").open("ab") as log:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # the server lives for as long as somebody has its pipe
    sys.exit(main())


class WarmProcess:
    """A process of its own, as asyncio's."""

    def __init__(self, process: multiprocessing.context.ForkServerProcess) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """What it ended with, a signal as a negative number; None while it runs."""
        return self._process.exitcode

    async def wait(self) -> int:
        """What it ended with, once it has."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process.sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        self._process.join()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """A signal, if it still runs."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)


class WarmProgram:
    """A function of some module, to be run as processes; make it where a test module is imported.

    What all these functions' modules import is imported once, before the first process of a test run starts.
    """

    def __init__(self, main: Callable[[], int | None]) -> None:
        self._main = main
        keep_warm(main.__module__)

    async def start(self, environment: Mapping[str, str], folder: Path) -> WarmProcess:
        """Run it with this environment, and only that, in `folder`, where its output goes to `processes.log`.

        It has begun when this returns, no more.
        """
        process = _CONTEXT.Process(target=_run, args=(self._main, dict(environment), folder))
        await asyncio.to_thread(process.start)
        return WarmProcess(process)
