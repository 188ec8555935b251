"""What a worker process gives up before it runs anything: it keeps a socket, its memory and the clock."""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable

from tool_runner.sandbox.seccomp import Unavailable, no_new_privileges, restrict

NOBODYS_ID = 65533
"""A user and group that nothing else runs as (Postgres, embedded, is 65534)."""
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4


def confine() -> tuple[list[str], list[str]]:
    """Give up all that this system lets a process give up: what it was, and what could not be, and why."""
    steps: list[tuple[str, Callable[[], None]]] = [
        ("own user", _own_user),
        ("dies with the runner", lambda: _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)),
        ("no dump, no debugger", lambda: _prctl(_PR_SET_DUMPABLE, 0)),
        ("no new privileges", no_new_privileges),
        ("resource limits", _limits),
        ("system calls", restrict),
    ]
    got, lacks = [], []
    for name, step in steps:
        try:
            step()
        except (OSError, ValueError, Unavailable) as error:
            lacks.append(f"{name}: {error}")
        else:
            got.append(name)
    return got, lacks


def _own_user() -> None:
    if os.geteuid() != 0:
        raise Unavailable("only root can become another user")
    os.setgroups([])
    os.setresgid(NOBODYS_ID, NOBODYS_ID, NOBODYS_ID)
    os.setresuid(NOBODYS_ID, NOBODYS_ID, NOBODYS_ID)


def _limits() -> None:
    for limit in (
        resource.RLIMIT_CORE,
        resource.RLIMIT_FSIZE,
        resource.RLIMIT_NPROC,
        resource.RLIMIT_MEMLOCK,
    ):
        resource.setrlimit(limit, (0, 0))
    # What is open stays open; nothing can be opened. One, since poll() takes no more descriptors than this.
    resource.setrlimit(resource.RLIMIT_NOFILE, (1, 1))


def _prctl(option: int, value: int) -> None:
    if not sys.platform.startswith("linux"):
        raise Unavailable("only Linux has it")
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
