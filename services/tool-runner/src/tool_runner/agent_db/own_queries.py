"""Queries of ours, as against the agent's."""

from typing import Any

import apsw


def rows(sqlite: apsw.Connection, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """All that it returns."""
    return sqlite.execute(query, values).fetchall()


def quoted(name: str) -> str:
    """A name as it stands in a statement."""
    return '"' + name.replace('"', '""') + '"'
