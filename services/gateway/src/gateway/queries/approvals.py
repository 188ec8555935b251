"""Calls that wait for a person's yes, in any session."""

from typing import Any

from agent_contracts.api.waiting import Approval, Approvals, AskedByCode
from agent_contracts.policies import WHERE_SHOWN
from agent_platform.process.clock import rfc3339
from gateway.queries import cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot, Row

_PAGE = """
    WITH waiting AS (
        SELECT c.session_id || ':' || c.call_id AS key, s.agent_id, s.session_id, s.title, c.call_id, c.tool,
               c.arguments, c.show, c.requested_at AS since
        FROM sessions s JOIN tool_calls c USING (session_id)
        WHERE c.status = 'pending' AND c.show->>'kind' = 'approval'
          AND s.status IN ('running', 'waiting_for_input')
          AND CASE WHEN %(agent_id)s::text IS NULL THEN NOT starts_with(s.agent_id, 'probe_')
                   ELSE s.agent_id = %(agent_id)s END
          AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = s.session_id)
    )
    SELECT *, (SELECT count(*) FROM waiting) AS total FROM waiting
    WHERE %(before)s::timestamptz IS NULL
       OR (since, key) < (%(before)s::timestamptz, %(before_key)s::text)
    ORDER BY since DESC, key DESC LIMIT %(limit)s
"""


async def page(
    snapshot: ProjectionSnapshot, agent_id: str | None, after: Cursor | None, limit: int
) -> Approvals:
    """The newest `limit` that come after the cursor; of one agent, or of all."""
    rows, next_cursor = await cursors.page(snapshot, _PAGE, after, limit, ("since", "key"), agent_id=agent_id)
    return Approvals(
        items=[_approval(row) for row in rows],
        total=rows[0]["total"] if rows else 0,
        next_cursor=next_cursor,
    )


def _approval(row: Row) -> Approval:
    show = row["show"]
    of_row = ("agent_id", "session_id", "title", "call_id", "tool", "arguments")
    return Approval(
        **{name: row[name] for name in of_row},
        rule=show["rule"],
        version=show["version"],
        covers=show.get("covers"),
        commands=show.get("commands"),
        outside=show.get("outside", []),
        before=show.get("before"),
        run=bool(show.get("run")),
        asks=_asks(show.get("asks")),
        where={name: show[name] for name in WHERE_SHOWN if show.get(name) is not None},
        since=rfc3339(row["since"]),
    )


def _asks(asked: dict[str, Any] | None) -> AskedByCode | None:
    return None if asked is None else AskedByCode(tool=asked["tool"], arguments=asked["arguments"])
