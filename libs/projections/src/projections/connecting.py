"""Connections to Postgres that are closed, however their block ends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection


@asynccontextmanager
async def connected(dsn: str, **settings: Any) -> AsyncIterator[AsyncConnection[Any]]:
    """A connection for the length of the block; `settings` as for `AsyncConnection.connect`.

    The connection's own `async with` would stay open where it is cancelled in its last rollback.
    """
    connection = await AsyncConnection.connect(dsn, **settings)
    try:
        yield connection
    finally:
        await connection.close()
