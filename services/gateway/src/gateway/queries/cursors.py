"""Opaque cursors: where a page ended. Clients pass them back and don't look inside."""

import base64
import binascii
from datetime import datetime

import msgspec

from agent_contracts.errors import Rejected
from gateway.queries.database import Row


class Cursor(msgspec.Struct, frozen=True):
    """The last of a page, a session or what its list is of: the next page begins after it."""

    created_at: datetime
    session_id: str


def write(cursor: Cursor) -> str:
    """The cursor as text for a URL."""
    return base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")


def number(cursor: Cursor) -> int:
    """The number by which a list is ordered; `Rejected` if this list never gave the cursor."""
    if not cursor.session_id.isdecimal() or len(cursor.session_id) > 18:
        raise _foreign()
    return int(cursor.session_id)


def page_of(rows: list[Row], limit: int, time: str, key: str) -> tuple[list[Row], str | None]:
    """A page of rows of which one more than `limit` was asked for, and the cursor of the next page.

    A row says by its columns `time` and `key` where it stands. None: there is no further page.
    """
    shown = rows[:limit]
    if len(rows) <= limit:
        return shown, None
    return shown, write(Cursor(shown[-1][time], str(shown[-1][key])))


def read(text: str) -> Cursor:
    """The cursor in a text; `Rejected` if this API never gave it."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        cursor = msgspec.json.decode(data, type=Cursor)
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise _foreign() from None
    if "\x00" in cursor.session_id or cursor.created_at.tzinfo is None:
        raise _foreign()
    return cursor


def _foreign() -> Rejected:
    return Rejected("The cursor is not one that this API gave", kind="invalid_request")
