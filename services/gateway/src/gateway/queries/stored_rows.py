"""Rows of the projections as they are stored, by their keys, and the rows that some events touched."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_type_hints

import msgspec

from gateway.queries.database import ProjectionSnapshot, Row
from projections.project.stored_once import RESULT
from projections.session_tables import OPEN_CALLS, TOOL_CALLS
from projections.table import JsonText, Key, ProjectedTable, R

_MESSAGES = """
    SELECT * FROM messages WHERE session_id = ANY(%(sessions)s) AND place = ANY(%(places)s) ORDER BY place
"""
_READ = {"tool_calls.result": RESULT.format(call="tool_calls")}
"""Columns that are read from elsewhere, too."""
_COLUMNS = ", ".join(f"{_READ.get(f'tool_calls.{name}', name)} AS {name}" for name in TOOL_CALLS.columns)
_CALLS = f"""
    SELECT {_COLUMNS} FROM tool_calls WHERE session_id = ANY(%(sessions)s) AND (
        message_place = ANY(%(places)s) OR requested_place = ANY(%(places)s)
        OR result_place = ANY(%(places)s) OR call_id = ANY(%(calls)s) OR status = ANY(%(open)s))
    ORDER BY message_place, position
"""
_encoder = msgspec.json.Encoder()


async def stored(snapshot: ProjectionSnapshot, table: ProjectedTable[R], key: Key) -> R | None:
    """The row with this key, or None."""
    wanted = " AND ".join(f"{column} = %({column})s" for column in table.key)
    columns = (f"{_READ.get(f'{table.name}.{name}', name)} AS {name}" for name in table.columns)
    statement = f"SELECT {', '.join(columns)} FROM {table.name} WHERE {wanted}"
    found = await snapshot.rows(statement, **dict(zip(table.key, key, strict=True)))
    return as_row(table, found[0]) if found else None


def as_row(table: ProjectedTable[R], columns: Mapping[str, Any]) -> R:
    """What a query found as a row of its table."""
    as_json = _json_columns(table)
    return table.row(
        **{
            name: _encoder.encode(value).decode() if name in as_json and value is not None else value
            for name, value in columns.items()
        }
    )


def as_found(table: ProjectedTable[R], row: R) -> dict[str, Any]:
    """A row as a query would find it."""
    as_json = _json_columns(table)
    found = msgspec.structs.asdict(row)
    for name in as_json:
        if found[name] is not None:
            found[name] = msgspec.json.decode(found[name])
    return found


async def touched_messages(
    snapshot: ProjectionSnapshot, sessions: Sequence[str], places: Sequence[int]
) -> list[Row]:
    """The messages at these places."""
    return await snapshot.rows(_MESSAGES, sessions=list(sessions), places=list(places))


async def touched_calls(
    snapshot: ProjectionSnapshot, sessions: Sequence[str], places: Sequence[int], calls: Sequence[str]
) -> list[Row]:
    """The calls that events at these places asked for, began or ended, those with these ids, and all that
    are open."""
    return await snapshot.rows(
        _CALLS, sessions=list(sessions), places=list(places), calls=list(calls), open=sorted(OPEN_CALLS)
    )


_JSON: dict[str, frozenset[str]] = {}


def _json_columns(table: ProjectedTable[Any]) -> frozenset[str]:
    if table.name not in _JSON:
        kinds = get_type_hints(table.row)
        _JSON[table.name] = frozenset(
            name for name, kind in kinds.items() if JsonText in (kind, *get_args(kind))
        )
    return _JSON[table.name]
