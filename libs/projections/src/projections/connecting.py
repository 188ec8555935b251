"""Connections to Postgres that are closed, however their block ends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection

from agent_contracts.errors import Rejected

_ENCODING = "UTF8"
OLDEST = 18
"""The major version of Postgres that the tables need."""


@asynccontextmanager
async def connected(dsn: str, **settings: Any) -> AsyncIterator[AsyncConnection[Any]]:
    """A connection for the length of the block; `settings` as for `AsyncConnection.connect`.

    The connection's own `async with` would stay open where it is cancelled in its last rollback. Raises
    `Rejected` for a database that can't hold every text: its texts would come back as bytes; and for a server
    that is older than `OLDEST`.
    """
    connection = await AsyncConnection.connect(dsn, **settings)
    try:
        version = connection.info.server_version
        if version < OLDEST * 10_000:
            raise Rejected(
                f"Postgres {version // 10_000} is too old: Foldline needs {OLDEST} or later. Nothing was "
                "written to it; the log has everything. Name another server in FOLDLINE_POSTGRES_DSN, or "
                "none to use the embedded one",
                kind="wrong_version",
            )
        found = connection.info.parameter_status("server_encoding")
        if found != _ENCODING:
            name = connection.info.dbname
            raise Rejected(
                f"the database {name!r} has the encoding {found}, and Foldline needs {_ENCODING}. Nothing "
                f"was written to it; the log has everything. Make another: CREATE DATABASE {name} ENCODING "
                f"'{_ENCODING}' TEMPLATE template0",
                kind="wrong_encoding",
            )
        yield connection
    finally:
        await connection.close()
