"""Which processes belong to a command, and the memory that they have."""

import os
import signal
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

_HELD_S, _HELD_TRIES = 0.001, 500
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class ProcessInfo:
    """A process of this machine: its parent, its name and how many bytes of memory it has in hand."""

    parent: int
    name: str
    resident: int


def seen() -> Mapping[int, ProcessInfo]:
    """All of them, now. Empty where the system has no `/proc`."""
    found: dict[int, ProcessInfo] = {}
    try:
        names = os.listdir("/proc")
    except FileNotFoundError:
        return found
    for name in names:
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    head, _, rest = file.read().rpartition(b")")
            except OSError:
                continue
            fields = rest.split()
            if len(fields) > 21:
                title = head.partition(b"(")[2].decode(errors="replace")
                found[int(name)] = ProcessInfo(int(fields[1]), title, int(fields[21]) * _PAGE)
    return found


def below(root: int, processes: Mapping[int, ProcessInfo]) -> list[int]:
    """A process, and all that it started, as far as they aren't others' by now."""
    children: dict[int, list[int]] = {}
    for process, one in processes.items():
        children.setdefault(one.parent, []).append(process)
    found, waiting = [], [root] if root in processes else []
    while waiting:
        process = waiting.pop()
        found.append(process)
        waiting += children.get(process, ())
    return found


def kill_all(root: int) -> None:
    """Kill a process and all below it. It is held first, so that it starts nothing between our look and our
    blow: what it had just begun would outlive it. Blocking."""
    try:
        os.kill(root, signal.SIGSTOP)
        for _ in range(_HELD_TRIES):
            if _is_held(root):
                break
            time.sleep(_HELD_S)
        for process in reversed(below(root, seen())):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return  # it is over


def _is_held(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"Z")
    except OSError:
        return True


def memory_of(members: Iterable[int], processes: Mapping[int, ProcessInfo], most: int) -> int:
    """Bytes that these have. What they share is counted once where it matters, and where we may know."""
    members = [one for one in members if one in processes]
    rough = sum(processes[one].resident for one in members)
    return rough if rough <= most else sum(_share_of(one, processes[one].resident) for one in members)


def _share_of(process: int, resident: int) -> int:
    try:
        with open(f"/proc/{process}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        return resident
    return resident
