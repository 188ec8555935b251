"""Where the copies of one process lie. They are thrown away with it."""

import fcntl
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from agent_contracts.errors import Rejected
from tool_runner.agent_db.limits import DATABASE_BYTES

_LOCK = "lock"

log = structlog.get_logger()


class CopyFolder:
    """A folder of this process's own below `parent`, made when it is first needed.

    What processes that were killed have left there is removed then: nobody holds its lock any more.
    `most_bytes` is how large writes may have a database become.
    """

    def __init__(self, parent: Path, most_bytes: int = DATABASE_BYTES) -> None:
        self.most_bytes = most_bytes
        self._parent = parent
        self._own: Path | None = None
        self._lock: int | None = None
        self._numbers = itertools.count(1)

    def new_file(self) -> Path:
        """A path where nothing is yet. Raises `Rejected` where no folder can be made."""
        if self._own is None:
            try:
                self._own = self._make()
            except OSError as error:
                raise Rejected(f"no folder for agents' databases: {error}", kind="invalid_setting") from error
        return self._own / f"{next(self._numbers)}.sqlite"

    def remove_left(self) -> None:
        """Remove what processes that were killed have left."""
        if self._parent.is_dir():
            with _only_one_at_a_time(self._parent):
                self._remove_left()

    def close(self) -> None:
        """Remove the folder."""
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)
            self._own = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _make(self) -> Path:
        self._parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _only_one_at_a_time(self._parent):
            self._remove_left()
            own = Path(tempfile.mkdtemp(dir=self._parent))
            self._lock = _lock_file(own)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        return own

    def _remove_left(self) -> None:
        for left in self._parent.iterdir():
            if left.is_dir() and left != self._own:
                _remove_if_left(left)


@contextmanager
def _only_one_at_a_time(parent: Path) -> Iterator[None]:
    lock = _lock_file(parent)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _remove_if_left(folder: Path) -> None:
    lock = _lock_file(folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    else:
        shutil.rmtree(folder, ignore_errors=True)
        log.info("agent_db.left_over_removed", folder=folder.name)
    finally:
        os.close(lock)


def _lock_file(folder: Path) -> int:
    return os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
