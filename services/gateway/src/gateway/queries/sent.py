"""What left the machine in the name of agents' calls: each request, and what became of it."""

from typing import Any

import msgspec

from agent_contracts.sent import SentVerdict
from agent_platform.process.clock import rfc3339
from gateway.queries import cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import Row, Snapshot
from gateway.queries.view import View

_PAGE = """
    WITH page AS (
        SELECT e.time AS at, lpad(e.place::text, 20, '0') || ':' || lpad(one.number::text, 3, '0') AS key,
               e.agent_id, e.session_id, e.sequence, e.body->>'call_id' AS call_id, one.request
        FROM events e
        CROSS JOIN LATERAL jsonb_array_elements(e.body->'sent'->'requests')
             WITH ORDINALITY AS one(request, number)
        WHERE e.body ? 'sent' AND e.problem IS NULL AND e.session_id IS NOT NULL AND e.time IS NOT NULL
          AND (%(agent_id)s::text IS NULL OR e.agent_id = %(agent_id)s)
          AND (%(session_id)s::text IS NULL OR e.session_id = %(session_id)s)
          AND (%(host)s::text IS NULL OR one.request->>'host' = %(host)s
               OR right(one.request->>'host', length(%(host)s) + 1) = '.' || %(host)s)
          AND (%(verdict)s::text IS NULL OR one.request->>'verdict' = %(verdict)s)
          AND NOT EXISTS (SELECT 1 FROM erasures x WHERE x.name IN (e.session_id, e.agent_id))
          AND (%(before)s::timestamptz IS NULL OR e.time <= %(before)s::timestamptz)
    )
    SELECT p.*, c.tool, s.title
    FROM page p
    LEFT JOIN tool_calls c ON c.session_id = p.session_id AND c.call_id = p.call_id
    LEFT JOIN sessions s ON s.session_id = p.session_id
    WHERE %(before)s::timestamptz IS NULL OR (p.at, p.key) < (%(before)s::timestamptz, %(before_key)s::text)
    ORDER BY p.at DESC, p.key DESC LIMIT %(limit)s
"""


class Left(View):
    """A request that left, or was kept from it (`verdict`), in the name of a call; the redirects that it
    followed are requests of their own. Its `path` is without the query.

    `bytes_out` and `bytes_in`: of headers and body. `secrets`: the names of those whose values it held.
    `status`: the answer's; null: there was none. `sequence`: of the event that records it.
    """

    at: str
    agent_id: str
    session_id: str
    title: str | None
    call_id: str
    tool: str | None
    sequence: int
    host: str
    method: str
    path: str
    verdict: SentVerdict
    bytes_out: int
    bytes_in: int
    status: int | None
    secrets: list[str]


class WhatLeft(View):
    """A page, newest first. `next_cursor`: pass it back as `cursor`; null: there is no further page."""

    requests: list[Left]
    next_cursor: str | None


class Filter(msgspec.Struct, frozen=True):
    """Which requests; None: any. `host` stands for the names below it too."""

    agent_id: str | None = None
    session_id: str | None = None
    host: str | None = None
    verdict: SentVerdict | None = None


async def page(snapshot: Snapshot, wanted: Filter, after: Cursor | None, limit: int) -> WhatLeft:
    """The newest `limit` that come after the cursor."""
    rows = await snapshot.rows(
        _PAGE,
        **msgspec.structs.asdict(wanted),
        before=after.created_at if after else None,
        before_key=after.session_id if after else None,
        limit=limit + 1,
    )
    shown, next_cursor = cursors.page_of(rows, limit, "at", "key")
    return WhatLeft(requests=[_left(row) for row in shown], next_cursor=next_cursor)


def _left(row: Row) -> Left:
    request: dict[str, Any] = {"bytes_out": 0, "bytes_in": 0, "status": None, "secrets": [], **row["request"]}
    of_row = ("agent_id", "session_id", "title", "call_id", "tool", "sequence")
    return Left.model_validate({"at": rfc3339(row["at"]), **{name: row[name] for name in of_row}, **request})
