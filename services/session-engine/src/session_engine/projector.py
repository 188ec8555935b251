"""The projector's entry point, and what a person can ask about the projections."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from psycopg import OperationalError

from agent_contracts.errors import Rejected, Transient
from agent_platform.clock import SystemClock
from agent_platform.connection import Connection, connect
from agent_platform.health import HealthChecks, HealthServer
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.metrics import Metrics
from agent_platform.projections import rebuild, store
from agent_platform.projections.metrics import ProjectionMetrics
from agent_platform.projections.projector import Projector
from agent_platform.projections.rebuild import RebuildReport
from agent_platform.settings import Settings
from session_engine.projections.projection import SessionsProjection

SERVICE = "projector"


class ProjectionStatus(msgspec.Struct, frozen=True):
    """Where the tables stand, where the log does, which version made them, how many events had a problem."""

    sequence: int
    last_sequence: int
    version: str
    updated_at: str
    problems: int


async def serve_projector(settings: Settings) -> None:
    """Project until cancelled. `Rejected` for settings that can't be; the log and Postgres may come later."""
    dsn = _dsn(settings)
    metrics = Metrics()
    projection = SessionsProjection()
    async with _connected(settings) as connection:
        events = JetStreamLog(connection)
        numbers = ProjectionMetrics(metrics.registry, projection.name)
        projector = Projector(projection, dsn, events, SystemClock(), numbers)
        async with _health(settings, HealthServer(_checks(projector, connection), metrics)):
            await projector.run()


async def rebuild_projections(dsn: str, events: Log) -> RebuildReport:
    """Build all tables anew from the log and swap them in; see `rebuild.rebuild`."""
    return await rebuild.rebuild(SessionsProjection(), dsn, events)


async def check_projections(dsn: str, events: Log) -> RebuildReport:
    """Compare the tables with ones built anew, row by row, and change nothing; see `rebuild.check`."""
    return await rebuild.check(SessionsProjection(), dsn, events)


async def projection_status(dsn: str, events: Log) -> ProjectionStatus:
    """Where the tables stand. `Rejected` if there are none, `Transient` if Postgres can't be reached."""
    projection = SessionsProjection()
    try:
        async with await store.connect(dsn, "projections: status") as connection:
            found = await store.Store(connection, projection, projection.schema).checkpoint()
            if found is None:
                raise Rejected("there are no projections yet: start the projector", kind="not_found")
            counted = await connection.execute(
                "SELECT count(*) FROM projections.events WHERE problem IS NOT NULL"
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


def _checks(projector: Projector, connection: Connection) -> HealthChecks:
    """Ready when it works, or stands by for one that does, and the log can be reached."""
    checks = HealthChecks()

    async def log_answers() -> None:
        await connection.until_connected(1.0)

    async def database_answers() -> None:
        if projector.trouble is not None:
            raise Transient(projector.trouble)

    checks.add_readiness("log", log_answers)
    checks.add_readiness("database", database_answers)
    return checks


@asynccontextmanager
async def _health(settings: Settings, server: HealthServer) -> AsyncIterator[None]:
    if settings.health_port is None:
        yield
        return
    await server.start("127.0.0.1", settings.health_port)
    try:
        yield
    finally:
        await server.stop()


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncIterator[Connection]:
    if settings.nats_url is None:
        raise Rejected("FOLDLINE_NATS_URL is not set: name the server, or start all by `foldline up`")
    given = settings.nats_credentials.get_secret_value() if settings.nats_credentials else ""
    user, colon, password = given.partition(":")
    if colon:
        connection = await connect(settings.nats_url, name=SERVICE, user=user, password=password)
    else:
        connection = await connect(settings.nats_url, name=SERVICE)
    try:
        yield connection
    finally:
        await asyncio.shield(connection.close())


def _dsn(settings: Settings) -> str:
    if settings.postgres_dsn is None:
        raise Rejected("FOLDLINE_POSTGRES_DSN is not set: name the database, or start all by `foldline up`")
    return settings.postgres_dsn.get_secret_value()
