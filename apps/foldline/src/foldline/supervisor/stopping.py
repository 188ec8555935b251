"""How a command that runs for long ends its process, and what it started with it."""

import os
from collections.abc import Coroutine
from typing import Any

import psutil

from agent_platform.process import stopping


def end_with_parent() -> None:
    """Stop when the process ends that the environment names, however it ends."""
    parent = os.environ.get(stopping.PARENT_PID)
    if parent is not None:
        stopping.end_with(int(parent))


def run_until_told_to_stop(work: Coroutine[Any, Any, None]) -> None:
    """`stopping.run_until_told_to_stop`, which leaves no child process behind."""
    stopping.run_until_told_to_stop(work, _end_children)


def _end_children() -> None:
    # A thread may still wait for initdb, which nobody needs any more.
    for child in psutil.Process().children(recursive=True):
        child.kill()
