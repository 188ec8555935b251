"""A projection's tables in one Postgres schema: looking rows up, writing them, and moving the checkpoint."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, get_args, get_type_hints

import msgspec
from psycopg import AsyncConnection, sql
from psycopg.types.string import TextLoader

from agent_contracts import service_names
from projections.checkpoint import Checkpoint, read_checkpoint
from projections.connecting import connected
from projections.project.batch_rows import BatchRows
from projections.project.stored_once import stored_once
from projections.schema import CHANNEL
from projections.table import JsonText, Key, ProjectedTable
from projector.projecting.projection import Projection

_ADVANCE = sql.SQL(
    "WITH moved AS (UPDATE {}.checkpoint SET sequence = %s, updated_at = now()"
    " WHERE consumer = %s AND sequence = %s AND version = %s RETURNING sequence)"
    " SELECT CASE WHEN %s THEN pg_notify(%s, sequence::text) END FROM moved"
)

_OPTIONS = {
    "TimeZone": "UTC",
    "synchronous_commit": "off",
    "idle_in_transaction_session_timeout": "30s",
    # Rows are looked up by key, and tables grow from nothing: a plan that was made while they were empty, and
    # is kept, would read them whole until Postgres counts them anew.
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}
_SQL_TYPES: dict[Any, str] = {
    str: "text",
    JsonText: "jsonb",
    int: "bigint",
    bool: "boolean",
    datetime: "timestamptz",
}


class CheckpointMoved(Exception):
    """The checkpoint is not where this writer left it: someone else wrote, or the tables were replaced."""


@asynccontextmanager
async def writing(
    dsn: str, application_name: str = service_names.PROJECTOR
) -> AsyncIterator[AsyncConnection[tuple[Any, ...]]]:
    """A connection for one writer, in autocommit mode, for the length of the block.

    Commits don't wait for the disk: after a crash of Postgres the last few may be gone, rows and checkpoint
    together, and are folded again. A writer frozen inside a transaction is cut off after 30 s.
    """
    settings = " ".join(f"-c {name}={value}" for name, value in _OPTIONS.items())
    async with connected(
        dsn,
        autocommit=True,
        application_name=application_name,
        connect_timeout=5,
        keepalives_idle=10,
        keepalives_interval=5,
        keepalives_count=3,
        options=settings,
    ) as connection:
        connection.adapters.register_loader("jsonb", TextLoader)
        yield connection


class TableStore:
    """The tables of `projection` in `schema`, through one connection."""

    def __init__(
        self, connection: AsyncConnection[tuple[Any, ...]], projection: Projection, schema: str
    ) -> None:
        self._connection = connection
        self._projection = projection
        self._name = schema
        self._schema = sql.Identifier(schema)
        self._advance = self._text(_ADVANCE.format(self._schema))
        tables = projection.tables
        self._selects = {table: self._text(self._take_sql(table, returning=True)) for table in tables}
        self._deletes = {table: self._text(self._take_sql(table, returning=False)) for table in tables}
        self._copies = {table: self._text(self._copy_sql(table)) for table in tables}

    async def checkpoint(self) -> Checkpoint | None:
        """Where the tables stand, or None if there are none for this projection."""
        return await read_checkpoint(self._connection, self._name, self._projection.name)

    async def advance(self, version: str, expected: int, sequence: int, *, announce: bool) -> None:
        """Move the checkpoint; others wait for the transaction's end. `CheckpointMoved` if it is elsewhere.

        This is `WHERE sequence < new` and more: a gap is refused as well as a repeat. Those who wait are told
        at the commit, if `announce`, that the rows hold everything up to `sequence`.
        """
        values = [sequence, self._projection.name, expected, version, announce, CHANNEL]
        if (await self._connection.execute(self._advance, values, prepare=True)).rowcount != 1:
            raise CheckpointMoved(f"{self._projection.name}: the checkpoint is not at {expected}")

    async def load(self, rows: BatchRows, table: ProjectedTable[Any], keys: Sequence[Key]) -> None:
        """Look rows up. They are taken out of the table: `write` puts them back, changed or not."""
        found = await (
            await self._connection.execute(self._selects[table], _columns_of(keys), prepare=True)
        ).fetchall()
        rows.loaded(table, keys, [table.row(*values) for values in found])

    async def write(self, rows: BatchRows) -> None:
        """Put everything that the batch leaves into the tables."""
        for table, keys in rows.unseen():
            await self._connection.execute(self._deletes[table], _columns_of(keys), prepare=True)
        async with self._connection.cursor() as cursor:
            for table, left in stored_once(rows.to_write()):
                if not left:
                    continue
                async with cursor.copy(self._copies[table]) as copy:
                    for row in left:
                        await copy.write_row(msgspec.structs.astuple(row))

    def _text(self, statement: sql.Composed) -> bytes:
        """Put together once: it is half of what psycopg does for a statement."""
        return statement.as_bytes(self._connection)

    def _take_sql(self, table: ProjectedTable[Any], *, returning: bool) -> sql.Composed:
        kinds = get_type_hints(table.row)
        keys = [sql.Identifier(column) for column in table.key]
        arrays = [sql.SQL("%s::{}[]").format(sql.SQL(sql_type(kinds[column]))) for column in table.key]
        statement = sql.SQL("DELETE FROM {}.{} t USING unnest({}) AS wanted ({}) WHERE {}").format(
            self._schema,
            sql.Identifier(table.name),
            sql.SQL(", ").join(arrays),
            sql.SQL(", ").join(keys),
            sql.SQL(" AND ").join(sql.SQL("t.{0} = wanted.{0}").format(key) for key in keys),
        )
        if not returning:
            return statement
        columns = [sql.SQL("t.{}").format(sql.Identifier(column)) for column in table.columns]
        return statement + sql.SQL(" RETURNING ") + sql.SQL(", ").join(columns)

    def _copy_sql(self, table: ProjectedTable[Any]) -> sql.Composed:
        columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
        return sql.SQL("COPY {}.{} ({}) FROM STDIN").format(self._schema, sql.Identifier(table.name), columns)


def sql_type(annotation: Any) -> str:
    """The Postgres type of a row's field."""
    options = [option for option in get_args(annotation) if option is not type(None)] or [annotation]
    return _SQL_TYPES[options[0]]


def _columns_of(keys: Sequence[Key]) -> list[list[Any]]:
    return [list(column) for column in zip(*keys, strict=True)]
