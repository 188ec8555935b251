"""Becomes a server program that gets a signal (0: none) when its parent ends. Run as a script:

    python -I -S launch.py DEATH_SIGNAL PARENT_PID USER_ID|- PROGRAM ARGUMENT...

A process of its own, instead of `preexec_fn`: the parent has threads when it restarts a server, and Python
code between fork and exec can deadlock there (from 3.12 on it warns). Costs about 20 ms.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
NOBODY_LEFT = 125


def main(death_signal: int, parent: int, user: int | None, program: list[str]) -> None:
    """Drop to `user` (and the group of the same number), tie this process to `parent`, become `program`."""
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user) if hasattr(os, "setresgid") else os.setgid(user)
        os.setresuid(user, user, user) if hasattr(os, "setresuid") else os.setuid(user)
    if sys.platform == "linux" and death_signal:
        # After the change of user, which would clear it.
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent:
        # The parent ended before the signal was asked for.
        sys.exit(NOBODY_LEFT)
    os.execv(program[0], program)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), None if sys.argv[3] == "-" else int(sys.argv[3]), sys.argv[4:])
