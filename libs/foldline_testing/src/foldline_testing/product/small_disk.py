"""A small disk of one's own, to fill and to free: a tmpfs, which only root can mount."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

_FILLER = "filler"
_STEP = 256 * 1024
_EACH_S = 0.02
"""Seconds: servers remove files of theirs also while a disk is full."""


@dataclass
class SmallDisk:
    """A mounted file system."""

    path: Path
    _filling: threading.Thread | None = None
    _enough: threading.Event = field(default_factory=threading.Event)

    def fill(self) -> None:
        """Take all room there is, to the last page, and what others give back, until it is freed."""
        self._fill_once()
        self._enough.clear()
        self._filling = threading.Thread(target=self._go_on_filling, daemon=True)
        self._filling.start()

    def free(self, size: int | None = None) -> None:
        """Give it all back, or so many bytes."""
        self.leave()
        filler = self.path / _FILLER
        if size is None:
            filler.unlink()
        else:
            os.truncate(filler, filler.stat().st_size - size)

    def leave(self) -> None:
        """Take no more, and give nothing back."""
        self._enough.set()
        if self._filling is not None:
            self._filling.join()
            self._filling = None

    def _go_on_filling(self) -> None:
        while not self._enough.wait(_EACH_S):
            self._fill_once()

    def _fill_once(self) -> None:
        with (self.path / _FILLER).open("ab", buffering=0) as filler:
            for size in (_STEP, 4096):
                try:
                    while True:
                        filler.write(bytes(size))
                except OSError:
                    continue


@contextmanager
def small_disk(path: Path, megabytes: int) -> Iterator[SmallDisk]:
    """Mount one of that size at `path`. Skips the test where this may not be done."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can mount a small disk to fill")
    path.mkdir(parents=True)
    options = f"size={megabytes}m,mode=700"
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.decode(errors='replace').strip()}")
    disk = SmallDisk(path)
    try:
        yield disk
    finally:
        disk.leave()
        subprocess.run(["umount", "--lazy", str(path)], check=True)
