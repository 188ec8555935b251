"""What a database holds, as one hash: equal for two copies if, and only if, schema and rows are equal."""

import hashlib
from typing import Any

import apsw

from tool_runner.agent_db.own_queries import quoted, rows

_TABLES = """
SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') ORDER BY name
"""
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name, tbl_name"
_ROWID_NAMES = ("rowid", "_rowid_", "oid")


def content_hash(sqlite: apsw.Connection) -> str:
    """SHA-256, in hex, over the schema and every row of every table with its rowid, types included.

    How SQLite lays them out is no part of it; the tables behind full-text and spatial indexes are.
    """
    digest = hashlib.sha256()
    for row in sqlite.execute(_SCHEMA):
        digest.update(_line("schema", row))
    for name, without_rowid in rows(sqlite, _TABLES):
        if name == "sqlite_schema":
            continue
        for row in sqlite.execute(_all_rows(sqlite, name, bool(without_rowid))):
            digest.update(_line(name, row))
    return digest.hexdigest()


def _all_rows(sqlite: apsw.Connection, table: str, without_rowid: bool) -> str:
    """A query for all rows in an order that follows from what they hold."""
    columns = rows(sqlite, "SELECT name, pk FROM pragma_table_info(?)", table)
    taken = {name.lower() for name, _ in columns}
    rowid = next((name for name in _ROWID_NAMES if name not in taken), None)
    if without_rowid:
        keys = [quoted(name) for name, place in sorted(columns, key=lambda column: column[1]) if place]
        return f"SELECT * FROM {quoted(table)} ORDER BY {', '.join(keys)}"
    if rowid is None:
        return f"SELECT * FROM {quoted(table)} ORDER BY {', '.join(quoted(name) for name, _ in columns)}"
    return f"SELECT {rowid}, * FROM {quoted(table)} ORDER BY {rowid}"


def _line(what: str, row: tuple[Any, ...]) -> bytes:
    """`repr` tells every type and value of SQLite's apart."""
    return repr((what, row)).encode(errors="surrogatepass") + b"\n"
