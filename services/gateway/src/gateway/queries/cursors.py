"""Pages of what the projections hold, and opaque cursors, which say where a page ended.

Clients pass them back and don't look inside.
"""

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from agent_contracts.api.wire import ResponseBody
from agent_contracts.errors import Rejected
from gateway.queries.database import ProjectionSnapshot, Row


class Cursor(msgspec.Struct, frozen=True):
    """Where the last of a page stands in its list: the next page begins after it."""

    time: datetime
    key: str


class ListQuery(msgspec.Struct, frozen=True):
    """How a list is read. Its `sql` has a parameter for each member of the list's filter (null: any), and
    those of `page`; a row says by its columns `by`, a time and a key, where it stands."""

    sql: str
    row: Callable[[Row], ResponseBody]
    by: tuple[str, str] = ("at", "key")


def write(cursor: Cursor) -> str:
    """The cursor as text for a URL."""
    return base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")


def require_number(cursor: Cursor) -> None:
    """`Rejected` if a list that is ordered by a number never gave the cursor."""
    if not cursor.key.isdecimal() or len(cursor.key) > 18:
        raise _foreign()


async def page(
    snapshot: ProjectionSnapshot,
    query: str,
    after: Cursor | None,
    limit: int,
    by: tuple[str, str],
    **wanted: Any,
) -> tuple[list[Row], str | None]:
    """The first `limit` rows of a query after the cursor, and the cursor of the next page, if there is one.

    The query has the parameters `before`, `before_key` and `limit`, and those of `wanted`. A row says by its
    columns `by`, a time and a key, where it stands.
    """
    rows = await snapshot.rows(
        query,
        **wanted,
        before=after.time if after else None,
        before_key=after.key if after else None,
        limit=limit + 1,
    )
    shown = rows[:limit]
    if len(rows) <= limit:
        return shown, None
    time, key = by
    return shown, write(Cursor(shown[-1][time], str(shown[-1][key])))


def read(text: str | None) -> Cursor | None:
    """The cursor in a text; `Rejected` if this API never gave it."""
    if not text:
        return None
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        cursor = msgspec.json.decode(data, type=Cursor)
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise _foreign() from None
    if "\x00" in cursor.key or cursor.time.tzinfo is None:
        raise _foreign()
    return cursor


def _foreign() -> Rejected:
    return Rejected("The cursor is not one that this API gave", kind="invalid_request")
