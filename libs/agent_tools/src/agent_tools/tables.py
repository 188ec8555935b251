"""The tables in an agent's database that a tool keeps its things in."""

from collections.abc import Mapping

from agent_tools.ports.database import AgentDatabase

_NOTHING = "SELECT 1"


async def has_table(database: AgentDatabase, name: str) -> bool:
    """Whether there is a table of this name yet."""
    found = await database.sql("SELECT 1 FROM sqlite_schema WHERE name = ?", [name])
    return bool(found.rows)


async def ensure_tables(database: AgentDatabase, tables: Mapping[str, str]) -> None:
    """Make those that there aren't: a `CREATE` statement for each name, of a table, an index or a trigger.

    A statement that exists already is still asked, as one that does nothing: an attempt after the first finds
    what the first made, and all that the call writes must keep its number (see `CallWriters`). To repeat the
    `CREATE … IF NOT EXISTS` instead would be an event each time.
    """
    marks = ", ".join("?" for _ in tables)
    found = await database.sql(f"SELECT name FROM sqlite_schema WHERE name IN ({marks})", list(tables))
    there = {name for (name,) in found.rows}
    for name, create in tables.items():
        await database.sql(_NOTHING if name in there else create, [])
