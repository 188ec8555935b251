"""The data directory: private, and one supervisor's at a time."""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from agent_contracts.errors import Rejected

_PATIENCE_SECONDS = 15.0
_POLL = 0.05


class AlreadyRunning(Rejected):
    """Another process uses the data directory. `pid` is its id, or None if only its servers are left."""

    def __init__(self, message: str, pid: int | None) -> None:
        super().__init__(message, kind="already_running")
        self.pid = pid


class DataDirectory:
    """The folder `path`, 0700, locked from `open` to `close`.

    `lock` is the lock's file descriptor. The servers inherit it, so that the lock lasts until the last
    process that writes here has ended: nats-server takes none of its own, and two on one store destroy it.
    """

    def __init__(self, path: Path, lock: int) -> None:
        """Use `open`."""
        self.path = path
        self.lock = lock

    @classmethod
    def open(cls, path: Path, *, patience: float = _PATIENCE_SECONDS) -> Self:
        """Make the folder if need be, and lock it.

        Raises AlreadyRunning if a living process holds it, or if servers of one that was killed are still
        there after `patience` seconds; Rejected if the folder can't be private to this user.
        """
        _make_private(path)
        lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _acquire(lock, path, patience)
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        except BaseException:
            os.close(lock)
            raise
        return cls(path, lock)

    def is_there(self) -> bool:
        """Whether the folder is still where it was opened: neither removed nor moved away."""
        try:
            return os.path.samestat((self.path / "lock").stat(), os.fstat(self.lock))
        except (FileNotFoundError, NotADirectoryError):
            return False

    def close(self) -> None:
        """Give the folder free, as soon as the servers that inherited the lock have ended too."""
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def folder(self, name: str) -> Path:
        """A folder inside, 0700, made if need be."""
        inside = self.path / name
        inside.mkdir(mode=0o700, exist_ok=True)
        return inside


def _make_private(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_uid != os.geteuid():
            raise Rejected(f"{path} belongs to another user. Set FOLDLINE_DATA_DIR to a folder of your own.")
        path.chmod(0o700)
    except OSError as error:
        raise Rejected(
            f"The data directory {path} can't be used: {error.strerror}. "
            "Set FOLDLINE_DATA_DIR to a folder that this user can write."
        ) from error


def _acquire(lock: int, path: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            holder = _holder(lock)
        if holder is not None:
            raise AlreadyRunning(
                f"Foldline already runs on {path} (process {holder}). "
                "Use that one, stop it, or set FOLDLINE_DATA_DIR to another folder.",
                holder,
            )
        if time.monotonic() > deadline:
            raise AlreadyRunning(
                f"The servers of an earlier run still use {path}. "
                "End nats-server and postgres of that run, or set FOLDLINE_DATA_DIR to another folder.",
                None,
            )
        time.sleep(_POLL)  # an earlier supervisor was killed; its servers are stopping


def _holder(lock: int) -> int | None:
    """The process that wrote its id into the lock file, if it lives."""
    written = os.pread(lock, 32, 0).strip()
    if not written.isdigit():
        return None
    pid = int(written)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass  # it lives, and is another user's
    return pid
