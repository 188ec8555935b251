"""What a worker process gives up before it runs anything: it keeps a socket, its memory and the clock."""

import resource
import signal

from agent_platform.process.cage.cage import Cage, Confinement, Step
from agent_platform.process.cage.seccomp import no_new_privileges
from agent_platform.process.cage.steps import (
    PR_SET_DUMPABLE,
    PR_SET_PDEATHSIG,
    become_user,
    limit,
    prctl,
)
from tool_runner.sandbox.system_calls import restrict

NOBODYS_ID = 65533
"""A user and group that nothing else runs as (Postgres, embedded, is 65534)."""


def confine() -> Confinement:
    """Give up all that this system lets a process give up: what it was, and what could not be, and why."""
    steps: list[Step] = [
        ("own user", lambda: become_user(NOBODYS_ID)),
        ("dies with the runner", lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)),
        ("no dump, no debugger", lambda: prctl(PR_SET_DUMPABLE, 0)),
        ("no new privileges", no_new_privileges),
        ("resource limits", _limits),
        ("system calls", restrict),
    ]
    return Cage(steps).enter()


def _limits() -> None:
    limit(
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        # What is open stays open; nothing can be opened. One, since poll() takes no more descriptors than
        # this.
        (resource.RLIMIT_NOFILE, 1),
    )
