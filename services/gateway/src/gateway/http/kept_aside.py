"""A body that is too large for memory, in a file without a name while it is worked on."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import BinaryIO

from agent_contracts.errors import Transient


@asynccontextmanager
async def kept_aside(pieces: AsyncIterator[bytes]) -> AsyncIterator[BinaryIO]:
    """The body's pieces as a file, once all have come. It is gone at the end, or with the process.

    Raises `Transient` where the folder for temporary files (`TMPDIR`) has no room for it.
    """
    with tempfile.TemporaryFile() as file:
        async for piece in pieces:
            _write(file, piece)
        yield file


def _write(file: BinaryIO, piece: bytes) -> None:
    try:
        file.write(piece)
    except OSError as error:
        raise Transient(
            f"the file can't be kept while it is read: {error.strerror}. Nothing of it was imported. Make "
            f"room in {tempfile.gettempdir()}, or set TMPDIR to another folder, and try again"
        ) from error
