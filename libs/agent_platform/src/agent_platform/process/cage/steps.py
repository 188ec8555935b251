"""Steps that several cages take, each a call of the kernel. They raise Unavailable where this system has no
such thing, OSError or ValueError where it refuses."""

import ctypes
import os
import resource
import sys

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER = 1, 4, 24, 36


class CageUnavailable(Exception):
    """This system has no such thing, or it isn't written for this system."""


def on_linux() -> None:
    """Raises Unavailable on other systems."""
    if not sys.platform.startswith("linux"):
        raise CageUnavailable("only Linux has it")


def prctl(option: int, value: int) -> None:
    """Change this process, by one of the options above."""
    on_linux()
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def called(number: int, *arguments: object) -> int:
    """What the kernel's call of this number gives."""
    found = ctypes.CDLL(None, use_errno=True).syscall(number, *arguments)
    if found < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(found)


def become_user(user: int) -> None:
    """A user and group of this id, which nothing else runs as. Its process can't be traced by ours."""
    if os.geteuid() != 0:
        raise CageUnavailable("only root can become another user")
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def limit(*limits: tuple[int, int]) -> None:
    """Limit these resources (`resource.RLIMIT_…`), to less where the system allows less."""
    for what, most in limits:
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))
