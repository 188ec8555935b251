"""`db_schema`: what tables the agent's database has."""

from agent_tools.ports.database import AgentDatabase
from agent_tools.tool import PURE, Arguments, Result, tool

_TIMEOUT_S = 60.0


class DbSchema(Arguments):
    """Nothing to say."""


class Column(Result):
    """A column as it was declared."""

    name: str
    type: str
    notnull: bool
    pk: bool


class Table(Result):
    """A table."""

    name: str
    columns: list[Column]
    row_count: int


class Schema(Result):
    """All of them, by name."""

    tables: list[Table]


@tool("db_schema", family="database", effect=PURE, timeout_s=_TIMEOUT_S)
async def db_schema(args: DbSchema, database: AgentDatabase) -> Schema:
    """List the tables of your database with their columns and how many rows each has."""
    tables = await database.tables()
    return Schema(
        tables=[
            Table(
                name=table.name,
                columns=[
                    Column(name=one.name, type=one.type, notnull=one.notnull, pk=one.pk)
                    for one in table.columns
                ],
                row_count=table.row_count,
            )
            for table in tables
        ]
    )
