"""Removing and measuring what commands left, however deep it is."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import structlog

log = structlog.get_logger()

_REMOVE_S = 120.0
_MEASURE_S = 10.0


def remove_all(place: Path) -> None:
    """Remove a folder with all that is in it. Links are removed, not followed. Python's own way recurses, and
    has an end at a depth that a command exceeds with ease."""
    try:
        subprocess.run(["rm", "-rf", "--", str(place)], check=True, capture_output=True, timeout=_REMOVE_S)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("workspace.not_removed", folder=str(place), reason=str(error))


def size_of(places: Sequence[Path]) -> int | None:
    """Bytes of disk that all in these folders takes; None where that can't be told in time."""
    return _total("--block-size=1", places)


def entries_of(places: Sequence[Path]) -> int | None:
    """How many files and folders are in these; None where that can't be told in time."""
    return _total("--inodes", places)


def _total(how: str, places: Sequence[Path]) -> int | None:
    command = ["du", "-s", "-c", "-x", how, "--", *map(str, places)]
    try:
        ran = subprocess.run(command, check=False, capture_output=True, timeout=_MEASURE_S)
    except (OSError, subprocess.SubprocessError):
        return None
    last = ran.stdout.strip().rpartition(b"\n")[2].split(b"\t")[0]
    return int(last) if last.isdigit() else None
