"""What everything takes of processors."""

from contextlib import suppress

import psutil


def cpu_ms(pid: int) -> float:
    """What the process and all below it took of processors so far."""
    root = psutil.Process(pid)
    took = 0.0
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.Error):  # it has ended meanwhile
            times = process.cpu_times()
            took += times.user + times.system
    return took * 1000
