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
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_platform.process.confining import landlock, seccomp
from agent_platform.process.confining.descendants import below
from agent_platform.process.confining.seccomp import Unavailable

NOT_CONFINED = 126
NOT_STARTED = 127
REPORT = "cage.json"
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER = 1, 24, 36
_CAPABILITIES = 64
_CAPSET = {"x86_64": 126, "aarch64": 91, "arm64": 91}
_CAPSET_VERSION = 0x20080522
_LOOK_S = 0.5
_WRITABLE = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/shm")


def main() -> None:
    """`argv` is a JSON of what is wanted, then the program and its arguments."""
    wanted = json.loads(sys.argv[1])
    program = sys.argv[2:]
    os.umask(0o077)
    report = os.open(os.path.join(wanted["folder"], REPORT), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD, signal.SIGINT})
    _keeps_what_it_starts()
    child = os.fork()
    if child == 0:
        _become(wanted, program, report)
    for descriptor in (0, 1, report):
        os.close(descriptor)
    sys.exit(_keep(child, wanted["processes"], wanted["ends_s"]))


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
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    steps: list[tuple[str, Callable[[], None]]] = [
        ("no new privileges", seccomp.no_new_privileges),
        ("resource limits", lambda: _limits(wanted)),
        ("nothing of an administrator", _no_capabilities),
        ("no sight of Foldline's files", lambda: _files(wanted)),
        ("system calls", lambda: seccomp.restrict(udp=True)),
        ("ends with its keeper", lambda: _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)),
    ]
    got, lacks = [], []
    for name, step in steps:
        try:
            step()
        except (OSError, ValueError, Unavailable) as error:
            lacks.append(f"{name}: {error}")
        else:
            got.append(name)
    missing = [lack for lack in lacks if lack.partition(": ")[0] in wanted["must"]]
    os.write(report, json.dumps({"got": got, "lacks": lacks, "missing": missing}).encode())
    if missing:
        os._exit(NOT_CONFINED)
    try:
        os.chdir(wanted["cwd"])
        os.execvp(program[0], program)
    except OSError as error:
        os.write(2, f"{program[0]} can't be started: {error.strerror}\n".encode())
        os._exit(NOT_STARTED)


def _keep(child: int, processes: int, ends_s: float) -> int:
    """Wait until the program ends, or this keeper is told to; then nothing of it is left."""
    while True:
        told = signal.sigtimedwait({signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}, _LOOK_S)
        code = _reaped(child)
        if code is not None:
            _end_all(0)
            return code
        if told is not None and told.si_signo in (signal.SIGTERM, signal.SIGINT):
            _end_all(ends_s)
            return 0
        if sum(1 for _ in below(os.getpid())) > processes:
            os.write(2, f"\nended by Foldline: it started more than {processes} processes\n".encode())
            _end_all(0)
            return NOT_CONFINED


def _reaped(child: int) -> int | None:
    """Collect what has ended; the program's exit code if it is among that."""
    code = None
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if process == 0:
            return code
        if process == child:
            code = os.waitstatus_to_exitcode(status) % 256


def _end_all(patience_s: float) -> None:
    """First the word, then the end: also of what left the group, since all of it is ours to collect."""
    deadline = time.monotonic() + patience_s
    while patience_s and time.monotonic() < deadline:
        left = list(below(os.getpid()))
        if not left:
            return
        for process in left:
            _kill(process, signal.SIGTERM)
        time.sleep(min(0.05, patience_s))
        _reaped(-1)
    for _ in range(100):
        left = list(below(os.getpid()))
        if not left:
            return
        for process in left:
            _kill(process, signal.SIGKILL)
        time.sleep(0.01)
        _reaped(-1)


def _kill(process: int, what: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended, or is another user's now
        os.kill(process, what)


def _keeps_what_it_starts() -> None:
    """Ends with the service, and gets what its children leave behind. Where that can't be had there is
    nothing to do but to go on: the report is the child's."""
    for option, value in ((_PR_SET_PDEATHSIG, signal.SIGTERM), (_PR_SET_CHILD_SUBREAPER, 1)):
        try:
            _prctl(option, value)
        except (OSError, Unavailable):
            continue


def _files(wanted: dict[str, Any]) -> None:
    readable = beside(wanted["hidden"])
    writable = (*_WRITABLE, wanted["folder"], *wanted["writable"])
    landlock.restrict(readable, writable, None, runs_what_it_writes=True)


def _limits(wanted: dict[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (wanted["file_size"], wanted["file_size"]))
    for limit, most in (
        (resource.RLIMIT_NOFILE, wanted["open_files"]),
        # Memory that a process may write. Not RLIMIT_AS: engines reserve addresses by the terabyte.
        (resource.RLIMIT_DATA, wanted["memory"]),
    ):
        hard = resource.getrlimit(limit)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most, most))


def _no_capabilities() -> None:
    """Root without its rights owns root's files, and no more."""
    if os.geteuid() != 0:
        return
    for capability in range(_CAPABILITIES):
        try:
            _prctl(_PR_CAPBSET_DROP, capability)
        except OSError:
            break  # there are no more
    libc = ctypes.CDLL(None, use_errno=True)
    number = _CAPSET.get(os.uname().machine)
    if number is None:
        raise Unavailable("not written for this machine")
    header = (ctypes.c_uint32 * 2)(_CAPSET_VERSION, 0)
    if libc.syscall(number, header, (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _prctl(option: int, value: int) -> None:
    if not sys.platform.startswith("linux"):
        raise Unavailable("only Linux has it")
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
