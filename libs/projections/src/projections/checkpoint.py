"""How far the tables have come: they hold every event up to and including the checkpoint's sequence."""

from datetime import datetime
from typing import Any

import msgspec
from psycopg import AsyncConnection, sql

_EXISTS = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'checkpoint'"


class Checkpoint(msgspec.Struct, frozen=True):
    """How far a projection has come, which version of it made the rows, and when it last moved."""

    sequence: int
    version: str
    updated_at: datetime


async def read_checkpoint(
    connection: AsyncConnection[tuple[Any, ...]], schema: str, consumer: str
) -> Checkpoint | None:
    """Where the tables in `schema` stand, or None if there are none."""
    if await (await connection.execute(_EXISTS, [schema])).fetchone() is None:
        return None
    statement = sql.SQL("SELECT sequence, version, updated_at FROM {}.checkpoint WHERE consumer = %s")
    row = await (await connection.execute(statement.format(sql.Identifier(schema)), [consumer])).fetchone()
    return None if row is None else Checkpoint(*row)
