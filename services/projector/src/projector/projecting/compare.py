"""Whether two schemas hold the same rows."""

from typing import Any

import msgspec
from psycopg import AsyncConnection, sql

from agent_contracts.json_value import Json
from projections.table import ProjectedTable
from projector.projecting.projection import Projection

SHOWN = 20
"""How many differing rows of a table are reported in full."""


class Difference(msgspec.Struct, frozen=True):
    """One row that the two schemas don't agree on; None where one has no such row."""

    key: dict[str, Json]
    columns: list[str]
    a: dict[str, Json] | None
    b: dict[str, Json] | None


class TableComparison(msgspec.Struct, frozen=True):
    """How one table compares: rows in either, how many differ, and the first of those by key."""

    table: str
    rows: int
    differing: int
    shown: list[Difference]


async def compare(
    connection: AsyncConnection[tuple[Any, ...]], projection: Projection, a: str, b: str
) -> list[TableComparison]:
    """Compare every table of the schemas `a` and `b`, row by row, all columns; the checkpoint apart.

    Only meaningful for two that stand at the same sequence: see `scratch.Scratch.compare_with_live`.
    """
    return [await _compare_table(connection, table, a, b) for table in projection.tables]


async def _compare_table(
    connection: AsyncConnection[tuple[Any, ...]], table: ProjectedTable[Any], a: str, b: str
) -> TableComparison:
    keys = [sql.Identifier(column) for column in table.key]
    joined = sql.SQL("{}.{} a FULL JOIN {}.{} b USING ({})").format(
        sql.Identifier(a),
        sql.Identifier(table.name),
        sql.Identifier(b),
        sql.Identifier(table.name),
        sql.SQL(", ").join(keys),
    )
    counted = await connection.execute(
        sql.SQL("SELECT count(*), count(*) FILTER (WHERE a IS DISTINCT FROM b) FROM {}").format(joined)
    )
    rows, differing = await counted.fetchone() or (0, 0)
    shown: list[Difference] = []
    if differing:
        found = await connection.execute(
            sql.SQL(
                "SELECT to_jsonb(a)::text, to_jsonb(b)::text FROM {}"
                " WHERE a IS DISTINCT FROM b ORDER BY {} LIMIT {}"
            ).format(joined, sql.SQL(", ").join(keys), sql.Literal(SHOWN))
        )
        shown = [_difference(table, left, right) for left, right in await found.fetchall()]
    return TableComparison(table.name, rows, differing, shown)


def _difference(table: ProjectedTable[Any], left: str | None, right: str | None) -> Difference:
    a = msgspec.json.decode(left) if left is not None else None
    b = msgspec.json.decode(right) if right is not None else None
    either = a or b or {}
    return Difference(
        key={column: either.get(column) for column in table.key},
        columns=[column for column in table.columns if (a or {}).get(column) != (b or {}).get(column)],
        a=a,
        b=b,
    )
