"""All services in this process, as tasks of one event loop."""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping

import structlog

from agent_contracts.errors import Rejected
from agent_platform.secrecy.failure_text import failure_of
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.shared import ServiceSettings
from foldline.supervisor.restarts import Restarts

_log = structlog.get_logger()
_RESTART_WAIT_S = 1.0
_THEIR_WAIT_S = 5.0


class InProcess:
    """Runs services as tasks; one that fails is started again. One of Foldline's own that refuses its
    settings at once ends the others; somebody else's is tried again for ever."""

    def __init__(self, services: Mapping[str, tuple[ServiceDeclaration, ServiceSettings]]) -> None:
        self._services = dict(services)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.ends: Counter[str] = Counter()
        """How often each service has ended by itself."""

    def start(self, name: str) -> None:
        """Start one service."""
        service, settings = self._services[name]
        self._tasks[name] = asyncio.create_task(self._run(service, settings), name=name)

    async def restart(self, name: str, settings: ServiceSettings) -> None:
        """Stop one service, and start it with other settings."""
        task = self._tasks[name]
        task.cancel()
        await asyncio.wait([task])
        self._services[name] = (self._services[name][0], settings)
        self.start(name)

    async def failed(self) -> None:
        """Return only by raising: a service said that it can't run with these settings."""
        done, _ = await asyncio.wait(self._tasks.values(), return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def stop(self) -> None:
        """Stop all, the last started first."""
        for task in reversed(self._tasks.values()):
            task.cancel()
        # What one of them failed with was told before; the others must still end in order.
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _run(self, service: ServiceDeclaration, settings: ServiceSettings) -> None:
        ran, ended = False, 0.0
        first_wait_s = _RESTART_WAIT_S if service.is_ours else _THEIR_WAIT_S
        restarts = Restarts(service.name, first_wait_s, is_ours=service.is_ours)
        while True:
            if ran and not restarts.repeats:
                after_s = round(time.monotonic() - ended, 3)
                _log.warning("service.restarted", service=service.name, after_s=after_s)
            restarts.begins()
            try:
                await service.load()(settings)
                wait_s = restarts.ends("it ended")
                if not restarts.repeats:
                    _log.error("service.ended", service=service.name)
            except Rejected as refusal:
                if service.is_ours and not ran:
                    raise
                wait_s = restarts.ends(refusal.message)
                if not restarts.repeats:
                    _log.error("service.refused", service=service.name, reason=refusal.message)
            except Exception as error:
                wait_s = restarts.ends(failure_of(error))
                if not restarts.repeats:
                    _log.exception("service.failed", service=service.name)
            ran, ended = True, time.monotonic()
            self.ends[service.name] += 1
            await asyncio.sleep(wait_s)
