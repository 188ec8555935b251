"""Files that only their owner can read: a backup holds everything."""

import os
from io import BufferedWriter
from pathlib import Path


def create(file: Path) -> BufferedWriter:
    """A new file, open for writing. `FileExistsError` if there is one."""
    return open(file, "xb", opener=_private)


def write(file: Path, content: bytes) -> None:
    """A new file with this content, on the disk when this returns."""
    with create(file) as out:
        out.write(content)
        flush(out)


def flush(out: BufferedWriter) -> None:
    """Bring what was written to the disk."""
    out.flush()
    os.fsync(out.fileno())


def flush_all(folder: Path) -> None:
    """Bring everything in it to the disk, and the names of its files. Nobody may write to it meanwhile."""
    for path, _, files in os.walk(folder):
        for name in files:
            _flush(Path(path) / name)
        flush_folder(Path(path))


def flush_folder(folder: Path) -> None:
    """Bring the names in it to the disk."""
    _flush(folder)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
