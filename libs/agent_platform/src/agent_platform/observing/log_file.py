"""A log in a file that is followed by a new one before it grows too large."""

import contextlib
import logging
import os
from io import FileIO, TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, NamedTuple


class LogFile(NamedTuple):
    """Where lines go, and how many bytes of them are kept."""

    path: Path
    bytes: int


_FILES = 5
"""The newest, and those before it: together they have the bytes that are kept."""


class RotatingLog(RotatingFileHandler):
    """Takes lines. The files can only be read by their owner. A line that can't be written is lost: the disk
    may be full, and whoever says so must not fail for it."""

    def __init__(self, file: LogFile) -> None:
        file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        size = max(1, file.bytes // _FILES)
        super().__init__(file.path, maxBytes=size, backupCount=_FILES - 1, encoding="utf-8", delay=True)

    def handleError(self, record: Any) -> None:
        """See the class."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write it, also after the folder was removed."""
        with contextlib.suppress(OSError):
            super().emit(record)

    def shouldRollover(self, record: logging.LogRecord) -> bool:
        """As it is, without a look at the folder for each line."""
        if self.stream is None:
            self.stream = self._open()
        return os.fstat(self.stream.fileno()).st_size + len(self.format(record)) >= self.maxBytes

    def _open(self) -> TextIOWrapper:
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        return TextIOWrapper(FileIO(handle, "ab"), encoding=self.encoding, write_through=True)
