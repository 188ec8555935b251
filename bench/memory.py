"""What everything weighs when nothing happens."""

from pathlib import Path

import msgspec
import psutil

from agent_platform.services.serve import MODULE

_MB = 2**20


class Weight(msgspec.Struct, frozen=True):
    """One process, or several: resident and proportional set size in MB. Shared pages count in full in RSS,
    and once in all in PSS."""

    name: str
    rss: float
    pss: float


def weights(pid: int) -> list[Weight]:
    """The process and all below it, Postgres's as one."""
    root = psutil.Process(pid)
    by_name: dict[str, tuple[int, int]] = {}
    for process in (root, *root.children(recursive=True)):
        try:
            name, rss, pss = _name(process, root), process.memory_info().rss, _pss(process.pid)
        except (psutil.Error, OSError):
            continue  # it has ended meanwhile
        earlier = by_name.get(name, (0, 0))
        by_name[name] = (earlier[0] + rss, earlier[1] + pss)
    return [Weight(name, rss / _MB, pss / _MB) for name, (rss, pss) in by_name.items()]


def _name(process: psutil.Process, root: psutil.Process) -> str:
    words = process.cmdline()
    if words[-2:-1] == [MODULE]:
        return words[-1]
    program = process.name()
    if program.startswith("python"):  # those that run agents' code, and documents
        return "up" if process.pid == root.pid else "workers of the runner"
    return program


def _pss(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
