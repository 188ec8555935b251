"""A Postgres cluster on the disk: made whole or not at all, and given to the user that will run it."""

import os
import pwd
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import structlog

from agent_contracts.errors import Rejected, Transient
from agent_platform.services.embedded.postgres_binaries import find_postgres, reachable_by
from agent_platform.services.embedded.postgres_config import (
    ADMIN,
    HOST_BASED_ACCESS,
    PostgresOptions,
    first_statements,
    render,
)

_log = structlog.get_logger(__name__)

NOBODY = 65534
_MAJOR = "18"
_SECONDS = 120


@dataclass(frozen=True)
class Owner:
    """Who runs Postgres: `user` is an id to drop to, or None for ourselves.

    Postgres refuses to run as root, so root drops to 65534. That user can't walk to a data directory below
    0700 folders, and opening those (or moving the data out of the data directory) would be worse. But a
    process may always use the folder it stands in: it is started there, and told `/proc/self/cwd`.
    """

    user: int | None
    programs: Path

    def reference(self, folder: Path) -> str:
        """The name to pass as `-D` to a program that is started in `folder`."""
        return str(folder) if self.user is None else "/proc/self/cwd"

    def give(self, path: Path) -> None:
        """Make this user the owner of one file or folder."""
        if self.user is not None:
            os.chown(path, self.user, self.user)


def owner() -> Owner:
    """Who runs Postgres for this process. Raises Rejected where it can't be run."""
    programs = find_postgres()
    if os.geteuid() != 0:
        return Owner(None, programs)
    if sys.platform != "linux":
        raise Rejected("Postgres can't run as root on this system. Run Foldline as an ordinary user.")
    return Owner(NOBODY, reachable_by(programs, NOBODY))


@dataclass(frozen=True)
class ClusterPasswords:
    """Of the role that owns Foldline's database, and of the superuser that nothing uses in operation."""

    role: str
    admin: str

    def __repr__(self) -> str:
        return "ClusterPasswords(…)"


def ensure_cluster(
    folder: Path,
    who: Owner,
    passwords: ClusterPasswords,
    *,
    durable: bool = True,
    hold: tuple[int, ...] = (),
) -> None:
    """Make the cluster `folder` if it doesn't exist: about a second. A run that was cut short leaves nothing
    that counts: the cluster gets its name when it is complete. One that was emptied, or lost what it can't
    start without, is set aside and made anew: the log has everything. The programs keep `hold` (locks) open.

    Raises Transient with initdb's words if that fails, Rejected if the cluster is another major version's or
    this user can't make one.
    """
    version = folder / "PG_VERSION"
    if folder.exists():
        found = version.read_text(encoding="utf-8").strip() if version.exists() else _MAJOR
        if found != _MAJOR:
            raise Rejected(
                f"{folder} is of Postgres version {found}, this is {_MAJOR}. Move it away: everything in it "
                "is made again from the log."
            )
        if is_whole(folder):
            return
        _set_aside(folder)
    if who.user is None:
        _check_has_a_name(os.geteuid())
    draft = folder.with_name(folder.name + ".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    who.give(draft)
    _make(who, draft, hold, [] if durable else ["--no-sync"])
    _write(who, draft / "pg_hba.conf", HOST_BASED_ACCESS)
    _write(who, draft / "postgresql.conf", render(PostgresOptions(port=5432, fsync=durable)))
    statements = first_statements(passwords.role, passwords.admin)
    _run(who, draft, hold, ["postgres", "--single", "postgres"], statements)
    draft.rename(folder)


def _make(who: Owner, draft: Path, hold: tuple[int, ...], options: list[str]) -> None:
    """Run initdb, with the first of the locales that this system has: searching knows letters by it."""
    for letters in _LETTERS:
        try:
            return _run(who, draft, hold, ["initdb", f"--lc-ctype={letters}", *_INITDB, *options])
        except Transient as error:
            if "invalid locale name" not in error.message or letters == _LETTERS[-1]:
                raise
    raise AssertionError("there is a last one")


_LETTERS = ("C.UTF-8", "en_US.UTF-8", "C")
"""Under the last one, searches for parts of words in other scripts than Latin read every message."""
_ESSENTIAL = ("PG_VERSION", "global/pg_control", "base", "pg_wal", "pg_xact")


def is_whole(folder: Path) -> bool:
    """Whether the cluster has the files that Postgres can't start without."""
    return all((folder / name).exists() for name in _ESSENTIAL)


def _check_has_a_name(user: int) -> None:
    """initdb refuses a user without one, as containers run with `--user 12345` have."""
    try:
        pwd.getpwuid(user)
    except KeyError:
        raise Rejected(
            f"user {user} has no entry in /etc/passwd, and Postgres makes no database without one. "
            f"Nothing was made. Add one (foldline:x:{user}:{os.getegid()}::/tmp:/bin/false), start as a user "
            "that has one, or set FOLDLINE_POSTGRES_DSN to a Postgres of your own.",
            kind="unknown_user",
        ) from None


def _set_aside(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()
        return
    aside = folder.with_name(folder.name + ".damaged")
    shutil.rmtree(aside, ignore_errors=True)
    folder.rename(aside)
    _log.warning("postgres.set_aside", folder=str(aside), because="it can't be started from; it is made anew")


_INITDB = (
    f"--username={ADMIN}",
    "--auth=reject",  # until our own pg_hba.conf is written
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",  # the same order of text on every machine
    "--wal-segsize=4",
    "--no-instructions",
)


def write_config(folder: Path, who: Owner, options: PostgresOptions) -> None:
    """Write the configuration of the next start."""
    _write(who, folder / "pg_hba.conf", HOST_BASED_ACCESS)
    _write(who, folder / "postgresql.conf", render(options))


def _write(who: Owner, path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    who.give(path)


def _run(who: Owner, folder: Path, hold: tuple[int, ...], command: list[str], words: str = "") -> None:
    program, first, *others = command  # `--single` must come first
    finished = subprocess.run(
        [str(who.programs / "bin" / program), first, "-D", who.reference(folder), *others],
        cwd=folder,
        env={"PATH": os.defpath, "LC_ALL": "C"},
        user=who.user,
        group=who.user,
        extra_groups=None if who.user is None else [],
        pass_fds=hold,
        input=words,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    # The single-user mode ends with 0 even if a statement failed.
    if finished.returncode != 0 or "ERROR:" in finished.stderr:
        said = (finished.stdout + finished.stderr).strip()[-2000:]
        raise Transient(f"{program} failed in {folder} (code {finished.returncode}):\n{said}")
