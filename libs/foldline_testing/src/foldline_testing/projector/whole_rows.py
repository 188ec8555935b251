"""Guards of tests that compare whole rows: that what they expect could tell each column from all others."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from projections.table import ProjectedTable, Row

_SAYS_NOTHING = (None, "", 0, False, "[]", "{}")
"""What a column without a default holds where nothing is known."""


def columns_never_set(
    expected: Mapping[str, Sequence[Row]], tables: Sequence[ProjectedTable[Any]]
) -> list[str]:
    """`table.column` of each column that no expected row sets to something but its default; of one that is
    true or false, unless the rows have both."""
    return [
        f"{table.name}.{field.name}"
        for table in tables
        for field in msgspec.structs.fields(table.row)
        if not _is_set(field, [getattr(row, field.name) for row in expected.get(table.name, ())])
    ]


def columns_always_alike(
    expected: Mapping[str, Sequence[Row]], tables: Sequence[ProjectedTable[Any]]
) -> list[str]:
    """`table.column=column` of each two that hold the same in all expected rows: they could be mixed up."""
    return [
        f"{table.name}.{one}={other}"
        for table in tables
        for one, other in combinations(table.columns, 2)
        if all(getattr(row, one) == getattr(row, other) for row in expected.get(table.name, ()))
    ]


def _is_set(field: msgspec.structs.FieldInfo, values: Sequence[object]) -> bool:
    if field.type is bool:
        return {True, False} <= set(values)
    nothing = _SAYS_NOTHING if field.required else (field.default,)
    return any(value not in nothing for value in values)
