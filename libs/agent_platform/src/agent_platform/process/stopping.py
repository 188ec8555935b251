"""How a program that runs for long is told to stop: SIGINT (Ctrl-C) or SIGTERM, at any moment."""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Collection, Coroutine
from typing import Any, NoReturn

try:
    from uvloop import run
except ImportError:  # Windows, PyPy: slower, and otherwise the same
    from asyncio import run  # type: ignore[assignment]

PARENT_PID = "FOLDLINE_PARENT_PID"
"""Who starts a program and is to be outlived by nothing of it names itself here."""
_PR_SET_PDEATHSIG = 1
_FINISH_S = 1.0
_CANCELLED_S = 0.4


def end_with(parent: int, how: signal.Signals = signal.SIGTERM) -> None:
    """Let this process get the signal when process `parent`, which started it, ends, even by SIGKILL.

    Linux sends it when the *thread* ends that started this process. Elsewhere nothing happens.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, how, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the process that started this one has ended already")


async def finish_or_cancel(tasks: Collection[asyncio.Task[None]]) -> tuple[int, int]:
    """What a service does at its end with the work in hand: a second to finish, then it is cancelled.

    How many were cancelled, and how many of these had not ended after 0.4 s more.
    """
    if tasks:
        await asyncio.wait(list(tasks), timeout=_FINISH_S)
    rest = [task for task in tasks if not task.done()]
    for task in rest:
        task.cancel()
    stuck = (await asyncio.wait(rest, timeout=_CANCELLED_S))[1] if rest else ()
    return len(rest), len(stuck)


async def until_told_to_stop(work: Coroutine[Any, Any, None]) -> None:
    """Run it to its end, or until a signal comes: that cancels it once, and it has closed in order on return.

    Signals count from the first moment on, also while `work` is still starting. Raises what it raises.
    """
    task = asyncio.ensure_future(work)
    told = False

    def stop() -> None:
        nonlocal told
        if not told:
            told = True
            task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        await task
    except asyncio.CancelledError:
        if not told:
            raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def run_until_told_to_stop(
    work: Coroutine[Any, Any, None], before_leaving: Callable[[], None] = lambda: None
) -> None:
    """`until_told_to_stop` as a program: ends the process, with exit code 0, once it has closed in order.

    `before_leaving` is the last thing that is done. Raises what the work raises.
    """
    run(_then_leave(work, before_leaving))


async def _then_leave(work: Coroutine[Any, Any, None], before_leaving: Callable[[], None]) -> NoReturn:
    await until_told_to_stop(work)
    # Everything is closed. Python would now take itself apart: a second or two with litellm in it, and more
    # if a thread is still importing that, of which nothing counts that is half done.
    before_leaving()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
