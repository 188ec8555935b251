"""The read side: Postgres, where the projector keeps what people look at."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Protocol

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from agent_contracts.errors import Transient
from agent_platform.process.interruption import Interruption
from projections.schema import SCHEMA

Row = Mapping[str, Any]

_MAX_CONNECTIONS = 8
_CONNECT_S = 3.0
_STATEMENT_MS = 10_000
_SILENT_S = _STATEMENT_MS / 1_000 + 2.0
"""A Postgres that lives would have ended the statement before."""


class ProjectionSnapshot(Protocol):
    """One moment of the projections: every query sees the same."""

    async def rows(self, sql: str, **parameters: object) -> list[Row]:
        """The rows of a query with named parameters."""
        ...


class Database(Protocol):
    """Where projections are read."""

    def snapshot(self) -> contextlib.AbstractAsyncContextManager[ProjectionSnapshot]:
        """Read at one moment. `Transient` when Postgres can't be reached or has no projections yet."""
        ...


class _Transaction:
    def __init__(self, connection: psycopg.AsyncConnection[DictRow]) -> None:
        self._connection = connection

    async def rows(self, sql: str, **parameters: object) -> list[Row]:
        # Parameters are bound, never pasted; the statements are this package's own literals.
        with _cut_when_silent(self._connection):
            cursor = await self._connection.execute(sql, parameters)
            return list(await cursor.fetchall())


class Postgres:
    """A `Database` over a pool that opens connections when they are needed."""

    def __init__(self, dsn: str) -> None:
        self._outage = Interruption("postgres")
        self._pool: AsyncConnectionPool[psycopg.AsyncConnection[DictRow]] = AsyncConnectionPool(
            dsn,
            min_size=0,
            max_size=_MAX_CONNECTIONS,
            open=False,
            timeout=_CONNECT_S,
            max_idle=60,
            reconnect_timeout=_CONNECT_S,
            connection_class=psycopg.AsyncConnection[DictRow],
            kwargs={
                "row_factory": dict_row,
                "options": f"-c search_path={SCHEMA} -c statement_timeout={_STATEMENT_MS}",
                "application_name": "foldline-gateway",
                "prepare_threshold": None,
                "connect_timeout": int(_CONNECT_S),
            },
            configure=_configure,
        )

    async def open(self) -> None:
        """Begin; doesn't wait for Postgres to answer."""
        await self._pool.open(wait=False)

    async def close(self) -> None:
        """Close every connection."""
        await self._pool.close(timeout=1.0)

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[ProjectionSnapshot]:
        """Read at one moment; see the port."""
        try:
            with contextlib.ExitStack() as until_returned:
                async with self._pool.connection() as connection:
                    self._outage.over()
                    try:
                        yield _Transaction(connection)
                    finally:
                        until_returned.enter_context(_cut_when_silent(connection))
        except (
            psycopg.errors.UndefinedTable,
            psycopg.errors.UndefinedColumn,
            psycopg.errors.UndefinedFunction,
            psycopg.errors.InvalidSchemaName,
        ):
            raise Transient(
                "The lists are not made yet, or are of another version: try again in a moment. All that was "
                "said is safe in the log, and the projector makes them from it"
            ) from None
        except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
            self._outage.hit(str(error).partition("\n")[0])
            raise Transient("Postgres can't be reached; try again in a moment") from error


@contextlib.contextmanager
def _cut_when_silent(connection: psycopg.AsyncConnection[DictRow]) -> Iterator[None]:
    """End what waits for a Postgres that hangs: `psycopg.OperationalError`.

    It doesn't end its statements by itself, and psycopg goes on waiting for one that was cancelled. What does
    end the wait is that the connection is gone.
    """
    timer = asyncio.get_running_loop().call_later(_SILENT_S, _cut, connection)
    try:
        yield
    finally:
        timer.cancel()


def _cut(connection: psycopg.AsyncConnection[DictRow]) -> None:
    with (
        contextlib.suppress(psycopg.OperationalError, OSError),  # it is gone already
        socket.socket(fileno=os.dup(connection.fileno())) as own,
    ):
        own.shutdown(socket.SHUT_RDWR)


async def _configure(connection: psycopg.AsyncConnection[DictRow]) -> None:
    await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
    await connection.set_read_only(True)
