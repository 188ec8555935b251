"""Which files of a folder are opened, as the kernel tells (inotify).

It says what was opened, by whomever, and not what was read. A folder that is made meanwhile is watched from
the next look on: what is opened in it before then was made by whoever made the folder.
"""

import ctypes
import os
import struct
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass

from workspace_host.folders.disk import MADE_AGAIN

MOST_FOLDERS = 2_000
"""Folders that are watched at a time, by one command."""
MOST_PATHS = 5_000
"""Files that are remembered until somebody asks."""

_OPENED, _MADE, _MOVED_HERE = 0x20, 0x100, 0x80
_ONLY_FOLDERS, _NO_LINKS, _IS_FOLDER, _OVERFLOWED, _GONE = 0x01000000, 0x02000000, 0x40000000, 0x4000, 0x8000
_WATCHED = _OPENED | _MADE | _MOVED_HERE | _ONLY_FOLDERS | _NO_LINKS
_HEAD = struct.Struct("iIII")
_ROOM = 256 * 1024
_LOOK = 4 * 1024 * 1024
"""Bytes that one look reads: more than the kernel keeps."""


@dataclass(frozen=True)
class OpenedPaths:
    """Paths that were opened since somebody last asked; `whole`: none was missed."""

    paths: frozenset[str]
    whole: bool


class Opens:
    """Watches a folder until it is closed. Blocking; threads take turns."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._turn = threading.Lock()
        self._folders: dict[int, str] = {}
        self._paths: set[str] = set()
        self._whole = True
        self._blind = False
        self._kernel = _kernel()
        self._fd = _opened_by(self._kernel)
        self._watch("")

    def look(self, *, ours: bool = False) -> None:
        """Hear what the kernel has to say. `ours`: what was opened since the last look, we did."""
        with self._turn:
            self._look(ours)

    def take(self) -> OpenedPaths:
        """What was opened since somebody last asked."""
        with self._turn:
            self._look(ours=False)
            opened = OpenedPaths(frozenset(self._paths), self._whole and not self._blind)
            self._paths.clear()
            self._whole = True
            return opened

    def close(self) -> None:
        """Watch no more. What was opened before can still be taken."""
        with self._turn:
            if self._fd is not None:
                os.close(self._fd)
            self._fd = None
            self._folders.clear()

    def _look(self, ours: bool) -> None:
        read = 0
        while self._fd is not None and read < _LOOK:
            try:
                data = os.read(self._fd, _ROOM)
            except BlockingIOError:
                return
            read += len(data)
            self._hear(data, ours)

    def _hear(self, data: bytes, ours: bool) -> None:
        at = 0
        while at < len(data):
            watch, what, _, length = _HEAD.unpack_from(data, at)
            name = os.fsdecode(data[at + _HEAD.size : at + _HEAD.size + length].rstrip(b"\0"))
            at += _HEAD.size + length
            folder = self._folders.get(watch)
            if what & _OVERFLOWED:
                self._whole = False
            elif what & _GONE:
                self._folders.pop(watch, None)
            elif folder is not None and name:
                path = f"{folder}{name}"
                if what & _IS_FOLDER:
                    if what & (_MADE | _MOVED_HERE) and name not in MADE_AGAIN:
                        self._watch(f"{path}/")
                elif what & _OPENED and not ours:
                    self._note(path)

    def _note(self, path: str) -> None:
        if len(self._paths) < MOST_PATHS:
            self._paths.add(path)
        elif path not in self._paths:
            self._whole = False

    def _watch(self, folder: str) -> None:
        """Watch a folder (its path ends with a slash), and those in it, never through a link."""
        waiting = [folder]
        while waiting:
            folder = waiting.pop()
            place = f"{self._root}/{folder}"
            if self._fd is None or self._kernel is None or len(self._folders) >= MOST_FOLDERS:
                self._blind = True
                return
            watch = self._kernel.inotify_add_watch(self._fd, os.fsencode(place), _WATCHED)
            if watch < 0:
                self._blind = self._blind or os.path.isdir(place)
                continue
            self._folders[watch] = folder
            with suppress(OSError), os.scandir(place) as entries:
                waiting += [
                    f"{folder}{entry.name}/"
                    for entry in entries
                    if entry.name not in MADE_AGAIN and entry.is_dir(follow_symlinks=False)
                ]


def _opened_by(kernel: ctypes.CDLL | None) -> int | None:
    fd = -1 if kernel is None else kernel.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    return fd if fd >= 0 else None


def _kernel() -> ctypes.CDLL | None:
    return ctypes.CDLL(None, use_errno=True) if sys.platform.startswith("linux") else None
