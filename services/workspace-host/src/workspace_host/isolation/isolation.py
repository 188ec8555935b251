"""How well commands can be isolated on this machine, and with what."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_platform.process.cage import landlock, seccomp
from agent_platform.process.cage.steps import CageUnavailable
from workspace_host.isolation.bubblewrap import PRLIMIT, bubblewrap, filter_file
from workspace_host.isolation.supervising import supervised
from workspace_host.isolation.user import OWN_ID, is_root
from workspace_host.isolation.view import INSIDE, FolderView

Kind = Literal["namespaces", "landlock", "host"]

_EXAMINING_S = 20.0
_PYTHONS = ("/usr/bin/python3", "/usr/local/bin/python3")
_NODES = ("/usr/bin/node", "/usr/local/bin/node")
REMEDY = (
    "install bubblewrap 0.8 or newer (`apt-get install bubblewrap`) and allow user namespaces: "
    "`sysctl user.max_user_namespaces=10000`; on Ubuntu "
    "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`; in a container the profile "
    "deploy/workspace-host/seccomp.json"
)
_ENDS = "and may end those of the user who runs Foldline, Foldline's own too (not from Linux 6.12 on)"
HOST_MODE = "host mode: it runs as the user who runs Foldline, with that user's files and network"


class Isolation(msgspec.Struct, frozen=True):
    """`program` is bubblewrap's, where there are namespaces. `lacks` is why there are none."""

    kind: Kind
    program: str = ""
    lacks: str = ""

    @property
    def weaker(self) -> str | None:
        """What a command isn't kept from, in words; None where it has namespaces of its own."""
        match self.kind:
            case "host":
                return HOST_MODE
            case "landlock":
                told = f"without namespaces ({self.lacks}): it sees which processes run on this machine"
                return told if is_root() or landlock.keeps_signals_in() else f"{told}, {_ENDS}"
            case "namespaces":
                return None

    def folder_of(self, view: FolderView) -> str:
        """Where the workspace is for the command itself."""
        return INSIDE if self.kind == "namespaces" else str(view.files)

    def scratch_of(self, view: FolderView) -> str:
        """Where it may leave what nobody keeps."""
        return "/tmp" if self.kind == "namespaces" else str(view.scratch)

    @contextmanager
    def started_by(
        self, view: FolderView, inner: Sequence[str]
    ) -> Iterator[tuple[list[str], tuple[int, ...]]]:
        """The arguments that start `inner` so, with the folders of a view, and the
        files that it must inherit."""
        if self.kind != "namespaces":
            yield supervised(view, inner, confined=self.kind == "landlock"), ()
            return
        file = filter_file(platform.machine())
        try:
            arguments = bubblewrap(self.program, view, inner, file)
            yield arguments, (file,)
        finally:
            os.close(file)


def isolation_here(*, host_mode: bool = False) -> Isolation:
    """The best that this machine has; tried by a program that does nothing. `Rejected(kind="not_available")`
    where it has nothing that could keep a command in."""
    if host_mode:
        return Isolation("host")
    program = shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin")
    why = "bubblewrap is not installed" if program is None else _flaw_of(program)
    if program is not None and why is None:
        return Isolation("namespaces", program)
    try:
        landlock.version()
        seccomp.filter_program(platform.machine())
    except CageUnavailable as error:
        raise Rejected(
            f"commands can't be kept in on this machine: {why}, and {error}. To run them, {REMEDY}",
            kind=ErrorKind.NOT_AVAILABLE,
        ) from error
    return Isolation("landlock", lacks=why or "")


def _flaw_of(program: str) -> str | None:
    """Why namespaces can't be had; None where they can."""
    if not os.access(PRLIMIT, os.X_OK):
        return f"{PRLIMIT} is missing (Debian's package util-linux)"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_names(folder)
        view = FolderView(folder, folder, folder, folder)
        try:
            with Isolation("namespaces", program).started_by(view, ["/bin/true"]) as (arguments, inherited):
                ran = subprocess.run(
                    arguments, capture_output=True, timeout=_EXAMINING_S, check=False, pass_fds=inherited
                )
        except (OSError, subprocess.SubprocessError, CageUnavailable) as error:
            return f"bubblewrap doesn't run ({error})"
    if ran.returncode == 0:
        return None
    said = ran.stderr.decode(errors="replace").strip().splitlines()
    return f"bubblewrap can't make them: {said[-1] if said else ran.returncode}"


def write_names(folder: Path) -> None:
    """The `passwd` and `group` that commands see: themselves."""
    user, group = (OWN_ID, OWN_ID) if is_root() else (os.getuid(), os.getgid())
    (folder / "passwd").write_text(f"agent:x:{user}:{group}:agent:/tmp:/bin/sh\n")
    (folder / "group").write_text(f"agent:x:{group}:\n")
    for name in ("passwd", "group"):
        (folder / name).chmod(0o644)


def python_here() -> tuple[str, tuple[str, ...]]:
    """The Python that commands can run, and what of the disk it needs besides the machine's programs.
    `Rejected(kind="not_available")` if there is none that they may read."""
    for path in _PYTHONS:
        if os.access(path, os.X_OK):
            return path, ()
    if not is_root():  # ours is in a folder that the same user may read
        return os.path.realpath(sys.executable), (sys.base_prefix,)
    raise Rejected(
        "no Python that commands may read is installed: `apt-get install python3`",
        kind=ErrorKind.NOT_AVAILABLE,
    )


def shell_here() -> Sequence[str]:
    """The shell that runs command lines: bash, which models write for, where there is one.

    Bash takes a socket as its standard input, which some event loops give it, for a login from elsewhere, and
    reads the machine's bashrc. A command may not, and would begin its output by saying so.
    """
    return ("/bin/bash", "--norc") if os.access("/bin/bash", os.X_OK) else ("/bin/sh",)


def node_here() -> str:
    """The Node that commands can run. `Rejected(kind="not_available")` if there is none."""
    for path in _NODES:
        if os.access(path, os.X_OK):
            return path
    raise Rejected("Node is not installed where commands run", kind=ErrorKind.NOT_AVAILABLE)
