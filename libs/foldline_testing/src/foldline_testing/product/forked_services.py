"""Services as processes that a supervisor forks from itself: it has imported all that they run.

Started anew, each takes one to three seconds of a processor for that, and so again after each kill.
"""

import asyncio
import logging
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from ctypes import CDLL
from pathlib import Path

from structlog._config import BoundLoggerLazyProxy

from agent_platform.secrecy.known_secrets import KNOWN, KnownSecrets
from agent_platform.services.embedded.process import until_ended
from agent_platform.services.serve import main
from foldline.supervisor.processes import Processes

_PR_SET_NAME = 15
_LONGEST_NAME = 15
_OPEN = Path("/proc/self/fd")


class ForkedService:
    """A child process, used as one of asyncio's."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    async def wait(self) -> int:
        """Its exit code; minus the number of a signal that ended it."""
        while self.returncode is None:
            await until_ended(self.pid)
            if self.returncode is None:  # nobody else who waits was told before
                ended, status = os.waitpid(self.pid, os.WNOHANG)  # noqa: ASYNC222 — without waiting
                self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """A signal, if it still runs."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)


def fork_services() -> None:
    """Have the supervisor of this process fork its services from now on. Elsewhere than on Linux nothing
    changes."""
    if sys.platform == "linux":
        setattr(Processes, "_child", _child)  # noqa: B010 — a method, which mypy lets nobody assign


async def _child(self: Processes, name: str, *how: str, replica: int = 0) -> ForkedService:
    environment = self.environment_of(name, replica)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    held = _open_files()
    pid = os.fork()
    if pid:
        return ForkedService(pid)
    code = 1
    try:
        _forget_the_parent(" ".join([name, *how]), environment, held)
        code = main(name, *how)
    except SystemExit as said:
        code = said.code if isinstance(said.code, int) else 1
        if isinstance(said.code, str):
            print(said.code, file=sys.stderr)
    except BaseException:  # what the interpreter would print at its end, which this process doesn't come to
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _open_files() -> dict[int, str]:
    """The file descriptors that this process has open, but for the standard streams."""
    found = {}
    for one in _OPEN.iterdir():
        try:
            found[int(one.name)] = os.readlink(one)
        except FileNotFoundError:
            continue  # the folder itself, while it was read
    return {number: target for number, target in found.items() if number > 2}


def _forget_the_parent(name: str, environment: Mapping[str, str], held: dict[int, str]) -> None:
    """Be as a process that has just begun, without what its parent runs, has open, was told and knows."""
    asyncio.events._set_running_loop(None)
    signal.set_wakeup_fd(-1)
    for told in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(told, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.setsid()
    for handler in logging.getLogger().handlers[:]:  # the file of the parent's log is not ours
        logging.getLogger().removeHandler(handler)
        handler.close()
    for number, target in _open_files().items():
        if held.get(number) == target:  # what a library opened anew in the fork is another one
            os.close(number)
    os.environ.clear()
    os.environ.update(environment)
    CDLL(None).prctl(_PR_SET_NAME, name.encode()[:_LONGEST_NAME], 0, 0, 0)
    vars(KNOWN).update(vars(KnownSecrets()))
    for module in list(sys.modules.values()):
        for name_of_log in ("_log", "log"):
            log = vars(module).get(name_of_log)
            if isinstance(log, BoundLoggerLazyProxy):
                vars(log).pop("bind", None)  # it remembers how its parent logs
