"""What an earlier Postgres left behind that was killed together with its supervisor."""

import signal
import time
from pathlib import Path

import psutil

from agent_contracts.errors import Transient

_PATIENCE_SECONDS = 20.0
_POLL = 0.05


def clear_leftovers(cluster: Path, *, patience: float = _PATIENCE_SECONDS) -> None:
    """Wait until no process of an earlier run stands in `cluster`, then remove a stale postmaster.pid.

    Postgres's own check looks only at whether *some* process has the id in that file, which in a container is
    soon true of another program: it would refuse to start for ever. Call this with the data directory's lock
    held. Processes that don't end by themselves in half of `patience` (seconds) are told to; raises Transient
    if that doesn't help either.
    """
    pid_file = cluster / "postmaster.pid"
    if not pid_file.exists():
        return
    told = False
    deadline = time.monotonic() + patience
    while left := _processes_in(cluster):
        if time.monotonic() > deadline:
            ids = ", ".join(str(process.pid) for process in left)
            raise Transient(f"an earlier Postgres is still running in {cluster}: end these processes: {ids}")
        if not told and time.monotonic() > deadline - patience / 2:
            told = True
            for process in left:
                process.send_signal(signal.SIGQUIT)
        time.sleep(_POLL)
    pid_file.unlink(missing_ok=True)


def _processes_in(cluster: Path) -> list[psutil.Process]:
    """Running processes whose current folder is `cluster`: every process of Postgres stays in its own."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()) == cluster.resolve():
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue  # ended meanwhile, or another user's
    return found
