"""Runs a command, confined by Landlock, seccomp and limits if that is wanted, and ends with it all that it
started. Run by a bare interpreter, where there are no namespaces: it takes in what daemons leave behind.
"""

import ctypes
import json
import os
import resource
import signal
import sys

from agent_platform.process.confining import landlock, seccomp
from agent_platform.process.confining.descendants import below

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
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
    libc = ctypes.CDLL(None, use_errno=True)
    confined = bool(wanted["confined"])
    if confined and wanted["user"] is not None:
        os.setgroups([])
        os.setresgid(wanted["user"], wanted["user"], wanted["user"])
        os.setresuid(wanted["user"], wanted["user"], wanted["user"])
    if sys.platform.startswith("linux"):
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != wanted["service"]:
        sys.exit(NOBODY_LEFT)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGCHLD})
            _limit(wanted, confined)
            os.chdir(wanted["folder"])
            if confined:
                seccomp.no_new_privileges()
                writable = (*wanted["writable"], *_DEVICES)
                landlock.restrict((*_READABLE, *wanted["also"]), writable, (), runs_what_it_writes=True)
                seccomp.restrict(sockets=False, uncounted=False)
            os.execvp(program[0], program)
        except (OSError, ValueError, seccomp.Unavailable) as error:
            print(f"it can't be run: {error}", file=sys.stderr, flush=True)
        os._exit(CANT_RUN)
    # These are the command's alone: were they open here, nobody would see that it closed them.
    for stream in (0, 1, 2):
        os.close(stream)
    os._exit(_until_over(child))


def _until_over(child: int) -> int:
    """Wait until the command ends or somebody wants it to; end whatever is left of it."""
    code = 128 + signal.SIGKILL
    while True:
        if signal.sigwait({signal.SIGTERM, signal.SIGCHLD}) == signal.SIGTERM:
            break
        over, status = _reaped(child)
        if over:
            found = os.waitstatus_to_exitcode(status)
            code = found if found >= 0 else 128 - found
            break
    while True:
        for process in below(os.getpid()):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return code


def _reaped(child: int) -> tuple[bool, int]:
    """Bury who has died; whether the command itself is among them, and how it ended."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True, 0
        if process == 0:
            return False, 0
        if process == child:
            return True, status


def _limit(wanted: dict[str, int], confined: bool) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (wanted["largest"], wanted["largest"]))
    if not confined:
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted["open"], wanted["open"]))
    resource.setrlimit(resource.RLIMIT_DATA, (wanted["memory"], wanted["memory"]))
    most = wanted["processes"] + _threads_of(os.getuid())
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


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
