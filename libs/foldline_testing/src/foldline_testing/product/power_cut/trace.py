"""Tracing what a running process does with the files of a folder."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from foldline_testing.product.power_cut.calls import TRACED, read_calls
from foldline_testing.product.power_cut.disk import SimulatedDisk

_ATTACHED_S = 30.0
_QUIET_S = 0.3
_ATTEMPTS = 50
_LONGEST_TEXT = 64 * 1024 * 1024


class Trace:
    """A running trace of process `pid`, from the state in which `folder` was when it began."""

    def __init__(self, pid: int, folder: Path, scratch: Path) -> None:
        self._prefix = scratch / "calls"
        self._folder = folder
        self._began = 0.0
        self._disk: SimulatedDisk | None = None
        options = ["-f", "-ff", "-ttt", "-T", "-xx", "-y", "-s", str(_LONGEST_TEXT)]
        command = ["strace", *options, "-e", f"trace={','.join(sorted(TRACED))}", "-o", str(self._prefix)]
        with (scratch / "strace.log").open("wb") as said:
            self._strace = subprocess.Popen([*command, "-p", str(pid)], stdout=said, stderr=said)
        self._until_attached(scratch / "strace.log")

    def begin(self) -> None:
        """Take what the folder holds as what is on the disk. Nobody may write to it meanwhile."""
        for _ in range(_ATTEMPTS):
            before = time.time()
            time.sleep(_QUIET_S)  # sleeps: quiet
            disk = SimulatedDisk(self._folder)
            time.sleep(_QUIET_S)  # sleeps: quiet
            if not any(call.done > before and disk.concerns(call) for call in read_calls(self._prefix)):
                self._began, self._disk = time.time(), disk
                return
        raise TimeoutError(f"{self._folder} was written to all the time")

    def end(self) -> None:
        """Let the process go."""
        self._strace.terminate()
        self._strace.wait(10)

    def moments(self) -> Iterator[tuple[float, SimulatedDisk]]:
        """After each call by which data came to be on the disk for sure: until when the disk stayed like
        that, and the disk. It goes on changing: lay it out before the next."""
        assert self._disk is not None, "the trace was not begun"
        disk, is_new = self._disk, False
        for call in read_calls(self._prefix):
            if call.done > self._began and disk.concerns(call):
                if is_new and disk.flushes(call):
                    yield call.done, disk
                is_new = disk.flushes(call) or is_new
                disk.carry_out(call)
        yield time.time(), disk

    def _until_attached(self, said: Path) -> None:
        deadline = time.monotonic() + _ATTACHED_S
        while "attached" not in said.read_text(errors="replace"):
            if self._strace.poll() is not None or time.monotonic() > deadline:
                self._strace.kill()
                pytest.skip(f"strace can't follow a process here: {said.read_text(errors='replace').strip()}")
            time.sleep(0.05)


@contextmanager
def traced(pid: int, folder: Path, scratch: Path) -> Iterator[Trace]:
    """Follow a process from now on. Skips the test where strace is missing, or may not attach."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed: it says when data is on the disk (apt install strace)")
    scratch.mkdir(parents=True, exist_ok=True)
    trace = Trace(pid, folder, scratch)
    try:
        trace.begin()
        yield trace
    finally:
        trace.end()
