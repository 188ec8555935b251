"""The projector's entry point, and what a person can ask about the projections."""

import msgspec
from psycopg import OperationalError

from agent_contracts.errors import Rejected, Transient
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from agent_platform.process.service import running_service
from projections.checkpoint import read_checkpoint
from projections.schema import CONSUMER, SCHEMA
from projector.projecting import rebuild
from projector.projecting.metrics import ProjectionMetrics
from projector.projecting.projector import Projector
from projector.projecting.rebuild import RebuildReport
from projector.projecting.store import connect
from projector.rows.projection import LogProjection
from projector.settings import ProjectorSettings

SERVICE = "projector"


class ProjectionStatus(msgspec.Struct, frozen=True):
    """Where the tables stand, where the log does, which version made them, how many events had a problem."""

    sequence: int
    last_sequence: int
    version: str
    updated_at: str
    problems: int


async def serve(settings: ProjectorSettings) -> None:
    """Project until cancelled. `Rejected` for settings that can't be; the log and Postgres may come later."""
    dsn = settings.required_dsn()
    projection = LogProjection()
    async with running_service(settings, SERVICE) as service:
        numbers = ProjectionMetrics(service.metrics.registry, projection.name)
        projector = Projector(projection, dsn, JetStreamLog(service.connection), SystemClock(), numbers)

        async def database_answers() -> None:
            if projector.trouble is not None:
                raise Transient(projector.trouble)

        service.checks.add_readiness("database", database_answers)
        await projector.run()


async def rebuild_projections(dsn: str, events: Log) -> RebuildReport:
    """Build all tables anew from the log and swap them in; see `rebuild.rebuild`."""
    return await rebuild.rebuild(LogProjection(), dsn, events)


async def check_projections(dsn: str, events: Log) -> RebuildReport:
    """Compare the tables with ones built anew, row by row, and change nothing; see `rebuild.check`."""
    return await rebuild.check(LogProjection(), dsn, events)


async def projection_status(dsn: str, events: Log) -> ProjectionStatus:
    """Where the tables stand. `Rejected` if there are none, `Transient` if Postgres can't be reached."""
    try:
        async with await connect(dsn, "projections: status") as connection:
            found = await read_checkpoint(connection, SCHEMA, CONSUMER)
            if found is None:
                raise Rejected("there are no projections yet: start the projector", kind="not_found")
            counted = await connection.execute(
                f"SELECT count(*) FROM {SCHEMA}.events WHERE problem IS NOT NULL"
            )
            problems = await counted.fetchone()
    except OperationalError as error:
        raise Transient(f"Postgres can't be reached: {error}") from error
    return ProjectionStatus(
        sequence=found.sequence,
        last_sequence=await events.last_sequence(),
        version=found.version,
        updated_at=found.updated_at.isoformat(),
        problems=problems[0] if problems else 0,
    )
