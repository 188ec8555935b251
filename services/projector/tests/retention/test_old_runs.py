"""Which runs of tasks may go: old ones, of which enough days of runs followed."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from psycopg.types.json import Jsonb

from projections.project.log_projection import LogProjection
from projections.schema import SCHEMA
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.retention import old_runs

FIRST = datetime(2026, 1, 1, 12, tzinfo=UTC)
_RUN = f"""
    INSERT INTO {SCHEMA}.schedule_runs VALUES
    ('a', 't_1', %(at)s, false, 'skipped', NULL, NULL, 0, %(number)s, %(number)s, 'service', NULL, NULL,
    %(at)s)
"""
_TOLD = f"""
    INSERT INTO {SCHEMA}.events (place, subject, agent_id, type, body)
    VALUES (4096 * %(number)s, 'agt.a.run.t_1', 'a', 'x', %(body)s)
"""


@pytest.mark.parametrize(
    ("days_of_runs", "before", "goes"),
    [
        pytest.param(40, 9, 8, id="those of the first days, after thirty"),
        pytest.param(5, 365, 0, id="none, where the clock is a year ahead of five days of runs"),
        pytest.param(17, 365, 2, id="as many as half of thirty days followed"),
    ],
)
async def test_a_run_goes_when_it_is_old_and_enough_days_followed(
    postgres_dsn: str, days_of_runs: int, before: int, goes: int
) -> None:
    projection = LogProjection()
    async with writing(postgres_dsn) as connection:
        await create(connection, projection, projection.schema)
    async with await psycopg.AsyncConnection.connect(postgres_dsn, autocommit=True) as connection:
        await connection.execute("SET timezone TO 'UTC'")
        for number in range(1, days_of_runs + 1):
            at = FIRST + timedelta(days=number)
            told = {"number": number, "at": at, "body": Jsonb({"value": {"due_at": at.isoformat()}})}
            await connection.execute(_RUN, told)
            await connection.execute(_TOLD, told)
        asked = {"keep": 1, "before": FIRST + timedelta(days=before), "most": 1_000, "worked": 15}
        found = await (await connection.execute(old_runs._OLD, asked)).fetchall()
    assert len(found) == goes
