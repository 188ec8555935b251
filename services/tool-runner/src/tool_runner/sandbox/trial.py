"""Whether code runs here, found out by running some: health and `foldline doctor` ask it."""

import asyncio
import time

from agent_contracts.errors import Failure, NotStarted
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

_CODE, _VALUE = "return [6 * 7]", [42]
_PATIENCE_S = 1.0
"""Seconds that a question waits for a run: probes give a check two."""
_FRESH_S = 60.0
"""Seconds for which the end of a run answers further questions."""


async def try_sandbox(sandbox: Sandbox) -> None:
    """Run a small program. Raises `NotStarted` with the reason where no code can run here."""
    outcome = await sandbox.run(SandboxProgram(_CODE))
    if outcome.error is not None or outcome.value != _VALUE:
        why = outcome.error.message if outcome.error else f"it gave {outcome.value!r}, not {_VALUE!r}"
        raise NotStarted(f"a trial of the sandbox failed: {why}")


class SandboxTrial:
    """Runs a small program when it is asked, and at most once a minute."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Starts nothing: the workers of the sandbox start with the first question."""
        self._sandbox = sandbox
        self._running: asyncio.Task[None] | None = None
        self._problem = ""
        self._ended_at: float | None = None

    async def is_ready(self) -> None:
        """Return if code runs here. Raises `NotStarted` if it doesn't, or if that isn't known yet."""
        await self.works()
        if self._ended_at is None:
            raise NotStarted("the first trial of the sandbox has not ended yet")

    async def works(self) -> None:
        """Return unless it is known that no code can run here. Raises `NotStarted` with the reason."""
        if self._running is None and (self._ended_at is None or time.monotonic() - self._ended_at > _FRESH_S):
            self._running = asyncio.create_task(self._run())
        if self._running is not None:
            await asyncio.wait({self._running}, timeout=_PATIENCE_S)
        if self._problem:
            raise NotStarted(self._problem)

    async def close(self) -> None:
        """End a trial that still runs."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})

    async def _run(self) -> None:
        try:
            await try_sandbox(self._sandbox)
        except Failure as failure:
            self._problem = failure.message
        else:
            self._problem = ""
        self._ended_at, self._running = time.monotonic(), None
