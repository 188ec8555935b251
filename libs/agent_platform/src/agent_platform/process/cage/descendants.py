"""What a process started, and what that started. For keepers, which a bare interpreter runs: nothing here
imports more than the standard library has."""

import os
from collections.abc import Iterator


def below(root: int) -> Iterator[int]:
    """All processes below `root` that still run, parents first. Empty where there is no `/proc`."""
    children: dict[int, list[int]] = {}
    for name in _names("/proc"):
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue  # it ended meanwhile
        if state != b"Z":
            children.setdefault(int(parent), []).append(int(name))
    waiting = [root]
    while waiting:
        for process in children.get(waiting.pop(), ()):
            waiting.append(process)
            yield process


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
