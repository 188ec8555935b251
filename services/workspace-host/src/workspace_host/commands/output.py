"""What a command wrote, one stream of it: on the disk, since it may be more than a result shows."""

import os
import tempfile
from typing import BinaryIO

from agent_platform.log.storable_text import storable_text
from agent_tools.commands import LARGEST_SHOWN

_CHUNK = 1024 * 1024
_ENDS = 16 * 1024
"""Bytes of the beginning and of the end that are shown of more."""


class Output:
    """All of one stream. `taken` is how much of it somebody has seen."""

    def __init__(self) -> None:
        self._file: BinaryIO = tempfile.TemporaryFile(prefix="foldline-output-")  # noqa: SIM115 — see `close`
        self._size = 0
        self._taken = 0

    @property
    def size(self) -> int:
        """Bytes."""
        return self._size

    def add(self, data: bytes) -> None:
        """More of it."""
        at = self._size
        for start in range(0, len(data), _CHUNK):
            piece = data[start : start + _CHUNK]
            while piece:
                written = os.pwrite(self._file.fileno(), piece, at)
                piece, at = piece[written:], at + written
        self._size = at

    def take(self) -> bytes:
        """What nobody has seen yet. In a thread beside the one that adds: each has a place of its own."""
        data = self._rest()
        self._taken += len(data)
        return data

    def _rest(self) -> bytes:
        pieces, at, end = [], self._taken, self._size
        while at < end and (piece := os.pread(self._file.fileno(), end - at, at)):
            pieces.append(piece)
            at += len(piece)
        return b"".join(pieces)

    @property
    def untaken(self) -> int:
        """Bytes that nobody has seen yet."""
        return self._size - self._taken

    def take_lines(self) -> bytes:
        """Likewise, but only whole lines; the rest is for later."""
        data = self._rest()
        data = data[: data.rfind(b"\n") + 1]
        self._taken += len(data)
        return data

    def close(self) -> None:
        """Forget it."""
        self._file.close()


def shown(data: bytes) -> str:
    """The text; of more than a result shows, the beginning and the end."""
    if len(data) <= LARGEST_SHOWN:
        return _text(data)
    left_out = len(data) - 2 * _ENDS
    return f"{_text(data[:_ENDS])}\n[… {left_out:,} bytes are left out here …]\n{_text(data[-_ENDS:])}"


def _text(data: bytes) -> str:
    return storable_text(data.decode(errors="replace"))
