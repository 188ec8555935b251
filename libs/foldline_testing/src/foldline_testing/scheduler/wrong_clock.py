"""A scheduler as a process whose clock is set while it runs, by libfaketime."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

_LIBRARIES = (
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
)


class WrongClock:
    """What the process takes the time to be. NATS, and the test, have the machine's."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self.ahead_by(0)

    def ahead_by(self, seconds: int) -> None:
        """Set the process's clock; less than zero sets it behind."""
        written = self._file.with_suffix(".new")
        written.write_text(f"{seconds:+d}\n")
        written.replace(self._file)

    @property
    def environment(self) -> dict[str, str]:
        """What makes a process have this clock. Its steady clock is the machine's."""
        return {
            "LD_PRELOAD": _library(),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }


@contextlib.asynccontextmanager
async def scheduler_with(clock: WrongClock, settings: dict[str, str]) -> AsyncIterator[None]:
    """A scheduler runs. Skips the test where libfaketime is missing."""
    program = "from foldline_testing.scheduler.alone import scheduler; scheduler()"
    environment = {**os.environ, **settings, **clock.environment}
    started = await asyncio.create_subprocess_exec(sys.executable, "-c", program, env=environment)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            started.kill()
        await started.wait()


def _library() -> str:
    found = next((one for one in _LIBRARIES if Path(one).exists()), None)
    if found is None:
        pytest.skip("libfaketime is not installed: it sets the clock of a process (apt install faketime)")
    return found
