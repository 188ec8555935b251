"""The projector as a service."""

from agent_contracts.errors import Transient
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.process.clock import SystemClock
from agent_platform.process.service import running_service
from projector.projecting.metrics import ProjectionMetrics
from projector.projecting.projector import Projector
from projector.rows.projection import LogProjection
from projector.service import DECLARATION
from projector.settings import ProjectorSettings


async def serve(settings: ProjectorSettings) -> None:
    """Project until cancelled. `Rejected` for settings that can't be; the log and Postgres may come later."""
    dsn = settings.required_dsn()
    projection = LogProjection()
    async with running_service(DECLARATION, settings) as service:
        numbers = ProjectionMetrics(service.metrics.registry, projection.name)
        projector = Projector(projection, dsn, JetStreamLog(service.connection), SystemClock(), numbers)

        async def database_answers() -> None:
            if projector.trouble is not None:
                raise Transient(projector.trouble)

        service.checks.add_readiness("database", database_answers)
        await projector.run()
