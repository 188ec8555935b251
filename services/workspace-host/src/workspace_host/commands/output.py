"""What a command wrote, one stream of it: on the disk, since it may be more than a result shows."""

import tempfile
from typing import BinaryIO

from agent_platform.log.storable_text import storable_text
from agent_tools.commands import LARGEST_SHOWN

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
        self._file.seek(self._size)
        self._file.write(data)
        self._size += len(data)

    def take(self) -> bytes:
        """What nobody has seen yet.."""
        self._file.seek(self._taken)
        data = self._file.read()
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
