"""Runs a command, confined by Landlock, seccomp and limits if that is wanted, and ends with it all that it
started. Run by a bare interpreter, where there are no namespaces: it takes in what daemons leave behind.
"""

import json
import os
import resource
import signal
import sys
from typing import Any

from agent_platform.process.cage import landlock, seccomp
from agent_platform.process.cage.cage import Cage, Step
from agent_platform.process.cage.keeper import forked, keep, ties
from agent_platform.process.cage.steps import become_user, limit

NOBODY_LEFT = 125
CANT_RUN = 126
_READABLE = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ssl", "/etc/ca-certificates", "/etc/pki"),
    *("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/mime.types", "/etc/fonts", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/proc"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def main() -> None:
    """`argv` is a JSON of what is wanted, then the program and its arguments."""
    wanted, program = json.loads(sys.argv[1]), sys.argv[2:]
    if wanted["confined"] and wanted["user"] is not None:
        become_user(wanted["user"])
    ties()
    if os.getppid() != wanted["service"]:
        sys.exit(NOBODY_LEFT)
    child = forked()
    if child == 0:
        _become(wanted, program)
    # These are the command's alone: were they open here, nobody would see that it closed them.
    for stream in (0, 1, 2):
        os.close(stream)
    code = keep(child)
    code = -signal.SIGKILL if code is None else code
    os._exit(code if code >= 0 else 128 - code)


def _become(wanted: dict[str, Any], program: list[str]) -> None:
    """In a cage that has all its steps, or not at all."""
    steps: list[Step] = [("size of files", lambda: _sizes(wanted))]
    if wanted["confined"]:
        steps += [
            ("resource limits", lambda: _limits(wanted)),
            ("no new privileges", seccomp.no_new_privileges),
            ("only its own files", lambda: _own_files(wanted)),
            ("system calls", lambda: seccomp.restrict(sockets=False, uncounted=False)),
        ]
    try:
        os.setsid()
        os.chdir(wanted["folder"])
        missing = Cage(steps, [name for name, _ in steps]).enter().missing
        if not missing:
            os.execvp(program[0], program)
        why = "; ".join(missing)
    except (OSError, ValueError) as error:
        why = str(error)
    print(f"it can't be run: {why}", file=sys.stderr, flush=True)
    os._exit(CANT_RUN)


def _own_files(wanted: dict[str, Any]) -> None:
    writable = (*wanted["writable"], *_DEVICES)
    landlock.restrict((*_READABLE, *wanted["also"]), writable, (), runs_what_it_writes=True)


def _sizes(wanted: dict[str, Any]) -> None:
    limit((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, wanted["largest"]))


def _limits(wanted: dict[str, Any]) -> None:
    limit(
        (resource.RLIMIT_NOFILE, wanted["open"]),
        (resource.RLIMIT_DATA, wanted["memory"]),
        (resource.RLIMIT_NPROC, wanted["processes"] + _threads_of(os.getuid())),
    )


def _threads_of(user: int) -> int:
    """Of all processes of a user: the kernel counts them together."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                if os.stat(f"/proc/{name}").st_uid == user:
                    total += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return total
