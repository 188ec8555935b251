"""A folder that commands write to, as we read and write it: never through a link, whenever it came there.

Every path is walked from the folder's own descriptor, part by part, by names that the kernel must not follow.
"""

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice

from agent_contracts.files import LONGEST_PATH
from workspace_host import limits

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST = LONGEST_PATH // 2
"""Folders in one another; no file's path has more."""
MADE_AGAIN = frozenset({"node_modules", "__pycache__", ".venv", ".git", ".cache"})
"""Folders that stay where they are, and don't become files: what is in them can be made again."""


@dataclass(frozen=True)
class FileMark:
    """By what a file is known to be as it was: the kernel changes the last at each write."""

    inode: int
    size: int
    changed_ns: int


@dataclass
class DiskScan:
    """What a folder holds: files by path, and what can't be kept, each with why. `whole`: all was seen."""

    files: dict[str, FileMark] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    whole: bool = True
    entries: int = 0


class Disk:
    """One folder. `give` is told of each file and folder that is made, to hand it to who runs commands."""

    def __init__(self, root: str, give: Callable[[int], None]) -> None:
        self._root = root
        self._give = give

    def found(self) -> DiskScan:
        """All that is in it. Blocking, as everything here is."""
        found = DiskScan()
        top = os.open(self._root, _FOLDER)
        try:
            self._look(top, "", found, 0)
        finally:
            os.close(top)
        return found

    def _look(self, folder: int, prefix: str, found: DiskScan, depth: int) -> None:
        for entry in _entries(folder):
            path = prefix + entry.name
            found.entries += 1
            if found.entries > limits.ENTRIES:
                found.whole = False
                return
            try:
                about = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISDIR(about.st_mode):
                if entry.name in MADE_AGAIN:
                    continue
                if depth >= _DEEPEST:
                    found.odd.append(f"{path}: too deep")
                    continue
                try:
                    below = os.open(entry.name, _FOLDER, dir_fd=folder)
                except OSError as error:
                    found.odd.append(f"{path}: {error.strerror}")
                    found.whole = False
                    continue
                try:
                    self._look(below, f"{path}/", found, depth + 1)
                finally:
                    os.close(below)
            elif flaw := _flaw_of(about):
                found.odd.append(f"{path}: {flaw}")
            else:
                found.files[path] = _mark(about)

    def read(self, path: str, most: int) -> tuple[bytes, FileMark] | None:
        """The file's bytes; None where there is none (any more), or one of more than `most` bytes."""
        try:
            with self._parent(path) as (folder, name):
                file = os.open(name, _FILE, dir_fd=folder)
        except OSError:
            return None
        with os.fdopen(file, "rb") as opened:
            about = os.fstat(opened.fileno())
            if _flaw_of(about) or about.st_size > most:
                return None
            data = opened.read(most + 1)
            return None if len(data) > most else (data, _mark(about))

    def write(self, path: str, data: bytes) -> FileMark:
        """Put a file there, in the place of a file or a link. OSError where it can't be."""
        with self._parent(path, make=True) as (folder, name):
            draft = f".{secrets.token_hex(8)}"
            file = os.open(draft, _NEW, 0o755 if data.startswith(b"#!") else 0o644, dir_fd=folder)
            try:
                with os.fdopen(file, "wb") as opened:
                    opened.write(data)
                    opened.flush()
                    self._give(opened.fileno())
                os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                with suppress(FileNotFoundError):
                    os.unlink(draft, dir_fd=folder)
                raise
            return _mark(os.stat(name, dir_fd=folder, follow_symlinks=False))

    def remove(self, path: str) -> None:
        """Remove the file, and the folders that are empty without it. Harmless where there is none."""
        with suppress(OSError), self._parent(path) as (folder, name):
            os.unlink(name, dir_fd=folder)
        parent = path.rpartition("/")[0]
        while parent:
            try:
                with self._parent(parent) as (folder, name):
                    os.rmdir(name, dir_fd=folder)
            except OSError:
                return  # it isn't empty
            parent = parent.rpartition("/")[0]

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The folder that a path is in, opened, and its name there."""
        *folders, name = path.split("/")
        opened = os.open(self._root, _FOLDER)
        try:
            for part in folders:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, 0o755, dir_fd=opened)
                        self._give_folder(part, opened)
                below = os.open(part, _FOLDER, dir_fd=opened)
                os.close(opened)
                opened = below
            yield opened, name
        finally:
            os.close(opened)

    def _give_folder(self, name: str, parent: int) -> None:
        made = os.open(name, _FOLDER, dir_fd=parent)
        try:
            self._give(made)
        finally:
            os.close(made)


def _entries(folder: int) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(islice(entries, limits.ENTRIES + 1))


def _flaw_of(about: os.stat_result) -> str | None:
    """Why something is no file that can be kept; None if it is one."""
    if stat.S_ISLNK(about.st_mode):
        return "a link isn't kept"
    if not stat.S_ISREG(about.st_mode):
        return "it is no file"
    return "a file with two names isn't kept" if about.st_nlink > 1 else None


def _mark(about: os.stat_result) -> FileMark:
    return FileMark(about.st_ino, about.st_size, about.st_ctime_ns)
