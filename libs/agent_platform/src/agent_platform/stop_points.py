"""Named places where a test may kill this process: between two steps that a crash could separate.

Inert unless `FOLDLINE_STOP_DIR` names a folder. A file there, named after a stop point, arms it: the process
that comes by takes the file away and kills itself with SIGKILL, so nothing is cleaned up, as when power
fails. Taking a file away succeeds once, so of several processes exactly one dies. The file's text may hold a
number N: then a process dies when it comes by for the N-th time since it first saw the file.
"""

import os
import signal
from collections import Counter
from pathlib import Path

STOP_DIR = "FOLDLINE_STOP_DIR"

_passed: Counter[str] = Counter()


async def stop_point(name: str) -> None:
    """Kill this process here if `name` is armed; otherwise nothing, at the cost of a look-up."""
    folder = os.environ.get(STOP_DIR)
    if folder and _is_due(Path(folder) / name):
        os.kill(os.getpid(), signal.SIGKILL)


def arm(folder: Path, name: str, nth: int = 1) -> None:
    """Let the process that comes by `name` for the `nth` time die there."""
    draft = folder / f".{name}"
    draft.write_text(str(nth))
    draft.rename(folder / name)


def has_fired(folder: Path, name: str) -> bool:
    """Whether a process died at `name` since it was armed."""
    return not (folder / name).exists()


def _is_due(armed: Path) -> bool:
    try:
        nth = int(armed.read_text() or 1)
        _passed[armed.name] += 1
        if _passed[armed.name] < nth:
            return False
        armed.unlink()
    except FileNotFoundError:
        return False
    return True
