"""A command with user, mount, process, network, IPC and host name spaces of its own, made by bubblewrap.

It sees this machine's programs, a few files of `/etc`, its folder, a `/tmp` and a `/proc` of its own; of the
network only a loopback of its own. Nothing gains privileges in there, and all of it ends with its first
process: the kernel ends a process namespace as a whole, daemons included.
"""

import os
from collections.abc import Sequence

from agent_platform.process.cage.seccomp import filter_program
from workspace_host import limits
from workspace_host.isolation.user import as_own_user
from workspace_host.isolation.view import INSIDE, FolderView

PRLIMIT = "/usr/bin/prlimit"
"""Of util-linux, which every Debian has."""
_SPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--cap-drop", "ALL", "--hostname", "workspace"),
)
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = (
    *("ssl", "ca-certificates", "pki", "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"),
    *("localtime", "mime.types", "fonts", "nsswitch.conf", "magic", "python3", "java-17-openjdk"),
)


def bubblewrap(program: str, view: FolderView, inner: Sequence[str], filter_fd: int) -> list[str]:
    """The arguments. `filter_fd` is a file of `filter_file`, which the process must inherit."""
    arguments = [
        *as_own_user(),
        PRLIMIT,
        "--core=0",
        f"--fsize={limits.LARGEST_WRITTEN}",
        f"--nofile={limits.OPEN_FILES}",
        f"--data={view.reserved}",
        program,
        *_SPACES,
    ]
    for path in _PROGRAMS:
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            arguments += ["--ro-bind", path, path]
    for name in _ETC:
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for name in ("passwd", "group"):
        arguments += ["--ro-bind", str(view.names / name), f"/etc/{name}"]
    for path in view.also:
        arguments += ["--ro-bind", path, path]
    arguments += ["--proc", "/proc", "--dev", "/dev", "--bind", str(view.shared), "/dev/shm"]
    arguments += ["--remount-ro", "/dev", "--bind", str(view.scratch), "/tmp"]
    arguments += ["--bind", str(view.files), INSIDE, "--dir", "/run"]
    arguments += ["--remount-ro", "/", "--chdir", f"{INSIDE}/{view.folder}", "--seccomp", str(filter_fd)]
    # In a user namespace of its own the processes are counted there, and not with all others of this user.
    return [*arguments, "--", PRLIMIT, f"--nproc={limits.PROCESSES}", *inner]


def filter_file(machine: str) -> int:
    """An open file with the filter on system calls. Raises Unavailable for machines without one."""
    file = os.memfd_create("seccomp", 0)
    os.write(file, filter_program(machine, udp=True, uncounted=False))
    os.lseek(file, 0, os.SEEK_SET)
    return file
