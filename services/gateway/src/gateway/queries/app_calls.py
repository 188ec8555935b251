"""What the app of a call called, as the log has it: each call, and how it ended."""

from typing import Any

import msgspec

from agent_contracts.api.calls import CallError, CallOfApp
from agent_contracts.api.wire import Page
from agent_platform.process.clock import rfc3339
from gateway.queries import cursors
from gateway.queries.calls import address
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot, Row

LONGEST = 2_000
"""Characters of a call's arguments and of its result that a list has."""

_OF_APP = """body->'value' ? 'by_app' AND problem IS NULL
          AND body->'value'->'by_app'->>'session_id' = %(session_id)s
          AND body->'value'->'by_app'->>'of' = %(call_id)s"""
_PAGE = f"""
    WITH begun AS (
        SELECT place, subject, time FROM events
        WHERE {_OF_APP} AND NOT body ? 'replaced'
          AND (%(before_key)s::bigint IS NULL OR place < %(before_key)s::bigint)
        ORDER BY place DESC LIMIT %(limit)s
    ), last AS (
        SELECT DISTINCT ON (subject) subject, place, time, body->>'name' AS call_id, body->'value' AS made
        FROM events
        WHERE {_OF_APP} AND place >= (SELECT min(place) FROM begun)
        ORDER BY subject, place DESC
    )
    SELECT b.place, b.time, l.call_id, l.place AS last_place, l.time AS last_time,
           l.made->>'name' AS tool, l.made->'by_app' AS by_app, l.made ? 'answer' AS is_over,
           left((l.made->'by_app'->'arguments')::text, %(longest)s) AS arguments,
           left((l.made->'answer'->'result')::text, %(longest)s) AS result, l.made->'answer'->'error' AS error
    FROM begun b JOIN last l USING (subject)
    ORDER BY b.place DESC
"""


async def page(
    snapshot: ProjectionSnapshot, session_id: str, call_id: str, after: Cursor | None, limit: int
) -> Page[CallOfApp]:
    """The newest `limit` that come after the cursor, of the app that the session's call brought."""
    if after is not None:
        cursors.require_number(after)
    app = {"session_id": session_id, "call_id": call_id, "longest": LONGEST}
    rows, next_cursor = await cursors.page(snapshot, _PAGE, after, limit, ("time", "place"), **app)
    return Page[CallOfApp](items=[_call(row) for row in rows], next_cursor=next_cursor)


def _call(row: Row) -> CallOfApp:
    by_app: dict[str, Any] = row["by_app"]
    error = row["error"]
    return CallOfApp(
        call_id=row["call_id"],
        requested_at=rfc3339(row["time"]),
        finished_at=rfc3339(row["last_time"]) if row["is_over"] else None,
        tool=row["tool"],
        arguments=row["arguments"],
        result=row["result"],
        error=None if error is None else msgspec.convert(error, CallError),
        verdict=by_app["verdict"],
        rule=by_app["rule"],
        approved=by_app.get("approved", False),
        address=str(address(row["last_place"])),
    )
