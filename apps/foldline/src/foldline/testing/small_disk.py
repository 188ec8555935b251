"""A small disk of one's own, to fill and to free: a tmpfs, which only root can mount."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_FILLER = "filler"
_STEP = 256 * 1024


@dataclass(frozen=True)
class SmallDisk:
    """A mounted file system."""

    path: Path

    def fill(self) -> None:
        """Take all room there is, to the last page."""
        with (self.path / _FILLER).open("ab", buffering=0) as filler:
            for size in (_STEP, 4096):
                try:
                    while True:
                        filler.write(bytes(size))
                except OSError:
                    continue

    def free(self, size: int | None = None) -> None:
        """Give it all back, or so many bytes."""
        filler = self.path / _FILLER
        if size is None:
            filler.unlink()
        else:
            os.truncate(filler, filler.stat().st_size - size)


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
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
