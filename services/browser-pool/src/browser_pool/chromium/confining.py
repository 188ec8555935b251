"""How a program is started in the cage, and what holds it there."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import browser_pool
from agent_contracts.errors import Rejected
from agent_platform.process.cage.launching import CageReport, bare, becoming, report_in
from browser_pool.chromium.folder import own_folder

BECOME = becoming("browser_pool.cage.confined")
_REMEDIES = {
    "only its own files": "use Linux 5.13 or newer with Landlock (`lsm=landlock,…` as the kernel is started)",
    "dials nothing but its proxies": "use Linux 6.7 or newer with Landlock",
    "limits of each page": "install util-linux",
    "system calls": "use Linux on x86-64 or arm64, with seccomp",
    "Chromium's own sandbox": "allow user namespaces: `sysctl user.max_user_namespaces=10000`; on Ubuntu "
    "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`; in a container the profile "
    "deploy/browser-pool/seccomp.json",
}
"""Who isn't root has no other user to become: the rest of the cage keeps Chromium from their files."""
_EXAMINING_S = 20.0


def confined(
    command: list[str], folder: Path, ports: Sequence[int], memory: int, tap: Path | None = None
) -> list[str]:
    """The arguments for our interpreter that put `command` into a cage: it may write to `folder`, dial
    `ports` on this machine, and have `memory` bytes for each page. The cage tells of itself in `folder`. With
    `tap`, what is said over its pipes goes through there."""
    wanted = {
        "folder": str(folder),
        "service": os.getpid(),
        "readable": [str(Path(command[0]).resolve().parent)],
        "memory": memory,
        "ports": list(ports),
        "tap": None if tap is None else str(tap),
    }
    return [*bare(BECOME, browser_pool, wanted), *command]


def environment(folder: Path) -> dict[str, str]:
    """All of it: nothing of the service's own goes along."""
    home = str(folder)
    return {
        "HOME": home,
        "TMPDIR": str(folder / "tmp"),
        "XDG_CONFIG_HOME": home,
        "XDG_CACHE_HOME": home,
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def remedy_of(lack: str) -> str | None:
    """What an operator can do about one of `CageReport.lacks`; None if nothing needs to be done."""
    return _REMEDIES.get(lack.partition(": ")[0]) if sys.platform == "linux" else None


def examine() -> CageReport:
    """What a cage is on this machine, for this user; found by a program that does nothing, in a second.
    `Rejected(kind="not_possible")` where none can be made."""
    with own_folder() as folder:
        arguments = confined(["/usr/bin/true"], folder, (9,), 1 << 30)
        try:
            subprocess.run(
                [sys.executable, *arguments],
                env=environment(folder),
                capture_output=True,
                check=True,
                timeout=_EXAMINING_S,
            )
            return report_in(folder)
        except (OSError, subprocess.SubprocessError) as error:
            raise Rejected(f"no cage can be made for Chromium: {error}", kind="not_possible") from error
