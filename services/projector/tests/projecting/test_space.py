"""What is deleted from the tables makes room for what comes."""

import asyncio

import psycopg
import pytest

from foldline_testing.agent_platform.servers import PostgresForTests
from projections.project.log_projection import LogProjection
from projector.projecting.schemas import create
from projector.projecting.store import writing

_FILL = """
    INSERT INTO projections.messages
    SELECT 's' || n %% 50, n, 'user', 'message ' || n || repeat(' some words', 40), now(), NULL, '{}'
    FROM generate_series(%s::bigint, %s::bigint) AS n
"""
_ROWS_SIZE = "SELECT pg_table_size('projections.messages')"
_SIZE = "SELECT pg_total_relation_size('projections.messages')"
_PENDING = 1024 * 1024
"""Bytes that wait in the index of words to be put in order."""
_OF = "FROM pg_stat_user_tables WHERE relid = 'projections.messages'::regclass"
_DEAD = f"SELECT n_dead_tup {_OF}"
_VACUUMED = f"SELECT autovacuum_count {_OF}"
_ROWS = 4_000


@pytest.mark.long
async def test_space_of_deleted_rows_is_used_again(
    postgres_server: PostgresForTests, postgres_dsn: str
) -> None:
    async with writing(postgres_dsn) as connection:
        await create(connection, LogProjection(), "projections")
    async with await psycopg.AsyncConnection.connect(postgres_dsn, autocommit=True) as connection:

        async def value(sql: str) -> int:
            row = await (await connection.execute(sql.encode())).fetchone()
            assert row is not None
            return int(row[0])

        await connection.execute(_FILL, (1, _ROWS))
        rows, everything = await value(_ROWS_SIZE), await value(_SIZE)
        await connection.execute(f"DELETE FROM projections.messages WHERE place <= {_ROWS // 2}".encode())
        async with asyncio.timeout(90):
            while await value(_DEAD) or not await value(_VACUUMED):  # noqa: ASYNC110 (no event tells)
                await asyncio.sleep(0.2)
        await connection.execute(_FILL, (_ROWS + 1, _ROWS * 3 // 2))
        assert await value(_ROWS_SIZE) <= rows * 1.02  # the map of what is free grows
        assert await value(_SIZE) <= everything + _PENDING
