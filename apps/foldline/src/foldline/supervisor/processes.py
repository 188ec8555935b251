"""Each service in a process of its own, started again when it dies."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial

import structlog

from agent_contracts.errors import Rejected
from agent_platform.process.background import in_background
from agent_platform.process.stopping import PARENT_PID
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.logging_by_settings import log_file_of
from agent_platform.services.serve import ANNOUNCE, MODULE
from agent_platform.settings.shared import ServiceSettings
from foldline.supervisor.restarts import Restarts
from foldline.supervisor.service_settings import environment_for

_log = structlog.get_logger()
_RESTART_WAIT_S = 0.5
_THEIR_WAIT_S = 5.0
_SAID_NO = 1
"""The exit code of a service that said what is wrong."""
_ENDS_IN_A_ROW = 3
_STOP_PATIENCE_S = 5.0


class Processes:
    """Runs `python -m agent_platform.services.serve NAME` for each service, `replicas` times."""

    def __init__(
        self,
        services: Mapping[str, tuple[ServiceDeclaration, ServiceSettings]],
        replicas: Mapping[str, int] | None = None,
    ) -> None:
        self._services = dict(services)
        self._replicas = replicas or {}
        self._guards: list[asyncio.Task[None]] = []
        self._doomed: asyncio.Future[str] | None = None
        self._told_to_end: set[int] = set()
        self.ends: Counter[str] = Counter()
        """How often processes of each service have ended by themselves."""
        self.children: dict[str, list[asyncio.subprocess.Process]] = {}

    def start(self, name: str) -> None:
        """Start one service's processes."""
        for replica in range(self._replicas.get(name, 1)):
            self._guards.append(in_background(partial(self._keep_alive, name, replica), f"{name} kept alive"))

    async def restart(self, name: str, settings: ServiceSettings) -> None:
        """Stop a service's processes; they are started with other settings."""
        self._services[name] = (self._services[name][0], settings)
        for child in list(self.children.get(name, ())):
            self._told_to_end.add(child.pid)
            await _end(child)

    async def announce(self, name: str) -> bool:
        """Have a process tell what the service offers, and end; whether it could."""
        child = await self._child(name, ANNOUNCE)
        try:
            return await child.wait() == 0
        finally:
            if child.returncode is None:
                await _end(child)

    async def failed(self) -> None:
        """Return only by raising: a service said again and again that it can't run with these settings."""
        self._doomed = asyncio.get_running_loop().create_future()
        name = await self._doomed
        raise Rejected(f"{name} can't run with these settings; its message is above", kind="no_start")

    async def stop(self) -> None:
        """SIGTERM to all, SIGKILL to those that stay."""
        for guard in self._guards:
            guard.cancel()
        for guard in self._guards:
            with contextlib.suppress(asyncio.CancelledError):
                await guard

    async def _keep_alive(self, name: str, replica: int) -> None:
        refusals, died = 0, 0.0
        is_ours = name not in self._services or self._services[name][0].is_ours
        first_wait_s = _RESTART_WAIT_S if is_ours else _THEIR_WAIT_S
        restarts = Restarts(name, first_wait_s, is_ours=is_ours, replica=replica)
        while True:
            restarts.begins()
            try:
                child = await self._child(name, replica=replica)
            except OSError as error:  # no process or no memory to be had now
                died = died or time.monotonic()
                _log.error("process.start_failed", service=name, replica=replica, error=str(error))
                await asyncio.sleep(_RESTART_WAIT_S)
                continue
            self.children.setdefault(name, []).append(child)
            if died and not restarts.repeats:
                after_s = round(time.monotonic() - died, 3)
                _log.warning("process.restarted", service=name, replica=replica, after_s=after_s)
            try:
                code = await child.wait()
            finally:
                self.children[name].remove(child)
                if child.returncode is None:
                    await _end(child)
            if child.pid in self._told_to_end:
                self._told_to_end.discard(child.pid)
                continue
            self.ends[name] += 1
            died = time.monotonic()
            refusals = refusals + 1 if code == _SAID_NO and is_ours else 0
            if refusals >= _ENDS_IN_A_ROW and self._doomed is not None and not self._doomed.done():
                self._doomed.set_result(name)
            wait_s = restarts.ends(f"its process ended with {code}")
            if not restarts.repeats:
                _log.error("process.died", service=name, replica=replica, exit_code=code)
            await asyncio.sleep(wait_s)

    def environment_of(self, name: str, replica: int) -> Mapping[str, str]:
        """The whole environment of one process: a file for its log, beside ours, is its own."""
        service, settings = self._services[name]
        if settings.log_file is not None:
            own = log_file_of(settings.log_file, name, replica)
            settings = settings.model_copy(update={"log_file": own})
        return {**environment_for(service, settings), PARENT_PID: str(os.getpid())}

    async def _child(self, name: str, *how: str, replica: int = 0) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            MODULE,
            name,
            *how,
            env=self.environment_of(name, replica),
            start_new_session=True,
        )


async def _end(child: asyncio.subprocess.Process) -> None:
    child.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(_STOP_PATIENCE_S):
            await child.wait()
    except TimeoutError:
        child.kill()
        await child.wait()
