"""Named places where a test may kill this process: between two steps that a crash could separate.

Inert unless the environment names one: `FOLDLINE_STOP_AT=runner.claimed`, or `runner.claimed:3` for the third
time this process comes by. The process then writes the name to `FOLDLINE_STOP_FILE` and kills itself with
SIGKILL, so nothing is cleaned up, as when power fails. Where the file exists already nobody stops: the same
environment can be given to several processes, and to their successors, and exactly one of them dies.
"""

import os
import signal
from collections import Counter

STOP_AT = "FOLDLINE_STOP_AT"
STOP_FILE = "FOLDLINE_STOP_FILE"

_passed: Counter[str] = Counter()


async def stop_point(name: str) -> None:
    """Kill this process here if it was asked to stop at `name`; otherwise nothing happens."""
    asked = os.environ.get(STOP_AT)
    if not asked:
        return
    wanted, _, nth = asked.partition(":")
    if wanted != name:
        return
    _passed[name] += 1
    if _passed[name] != int(nth or 1):
        return
    try:
        marker = os.open(os.environ[STOP_FILE], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    os.write(marker, name.encode())
    os.fsync(marker)
    os.close(marker)
    os.kill(os.getpid(), signal.SIGKILL)
