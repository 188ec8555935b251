"""SQLite"""

from typing import Annotated

from pydantic import Field

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import LastingEffect
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.outside import LastingChanges
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from tool_runner.agent_db.limits import SQL_BYTES

_TIMEOUT_S = 60.0


class DbSchema(Arguments):
    """Nothing to say."""


class ColumnResult(Result):
    """A column as it was declared."""

    name: str
    type: str
    notnull: bool
    pk: bool


class TableResult(Result):
    """A table."""

    name: str
    columns: list[ColumnResult]
    row_count: int


class SchemaResult(Result):
    """All of them, by name."""

    tables: list[TableResult]


@tool("db_schema", family="database", effect=PURE, timeout_s=_TIMEOUT_S)
async def db_schema(args: DbSchema, database: AgentDatabase) -> SchemaResult:
    """List the tables of your database with their columns and how many rows each has."""
    tables = await database.tables()
    return SchemaResult(
        tables=[
            TableResult(
                name=table.name,
                columns=[
                    ColumnResult(name=one.name, type=one.type, notnull=one.notnull, pk=one.pk)
                    for one in table.columns
                ],
                row_count=table.row_count,
            )
            for table in tables
        ]
    )


"""The statement's own limit, and time to bring a copy of the database up to date before it."""


class DbSql(Arguments):
    """The statement, and what stands for its parameters."""

    sql: Annotated[str, Field(max_length=SQL_BYTES, description="The statement.")]
    params: Annotated[
        list[Json],
        Field(
            default_factory=list,
            description='For each ?. A blob is {"$base64": "..."}.',
        ),
    ]


class QueryResult(Result):
    """What a reading statement returned; `truncated`: there were more rows than fit."""

    columns: list[str]
    rows: list[list[Json]]
    row_count: int
    truncated: bool


class WriteResult(Result):
    """What a writing statement did."""

    changes: int
    last_insert_rowid: int


class ReturningResult(QueryResult):
    """What a writing statement with RETURNING did and returned."""

    changes: int
    last_insert_rowid: int


@tool(
    "db_sql",
    family="database",
    effect=RECORDED,
    timeout_s=_TIMEOUT_S,
    always_sent=True,
    lasting=LastingEffect.RUN,
)
async def db_sql(
    args: DbSql, database: AgentDatabase, lasting: LastingChanges
) -> QueryResult | WriteResult | ReturningResult:
    """Run one SQLite statement on your database, which all your sessions share. `db_schema` tells its tables.

    A query gives at most 1000 rows. Times are UTC.
    """

    async def before_loss() -> None:
        await lasting.require(db_sql.spec, {"sql": args.sql, "params": args.params})

    answer = await database.sql(args.sql, args.params, before_loss)
    if answer.changes is None or answer.last_insert_rowid is None:
        return QueryResult(
            columns=answer.columns or [],
            rows=answer.rows,
            row_count=len(answer.rows),
            truncated=answer.truncated,
        )
    if answer.columns is None:
        return WriteResult(changes=answer.changes, last_insert_rowid=answer.last_insert_rowid)
    return ReturningResult(
        columns=answer.columns,
        rows=answer.rows,
        row_count=len(answer.rows),
        truncated=answer.truncated,
        changes=answer.changes,
        last_insert_rowid=answer.last_insert_rowid,
    )
