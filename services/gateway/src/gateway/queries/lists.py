"""The queries of the lists that `agent_contracts/lists/` declares: each in the file of the list's name."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec

from agent_contracts.api.wire import Page
from agent_contracts.lists.kind import AnyListKind, ListFilter
from agent_contracts.lists.registry import LISTS
from gateway.queries import cursors
from gateway.queries.cursors import Cursor, ListQuery
from gateway.queries.database import ProjectionSnapshot


def _of(name: str) -> ListQuery:
    found: ListQuery = import_module(f"gateway.queries.{name}").QUERY
    return found


QUERIES: Mapping[str, ListQuery] = {name: _of(name) for name in LISTS}


async def page(
    snapshot: ProjectionSnapshot, kind: AnyListKind, wanted: ListFilter, after: Cursor | None, limit: int
) -> Page[Any]:
    """The newest `limit` that come after the cursor."""
    query = QUERIES[kind.name]
    rows, next_cursor = await cursors.page(
        snapshot, query.sql, after, limit, query.by, **msgspec.structs.asdict(wanted)
    )
    return Page(items=[query.row(row) for row in rows], next_cursor=next_cursor)
