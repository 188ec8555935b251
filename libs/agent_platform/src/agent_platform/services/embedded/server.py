"""A server that is started, stopped and started again: one process after another."""

import signal
from collections.abc import Sequence

from agent_platform.services.embedded.process import ServerProcess


class EmbeddedServer:
    """What all have in common. `stops_by`: the signals by which it is told to end, each with the seconds that
    it has for that; at last it is killed."""

    def __init__(self, name: str, stops_by: Sequence[tuple[signal.Signals, float]]) -> None:
        self._name = name
        self._stops_by = stops_by
        self._process: ServerProcess | None = None

    @property
    def pid(self) -> int | None:
        """Its process id, or None when it was never started."""
        return None if self._process is None else self._process.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs (or was never started); then its exit code, negative for a signal."""
        return None if self._process is None else self._process.returncode

    async def wait(self) -> int:
        """Return its exit code when it has ended, for whatever reason."""
        return await self._running().wait()

    async def stop(self) -> None:
        """Let it end what it has in hand; less gently after ten seconds."""
        if self._process is not None:
            await self._process.stop(*self._stops_by)

    def stop_blocking(self) -> None:
        """`stop` for code without an event loop."""
        if self._process is not None:
            self._process.stop_blocking(*self._stops_by)

    def kill(self) -> None:
        """SIGKILL. The next start finds all that was acknowledged or committed."""
        self._running().kill()

    def _running(self) -> ServerProcess:
        if self._process is None:
            raise RuntimeError(f"{self._name} was not started yet")
        return self._process

    def _check_not_running(self) -> None:
        if self._process is not None and self._process.returncode is None:
            raise RuntimeError(f"{self._name} is running already")
