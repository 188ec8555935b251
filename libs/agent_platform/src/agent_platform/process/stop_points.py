"""Named places where a test may kill this process: between two steps that a crash could separate.

Inert unless `FOLDLINE_STOP_DIR` names a folder. A file there, named after a stop point, arms it: the process
that comes by takes the file away and kills itself with SIGKILL, so nothing is cleaned up, as when power
fails. Taking a file away succeeds once, so of several processes exactly one dies. The file's text may hold a
number N: then a process dies when it comes by for the N-th time since it first saw the file. A second number
is for how many seconds it lives on: then it dies wherever it is.
"""

import functools
import os
import signal
import threading
from collections import Counter
from pathlib import Path

STOP_DIR = "FOLDLINE_STOP_DIR"

_passed: Counter[str] = Counter()


async def stop_point(name: str) -> None:
    """Kill this process here if `name` is armed; otherwise nothing."""
    folder = _folder()
    if folder is None:
        return
    left_s = _lives_on(folder / name)
    if left_s == 0:
        _die()
    elif left_s is not None:
        dying = threading.Timer(left_s, _die)
        dying.daemon = True
        dying.start()


def arm(folder: Path, name: str, nth: int = 1, after_s: float = 0) -> None:
    """Let the process that comes by `name` for the `nth` time die there, or so many seconds later."""
    draft = folder / f".{name}"
    draft.write_text(f"{nth} {after_s}")
    draft.rename(folder / name)


def has_fired(folder: Path, name: str) -> bool:
    """Whether a process came by `name`, to die, since it was armed."""
    return not (folder / name).exists()


@functools.cache
def _folder() -> Path | None:
    """Looked for once, at the first stop point: this is on the way of every step."""
    named = os.environ.get(STOP_DIR)
    return Path(named) if named else None


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _lives_on(armed: Path) -> float | None:
    """For how many seconds more, if the process that comes by now is to die."""
    try:
        nth, after_s = _numbers(armed.read_text())
        _passed[armed.name] += 1
        if _passed[armed.name] < nth:
            return None
        armed.unlink()
    except FileNotFoundError:
        return None
    return after_s


def _numbers(text: str) -> tuple[int, float]:
    nth, _, after_s = text.partition(" ")
    return int(nth or 1), float(after_s or 0)
