"""A keeper: the parent of a foreign program. It ends with the service, and ends all that the program started,
also what left the program's group, since the kernel gives it to the keeper to collect."""

import contextlib
import os
import signal
import time

from agent_platform.process.cage.descendants import below
from agent_platform.process.cage.steps import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_PDEATHSIG,
    CageUnavailable,
    prctl,
)

_WORDS = {signal.SIGTERM, signal.SIGINT}
"""By these the keeper is told to end the program."""
_HEARD = {*_WORDS, signal.SIGCHLD}
_LOOK_S = 0.5
_AGAIN_S, _KILLED_S = 0.05, 0.01
"""Seconds until it is looked again, after the word and after the end."""


class TooMany(Exception):
    """The program started too many processes, and was ended."""


def ties() -> None:
    """End with the service, and get what children leave behind. Where a system has no such ties, the keeper
    still ends what it can see."""
    for option, value in ((PR_SET_PDEATHSIG, signal.SIGTERM), (PR_SET_CHILD_SUBREAPER, 1)):
        with contextlib.suppress(OSError, CageUnavailable):
            prctl(option, value)


def forked() -> int:
    """Fork the process that becomes the program: its id here, 0 there."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEARD)
    return child


def keep(child: int, *, patience_s: float = 0.0, most: int | None = None) -> int | None:
    """Wait until the program ends, or this keeper is told to; then nothing of it is left. The program's exit
    code (negative: the signal that ended it), or None where the keeper was told.

    A program that is ended by word gets SIGTERM, and `patience_s` until it is killed. Raises TooMany once
    there are more than `most` processes.
    """
    while True:
        told = _heard(None if most is None else _LOOK_S)
        code = _reaped(child)
        if code is not None:
            _end_all(0)
            return code
        if told in _WORDS:
            _end_all(patience_s)
            return None
        if most is not None and sum(1 for _ in below(os.getpid())) > most:
            _end_all(0)
            raise TooMany(f"it started more than {most} processes")


def _heard(within_s: float | None) -> int | None:
    if within_s is None:
        return signal.sigwait(_HEARD)
    heard = signal.sigtimedwait(_HEARD, within_s)
    return None if heard is None else heard.si_signo


def _reaped(child: int) -> int | None:
    """Collect what has ended; the program's exit code if it is among that."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                break
            if process == child:
                code = os.waitstatus_to_exitcode(status)
    return code


def _end_all(patience_s: float) -> None:
    """First the word, then the end, until there are no children: a look at all processes misses some while
    they start others. What is another user's by now can't be ended, and is left."""
    deadline = time.monotonic() + patience_s
    while True:
        patient = time.monotonic() < deadline
        left = list(below(os.getpid()))
        told = [_told(process, signal.SIGTERM if patient else signal.SIGKILL) for process in left]
        if left and not any(told):
            return
        ended = 0
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                ended += 1
        except ChildProcessError:
            return
        if patient or not ended:  # else no moment may be lost: what still runs starts others
            time.sleep(_AGAIN_S if patient else _KILLED_S)


def _told(process: int, what: signal.Signals) -> bool:
    """False for a process that isn't ours to end."""
    try:
        os.kill(process, what)
    except ProcessLookupError:
        return True  # it has ended meanwhile
    except PermissionError:
        return False
    return True
