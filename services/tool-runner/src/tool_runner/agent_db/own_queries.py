"""Queries of ours, as against the agent's.

None asks `pragma_table_list`: it looks into every view, and views upon views take seconds each.
"""

from typing import Any

import apsw

_ROWID_NAMES = ("rowid", "_rowid_", "oid")


def rows(sqlite: apsw.Connection, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """All that it returns."""
    return sqlite.execute(query, values).fetchall()


def quoted(name: str) -> str:
    """A name as it stands in a statement."""
    return '"' + name.replace('"', '""') + '"'


def rowid_name(sqlite: apsw.Connection, table: str) -> str | None:
    """The name by which the rowid of a table can be asked for; None if it has none, or columns hide it."""
    taken = {name.lower() for (name,) in rows(sqlite, "SELECT name FROM pragma_table_xinfo(?)", table)}
    name = next((name for name in _ROWID_NAMES if name not in taken), None)
    if name is None:
        return None
    try:
        rows(sqlite, f"SELECT {name} FROM {quoted(table)} LIMIT 0")
    except apsw.SQLError:  # WITHOUT ROWID
        return None
    return name
