"""What tables a database has, and how large it is."""

import apsw

from agent_tools.ports.database import AgentColumn, AgentTable
from tool_runner.agent_db.own_queries import quoted, rows

_TABLES = """
SELECT name FROM sqlite_schema AS one
WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND NOT (
    rootpage > 0 AND EXISTS (
        SELECT 1 FROM sqlite_schema AS index_table, (
            VALUES ('data'), ('idx'), ('content'), ('docsize'), ('config'), ('node'), ('rowid'), ('parent')
        ) AS part
        WHERE index_table.type = 'table' AND index_table.rootpage = 0
        AND one.name = index_table.name || '_' || part.column1
    )
)
ORDER BY name
"""
_COLUMNS = 'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1'


def tables_of(sqlite: apsw.Connection) -> list[AgentTable]:
    """Every table, by name; not those behind full-text and spatial indexes."""
    return [_table(sqlite, name) for (name,) in rows(sqlite, _TABLES)]


def size_of(sqlite: apsw.Connection) -> int:
    """Bytes that the database has."""
    ((size,),) = rows(sqlite, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    return int(size)


def _table(sqlite: apsw.Connection, name: str) -> AgentTable:
    columns = [
        AgentColumn(column, kind, bool(notnull), bool(pk))
        for column, kind, notnull, pk in rows(sqlite, _COLUMNS, name)
    ]
    ((count,),) = rows(sqlite, f"SELECT count(*) FROM {quoted(name)}")
    return AgentTable(name, columns, count)
