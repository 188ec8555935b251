"""The projector as a service."""

import asyncio
import contextlib

from agent_contracts.errors import Transient
from agent_contracts.subjects import DLQ_STREAM
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.sealing.sealer import SealedLog
from agent_platform.process.clock import SystemClock
from agent_platform.process.service import running_service
from projector.projecting.letters import Letters
from projector.projecting.metrics import ProjectionMetrics
from projector.projecting.projector import Projector
from projector.rows.projection import LogProjection
from projector.service import DECLARATION
from projector.settings import ProjectorSettings

_LAST_SEAL_S = 1.0


async def serve(settings: ProjectorSettings) -> None:
    """Project until cancelled, and seal what is read. `Rejected` for settings that can't be; the log and
    Postgres may come later."""
    dsn = settings.required_dsn()
    projection = LogProjection()
    async with running_service(DECLARATION, settings) as service:
        numbers = ProjectionMetrics(service.metrics.registry, projection.name)
        log = SealedLog(service.connection)
        letters = Letters(JetStreamLog(service.connection, stream=DLQ_STREAM))
        projector = Projector(projection, dsn, log, SystemClock(), numbers, letters)

        async def database_answers() -> None:
            if projector.trouble is not None:
                raise Transient(projector.trouble)

        service.checks.add_readiness("database", database_answers)
        sealing = asyncio.create_task(log.sealer.run())
        try:
            await projector.run()
        finally:
            sealing.cancel()
            await asyncio.wait([sealing])
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(log.sealer.keep(), _LAST_SEAL_S)
