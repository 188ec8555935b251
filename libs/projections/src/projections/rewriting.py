"""Writing the tables anew, so that no file of Postgres holds rows that were deleted."""

import psycopg
import structlog
from psycopg import sql

from projections.connecting import connected
from projections.schema import SCHEMA

log = structlog.get_logger()

_WAL_FILE = 17 * 1024 * 1024
"""Bytes: more than one file of the write-ahead log has, unless its administrator chose larger ones."""
_TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind = 'r' ORDER BY c.relname
"""


async def write_tables_anew(dsn: str) -> list[str]:
    """Write each table without what was deleted from it, and begin a new file of the write-ahead log; what
    could not be done, in words. Readers and the projector wait meanwhile."""
    left: list[str] = []
    async with connected(dsn, autocommit=True, application_name="erasing: tables anew") as connection:
        names = [name for (name,) in await (await connection.execute(_TABLES, (SCHEMA,))).fetchall()]
        for name in names:
            table = sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(SCHEMA, name))
            await connection.execute(table)
        steps = (
            ("Postgres' statistics keep samples of rows", "VACUUM (FULL) pg_catalog.pg_statistic"),
            (
                "Postgres' write-ahead log goes on in the same file",
                f"SELECT pg_logical_emit_message(false, 'foldline', repeat(' ', {_WAL_FILE}))",
            ),
            ("Postgres' write-ahead log is kept until its next checkpoint", "CHECKPOINT"),
        )
        for consequence, statement in steps:
            try:
                await connection.execute(statement)
            except psycopg.Error as error:
                reason = str(error).partition("\n")[0]
                log.warning("erasing.step_refused", statement=statement, reason=reason)
                left.append(f"{consequence}: {reason}")
    return left
