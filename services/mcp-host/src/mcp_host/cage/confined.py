"""Starts a foreign program with less than we have, and ends it with all that it started. Run by a bare
interpreter, which stays as the program's keeper.

A step that this system doesn't have is left out and reported. Where one `must` be had, the program isn't
started.
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from agent_platform.process.cage import landlock, seccomp
from agent_platform.process.cage.cage import REPORT, Cage, Step
from agent_platform.process.cage.keeper import TooMany, forked, keep, ties
from agent_platform.process.cage.steps import (
    PR_CAPBSET_DROP,
    PR_SET_PDEATHSIG,
    CageUnavailable,
    called,
    limit,
    prctl,
)

NOT_CONFINED = 126
NOT_STARTED = 127
_CAPABILITIES = 64
_CAPSET = {"x86_64": 126, "aarch64": 91, "arm64": 91}
_CAPSET_VERSION = 0x20080522
_WRITABLE = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/shm")


def main() -> None:
    """`argv` is a JSON of what is wanted, then the program and its arguments."""
    wanted = json.loads(sys.argv[1])
    program = sys.argv[2:]
    os.umask(0o077)
    report = os.open(os.path.join(wanted["folder"], REPORT), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    ties()
    child = forked()
    if child == 0:
        _become(wanted, program, report)
    for descriptor in (0, 1, report):
        os.close(descriptor)
    try:
        code = keep(child, patience_s=wanted["ends_s"], most=wanted["processes"])
    except TooMany as error:
        os.write(2, f"\nended by Foldline: {error}\n".encode())
        sys.exit(NOT_CONFINED)
    sys.exit(0 if code is None else code % 256)


def beside(hidden: str) -> list[str]:
    """All files and folders but `hidden` and those that lead to it: together they hold everything else.
    Names that lead there in another way, as links do, are left out, too."""
    found: list[str] = []
    way = Path(hidden).resolve()
    on_the_way = {_identity(one) for one in (way, *way.parents)}
    here = Path("/")
    for part in way.parts[1:]:
        with contextlib.suppress(OSError):  # what we can't list, the program doesn't see
            for name in os.listdir(here):
                path = here / name
                if name == part or way in path.resolve().parents or _identity(path) in on_the_way:
                    continue
                found.append(str(path))
        here = here / part
    return found


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        known = path.stat()
    except OSError:
        return None
    return known.st_dev, known.st_ino


def _become(wanted: dict[str, Any], program: list[str], report: int) -> None:
    steps: list[Step] = [
        ("no new privileges", seccomp.no_new_privileges),
        ("resource limits", lambda: _limits(wanted)),
        ("nothing of an administrator", _no_capabilities),
        ("no sight of Foldline's files", lambda: _files(wanted)),
        ("system calls", lambda: seccomp.restrict(udp=True)),
        ("ends with its keeper", lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)),
    ]
    confinement = Cage(steps, wanted["must"]).enter()
    os.write(report, json.dumps(confinement._asdict()).encode())
    if confinement.missing:
        os._exit(NOT_CONFINED)
    try:
        os.chdir(wanted["cwd"])
        os.execvp(program[0], program)
    except OSError as error:
        os.write(2, f"{program[0]} can't be started: {error.strerror}\n".encode())
        os._exit(NOT_STARTED)


def _files(wanted: dict[str, Any]) -> None:
    readable = beside(wanted["hidden"])
    writable = (*_WRITABLE, wanted["folder"], *wanted["writable"])
    landlock.restrict(readable, writable, None, runs_what_it_writes=True)


def _limits(wanted: dict[str, Any]) -> None:
    limit(
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, wanted["file_size"]),
        (resource.RLIMIT_NOFILE, wanted["open_files"]),
        # Memory that a process may write. Not RLIMIT_AS: engines reserve addresses by the terabyte.
        (resource.RLIMIT_DATA, wanted["memory"]),
    )


def _no_capabilities() -> None:
    """Root without its rights owns root's files, and no more."""
    if os.geteuid() != 0:
        return
    for capability in range(_CAPABILITIES):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # there are no more
    number = _CAPSET.get(os.uname().machine)
    if number is None:
        raise CageUnavailable("not written for this machine")
    called(number, (ctypes.c_uint32 * 2)(_CAPSET_VERSION, 0), (ctypes.c_uint32 * 6)())
