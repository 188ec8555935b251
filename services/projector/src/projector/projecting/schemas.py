"""Creating, replacing and dropping the schemas that hold a projection's tables."""

import hashlib
from typing import Any

import psycopg
from psycopg import AsyncConnection, errors, sql
from tenacity import AsyncRetrying, retry_if_exception_type, wait_random

from agent_contracts.errors import Transient
from projections.schema import EXTENSIONS
from projector.projecting.projection import Projection

Connection = AsyncConnection[tuple[Any, ...]]


def version_of(projection: Projection) -> str:
    """`<mapping version>-<hash of the schema file>`: which rows this code makes."""
    digest = hashlib.sha256(projection.schema_sql.encode()).hexdigest()[:12]
    return f"{projection.mapping_version}-{digest}"


def is_newer(stored: str, projection: Projection) -> bool:
    """Whether the rows were made by a mapping that comes after this one: we may not overwrite them."""
    number = stored.partition("-")[0]
    return number.isdigit() and int(number) > projection.mapping_version


async def create(connection: Connection, projection: Projection, schema: str) -> None:
    """Empty tables in `schema`, with the checkpoint at 0; whatever was there is dropped."""
    await drop(connection, schema)
    name = sql.Identifier(schema)
    async with connection.transaction():
        await connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
        await connection.execute(sql.SQL("SET LOCAL search_path TO {}").format(name))
        try:
            await connection.execute(projection.schema_sql.encode())
        except (errors.InsufficientPrivilege, errors.UndefinedFile, errors.FeatureNotSupported) as error:
            raise _without_extensions(connection, error) from error
        await connection.execute(
            "INSERT INTO checkpoint (consumer, sequence, version) VALUES (%s, 0, %s)",
            [projection.name, version_of(projection)],
        )


def _without_extensions(connection: Connection, error: psycopg.Error) -> Transient:
    """What to run where search can't be set up. The projector tries again, and continues once it is done."""
    database, role = connection.info.dbname, connection.info.user
    return Transient(
        f"search needs the extensions {', '.join(EXTENSIONS)} of Postgres' contrib, and the role {role!r} "
        f"can't create them in the database {database!r} ({str(error).partition(chr(10))[0]}). Nothing is "
        "lost: the log has everything. As a superuser, run in that database: "
        + " ".join(f"CREATE EXTENSION IF NOT EXISTS {name} SCHEMA public;" for name in EXTENSIONS),
        kind="no_extension",
    )


async def drop(connection: Connection, schema: str) -> None:
    """Drop a schema that nobody is sent to any more, one table at a time.

    So no reader is ever caught in a deadlock, and whoever still reads a table finishes first.
    """
    views = await connection.execute("SELECT viewname FROM pg_views WHERE schemaname = %s", [schema])
    for (view,) in await views.fetchall():
        one = sql.SQL("DROP VIEW IF EXISTS {} CASCADE").format(sql.Identifier(schema, view))
        await _when_unused(connection, one)
    found = await connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema])
    for (table,) in await found.fetchall():
        await _when_unused(
            connection, sql.SQL("DROP TABLE {}.{}").format(sql.Identifier(schema), sql.Identifier(table))
        )
    await _when_unused(connection, sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema)))


async def swap(connection: Connection, live: str, ready: str, old: str) -> None:
    """Give `ready` the name `live`, which gets the name `old` if it exists. Call it inside a transaction."""
    found = await connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [live])
    renames = [(live, old), (ready, live)] if await found.fetchone() else [(ready, live)]
    for before, after in renames:
        await connection.execute(
            sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(sql.Identifier(before), sql.Identifier(after))
        )


async def _when_unused(connection: Connection, statement: sql.Composed) -> None:
    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type(errors.LockNotAvailable), wait=wait_random(0.05, 0.2)
    ):
        with attempt:
            async with connection.transaction():
                await connection.execute("SET LOCAL lock_timeout = '200ms'")
                await connection.execute(statement)
