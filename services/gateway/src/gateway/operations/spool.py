"""Bytes that are too many for memory, in a file without a name while they are worked on."""

import os
import tempfile
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from agent_contracts.errors import Transient

_READ = 256 * 1024


@dataclass(frozen=True)
class StoredSpan:
    """A part of what was put aside: what one `keep` took, `size` bytes."""

    file: BinaryIO
    start: int
    size: int

    def read(self, at: int, count: int) -> bytes:
        """At most `count` bytes from byte `at` on; none outside of the span."""
        wanted = min(count, self.size - at) if at >= 0 else 0
        return os.pread(self.file.fileno(), wanted, self.start + at) if wanted > 0 else b""

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """All of it, piece by piece."""
        for at in range(0, self.size, _READ):
            yield self.read(at, _READ)


class Spool:
    """Takes bytes, and gives them again as often as wanted. `Transient(kind="unavailable")` where the folder
    for temporary files (`TMPDIR`) has no room."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0
        self._begun = 0

    async def keep(self, data: AsyncIterable[bytes]) -> StoredSpan:
        """All that comes."""
        self.begin()
        async for piece in data:
            self.write(piece)
        return self.end()

    def begin(self) -> None:
        """What is written from now on is one span."""
        self._begun = self._end

    def write(self, data: bytes) -> None:
        """Add to the span."""
        try:
            self._file.write(data)
        except OSError as error:
            raise _no_room(error) from error
        self._end += len(data)

    def end(self) -> StoredSpan:
        """What was written since `begin`."""
        try:
            self._file.flush()
        except OSError as error:
            raise _no_room(error) from error
        return StoredSpan(self._file, self._begun, self._end - self._begun)


@contextmanager
def aside() -> Iterator[Spool]:
    """Room for as long as the block runs; what is in it is gone at the end, or with the process."""
    try:
        file = tempfile.TemporaryFile()  # noqa: SIM115  # closed below
    except OSError as error:
        raise _no_room(error) from error
    with file:
        yield Spool(file)


def _no_room(error: OSError) -> Transient:
    return Transient(
        f"What was sent can't be kept while it is read: {error.strerror}. Nothing of it was stored. Make "
        f"room in {tempfile.gettempdir()}, or set TMPDIR to another folder, and try again",
        kind="unavailable",
    )
