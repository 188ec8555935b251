"""How far the projections have come, and waiting for them: read your own writes."""

import asyncio

from agent_contracts.errors import Transient
from gateway.queries.database import Database, Snapshot

_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.1


async def checkpoint(snapshot: Snapshot) -> int:
    """The rows hold every event up to and including this sequence."""
    rows = await snapshot.rows("SELECT max(sequence) AS sequence FROM checkpoint")
    return int(rows[0]["sequence"] or 0)


async def wait_for(database: Database, sequence: int | None, wait_s: float) -> None:
    """Return once the projections hold event `sequence`.

    `Transient(kind="projection_behind")` after `wait_s` seconds.
    """
    if not sequence:
        return
    pause, waited = _FIRST_PAUSE_S, 0.0
    while True:
        async with database.snapshot() as snapshot:
            reached = await checkpoint(snapshot)
        if reached >= sequence:
            return
        if waited >= wait_s:
            raise Transient(
                f"The projections are at event {reached} and did not reach {sequence} within {wait_s:g} s",
                kind="projection_behind",
            )
        await asyncio.sleep(pause)
        waited += pause
        pause = min(2 * pause, _LONGEST_PAUSE_S)
