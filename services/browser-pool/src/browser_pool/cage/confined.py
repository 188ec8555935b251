"""Gives up all that Chromium doesn't need, then becomes Chromium. Run by a bare interpreter.

A step that this system doesn't have is left out and reported; the service decides what to make of that.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import sys

from agent_platform.process.cage import landlock, seccomp
from agent_platform.process.cage.cage import REPORT, Cage, Step
from agent_platform.process.cage.steps import (
    PR_SET_DUMPABLE,
    PR_SET_PDEATHSIG,
    CageUnavailable,
    become_user,
    limit,
    on_linux,
    prctl,
)

OWN_ID = 65532
"""A user and group that nothing else runs as (the sandbox is 65533; Postgres, embedded, is 65534)."""
NOBODY_LEFT = 125
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_LARGEST_FILE = 512 * 1024 * 1024
_OPEN_FILES = 8192
_KILLED_FIRST = "500"
_FIRST_PROCESS_HAS = 4
"""Times the memory of a page's process."""
_PRLIMIT = "/usr/bin/prlimit"
_PIPES = (3, 4)
"""Where Chromium hears what it is told, and says what it says."""

_READABLE = (
    *("/usr", "/bin", "/lib", "/lib64", "/opt", "/proc", "/sys/devices", "/sys/bus", "/sys/dev"),
    *("/etc/fonts", "/etc/ssl", "/etc/ca-certificates", "/etc/pki", "/etc/alternatives", "/etc/ld.so.cache"),
    *("/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/nsswitch.conf", "/etc/localtime", "/etc/mime.types"),
    *("/etc/chromium", "/etc/chromium.d", "/var/cache/fontconfig", "/var/lib/fontconfig"),
)
_WRITABLE = ("/proc", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/shm")


def main() -> None:
    """`argv` is a JSON of what is wanted, then the program and its arguments."""
    wanted = json.loads(sys.argv[1])
    program = sys.argv[2:]
    folder = wanted["folder"]
    if not _lives(wanted["service"]):
        sys.exit(NOBODY_LEFT)  # whoever asked has ended already
    if wanted["tap"] is not None:
        _through(wanted["tap"])
    os.umask(0o077)
    report = os.open(os.path.join(folder, REPORT), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    os.chdir(folder)
    readable = (*_READABLE, *wanted["readable"])
    abi = 0

    def files() -> None:
        nonlocal abi
        abi = landlock.restrict(readable, (*_WRITABLE, folder), wanted["ports"])

    def of_pages() -> None:
        if not os.access(_PRLIMIT, os.X_OK):
            raise CageUnavailable(f"{_PRLIMIT} is missing (Debian's package util-linux)")
        memory = wanted["memory"]
        program.append(f"--zygote-cmd-prefix={_PRLIMIT} --data={memory}:{memory}")

    def dialling() -> None:
        if abi < 4:
            raise CageUnavailable("needs Landlock's version 4 (Linux 6.7)")

    steps: list[Step] = [
        ("is ended first when memory is short", _ended_first),
        ("own user", lambda: become_user(OWN_ID)),
        ("dies with the service", lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL)),
        ("no new privileges", seccomp.no_new_privileges),
        ("resource limits", lambda: _limits(wanted["memory"])),
        ("limits of each page", of_pages),
        ("only its own files", files),
        ("dials nothing but its proxies", dialling),
        ("system calls", seccomp.restrict),
        ("Chromium's own sandbox", _namespaces),
    ]
    confinement = Cage(steps).enter()
    if steps[-1][0] not in confinement.got:
        program.append("--no-sandbox")
    os.write(report, json.dumps({"process": os.getpid(), **confinement._asdict()}).encode())
    os.execv(program[0], program)


def _through(tap: str) -> None:
    """The service comes between Playwright and what this becomes: it takes the pipes, and gives others."""
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(tap)
        socket.send_fds(door, [b"!"], _PIPES)
        _, ends, _, _ = socket.recv_fds(door, 1, len(_PIPES))
    for end, pipe in zip(ends, _PIPES, strict=True):
        os.dup2(end, pipe)
        os.close(end)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _ended_first() -> None:
    on_linux()
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write(_KILLED_FIRST)


def _limits(memory: int) -> None:
    limit(
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, _LARGEST_FILE),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        # Memory that a process may write. Not RLIMIT_AS: engines reserve addresses by the terabyte.
        # This is the first process, which keeps what all pages store: one that stores much must not end all.
        (resource.RLIMIT_DATA, memory * _FIRST_PROCESS_HAS),
    )
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file that is too large is an error, and no death


def _namespaces() -> None:
    """Whether Chromium could build its sandbox, tried in a child: a user namespace, with rights inside."""
    if not sys.platform.startswith("linux"):
        return  # macOS has a sandbox of its own, always
    if os.geteuid() == 0:
        raise CageUnavailable("it refuses to run as root")
    child = os.fork()
    if child == 0:
        user, group = os.getuid(), os.getgid()
        libc = ctypes.CDLL(None, use_errno=True)
        try:
            libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # lost with the user, and back in Chromium
            if libc.unshare(_NEW_USER):
                os._exit(1)
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
            os._exit(2 if libc.unshare(_NEW_NET) else 0)
        except OSError:
            os._exit(2)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise CageUnavailable(
            "this system allows no user namespaces"
            if code == 1
            else "this system's user namespaces give no rights"
        )
