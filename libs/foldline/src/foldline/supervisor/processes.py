"""Each service in a process of its own, started again when it dies."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping

import structlog

from agent_platform.settings import Settings
from foldline.supervisor.catalogue import Service
from foldline.supervisor.service_settings import environment_of

_log = structlog.get_logger()
_RESTART_WAIT_S = 0.5
_STOP_PATIENCE_S = 5.0


class Processes:
    """Runs `python -m foldline serve NAME` for each service, `replicas` times."""

    def __init__(
        self, services: Mapping[str, tuple[Service, Settings]], replicas: Mapping[str, int] | None = None
    ) -> None:
        self._services = services
        self._replicas = replicas or {}
        self._guards: list[asyncio.Task[None]] = []
        self.children: dict[str, list[asyncio.subprocess.Process]] = {}

    def start(self, name: str) -> None:
        """Start one service's processes."""
        for replica in range(self._replicas.get(name, 1)):
            self._guards.append(asyncio.create_task(self._keep_alive(name, replica)))

    async def failed(self) -> None:
        """Return only by raising: a guard broke."""
        done, _ = await asyncio.wait(self._guards, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def stop(self) -> None:
        """SIGTERM to all, SIGKILL to those that stay."""
        for guard in self._guards:
            guard.cancel()
        for guard in self._guards:
            with contextlib.suppress(asyncio.CancelledError):
                await guard

    async def _keep_alive(self, name: str, replica: int) -> None:
        _, settings = self._services[name]
        while True:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "foldline",
                "serve",
                name,
                env={**os.environ, **environment_of(settings), "FOLDLINE_PARENT_PID": str(os.getpid())},
                start_new_session=True,
            )
            self.children.setdefault(name, []).append(child)
            try:
                code = await child.wait()
            finally:
                self.children[name].remove(child)
                if child.returncode is None:
                    await _end(child)
            _log.error("process.died", service=name, replica=replica, exit_code=code)
            await asyncio.sleep(_RESTART_WAIT_S)


async def _end(child: asyncio.subprocess.Process) -> None:
    child.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(_STOP_PATIENCE_S):
            await child.wait()
    except TimeoutError:
        child.kill()
        await child.wait()
