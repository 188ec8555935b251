"""What a person can ask about the projections: where they stand, and whether they are right."""

from datetime import datetime

import msgspec
from psycopg import OperationalError, sql

from agent_contracts.errors import Rejected, Transient
from agent_platform.log.port import Log
from projections.checkpoint import read_checkpoint
from projections.project.log_projection import LogProjection
from projections.schema import CONSUMER, SCHEMA
from projector.projecting import rebuild
from projector.projecting.rebuild import RebuildReport
from projector.projecting.store import writing

_PROBLEMS = sql.SQL("SELECT count(*) FROM {}.events WHERE problem IS NOT NULL").format(sql.Identifier(SCHEMA))


class ProjectionStatus(msgspec.Struct, frozen=True):
    """Where the tables stand, where the log does, which version made them and when they last moved, and how
    many events could not be projected."""

    sequence: int
    last_sequence: int
    version: str
    updated_at: datetime
    problems: int


async def projection_status(dsn: str, events: Log) -> ProjectionStatus:
    """Where the tables stand. `Rejected` if there are none, `Transient` if Postgres can't be reached."""
    try:
        async with writing(dsn, "projections: status") as connection:
            found = await read_checkpoint(connection, SCHEMA, CONSUMER)
            if found is None:
                raise Rejected("there are no projections yet: start the projector", kind="not_found")
            [problems] = await (await connection.execute(_PROBLEMS)).fetchone() or (0,)
    except OperationalError as error:
        raise Transient(f"Postgres can't be reached: {error}", kind="database_unreachable") from error
    last = await events.last_sequence()
    return ProjectionStatus(found.sequence, last, found.version, found.updated_at, problems)


async def check_projections(dsn: str, events: Log) -> RebuildReport:
    """Compare the tables with ones built anew, row by row, and change nothing; see `rebuild.check`."""
    return await rebuild.check(LogProjection(), dsn, events)


async def rebuild_projections(dsn: str, events: Log) -> RebuildReport:
    """Build all tables anew from the log, while readers use the old ones; see `rebuild.rebuild`."""
    return await rebuild.rebuild(LogProjection(), dsn, events)
