"""Whether tables were made from this very log: after a restore they may be of what it was before."""

from typing import Any

from psycopg import AsyncConnection, sql

from agent_contracts.log.address import Address
from agent_platform.log.port import Log
from projections.log_tables import EVENTS
from projector.projecting.projection import Projection

_LAST = "SELECT sequence, subject, event_id FROM {}.events WHERE place <= %s ORDER BY place DESC LIMIT 1"


async def made_from(
    events: Log, connection: AsyncConnection[tuple[Any, ...]], projection: Projection, position: int
) -> bool:
    """Whether the log has at their last event what the tables say. What was erased there since doesn't count,
    nor tables that keep no events."""
    if position > await events.last_sequence():
        return False
    if EVENTS not in projection.tables:
        return True
    statement = sql.SQL(_LAST).format(sql.Identifier(projection.schema))
    row = await (await connection.execute(statement, [Address(position).end])).fetchone()
    if row is None:
        return True
    sequence, subject, event_id = row
    message = await events.get(sequence)
    return message is None or (message.subject, message.event_id) == (subject, event_id)
