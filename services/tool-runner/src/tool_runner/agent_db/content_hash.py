"""What a database holds, as one hash: equal for two copies if, and only if, schema and rows are equal."""

import hashlib
from typing import Any

import apsw

from tool_runner.agent_db.own_queries import quoted, rowid_name, rows

_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name, tbl_name"


def content_hash(sqlite: apsw.Connection) -> str:
    """SHA-256, in hex, over the schema and every row of every table with its rowid, types included.

    How SQLite lays them out is no part of it; the tables behind full-text and spatial indexes are.
    """
    digest = hashlib.sha256()
    for row in sqlite.execute(_SCHEMA):
        digest.update(_line("schema", row))
    for (name,) in rows(sqlite, _TABLES):
        for row in sqlite.execute(_all_rows(sqlite, name)):
            digest.update(_line(name, row))
    return digest.hexdigest()


def _all_rows(sqlite: apsw.Connection, table: str) -> str:
    """A query for all rows in an order that follows from what they hold."""
    rowid = rowid_name(sqlite, table)
    if rowid is not None:
        return f"SELECT {rowid}, * FROM {quoted(table)} ORDER BY {rowid}"
    columns = [quoted(name) for (name,) in rows(sqlite, "SELECT name FROM pragma_table_info(?)", table)]
    return f"SELECT * FROM {quoted(table)} ORDER BY {', '.join(columns)}"


def _line(what: str, row: tuple[Any, ...]) -> bytes:
    """`repr` tells every type and value of SQLite's apart."""
    return repr((what, row)).encode(errors="surrogatepass") + b"\n"
