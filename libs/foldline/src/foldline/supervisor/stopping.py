"""How a command that runs for long is told to stop: SIGINT (Ctrl-C) or SIGTERM, at any moment."""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any, NoReturn

import psutil


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


def run_until_told_to_stop(work: Coroutine[Any, Any, None]) -> None:
    """`until_told_to_stop` as a program: ends the process, with exit code 0, once it has closed in order.

    Raises what the work raises.
    """
    asyncio.run(_then_leave(work))


async def _then_leave(work: Coroutine[Any, Any, None]) -> NoReturn:
    await until_told_to_stop(work)
    # Everything is closed. Python would now take itself apart: a second or two with litellm in it, and more
    # if a thread is still importing that, or waits for initdb, of which nothing counts that is half done.
    for child in psutil.Process().children(recursive=True):
        child.kill()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
