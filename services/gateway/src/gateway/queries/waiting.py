"""Sessions that may wait for something, and calls whose outcome nobody knows."""

from agent_contracts.api.waiting import Outcome
from agent_contracts.api.wire import Page
from gateway.queries import cursors
from gateway.queries.calls import when
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot

_QUIET = """
    SELECT s.session_id, s.updated_at FROM sessions s
    WHERE s.updated_at < now() - make_interval(secs => %(older_than_s)s)
      AND (s.status IN ('running', 'waiting_for_input')
           OR (s.status NOT IN ('completed', 'error') AND EXISTS (
                SELECT 1 FROM events e WHERE e.place = 4096 * s.last_sequence
                  AND e.subject LIKE 'ses.%%.in.%%')))
      AND (%(before)s::timestamptz IS NULL
           OR (s.updated_at, s.session_id) > (%(before)s::timestamptz, %(before_key)s::text))
    ORDER BY s.updated_at, s.session_id LIMIT %(limit)s
"""
_UNKNOWN = """
    SELECT c.session_id, s.agent_id, s.title, c.call_id, c.tool, c.arguments, c.error->>'message' AS error,
           c.finished_at, e.body AS settled, e.time AS settled_at,
           coalesce(c.finished_at, 'epoch') AS at, c.session_id || '.' || c.call_id AS key
    FROM tool_calls c JOIN sessions s USING (session_id)
    LEFT JOIN events e ON e.session_id = c.session_id
         AND e.type = 'foldline.session.outcome_settled.v1' AND e.body->>'call_id' = c.call_id
    WHERE c.error->>'kind' = 'outcome_unknown'
      AND (%(agent_id)s::text IS NULL OR s.agent_id = %(agent_id)s)
      AND (%(settled)s OR e.sequence IS NULL)
      AND (%(before)s::timestamptz IS NULL
           OR (coalesce(c.finished_at, 'epoch'), c.session_id || '.' || c.call_id)
              < (%(before)s::timestamptz, %(before_key)s::text))
    ORDER BY at DESC, key DESC LIMIT %(limit)s
"""


async def for_something(
    snapshot: ProjectionSnapshot, older_than_s: float, after: Cursor | None, limit: int
) -> tuple[list[str], str | None]:
    """Sessions that run or wait, or whose last event is an input, and in which nothing happened lately."""
    rows, next_cursor = await cursors.page(
        snapshot, _QUIET, after, limit, ("updated_at", "session_id"), older_than_s=older_than_s
    )
    return [row["session_id"] for row in rows], next_cursor


async def unknown_outcomes(
    snapshot: ProjectionSnapshot, agent_id: str | None, after: Cursor | None, limit: int, *, settled: bool
) -> Page[Outcome]:
    """Calls whose outcome is unknown, newest first; with `settled`, also those that a person settled."""
    rows, next_cursor = await cursors.page(
        snapshot, _UNKNOWN, after, limit, ("at", "key"), agent_id=agent_id, settled=settled
    )
    items = [
        Outcome(
            session_id=row["session_id"],
            agent_id=row["agent_id"],
            title=row["title"],
            call_id=row["call_id"],
            tool=row["tool"],
            arguments=row["arguments"],
            error=row["error"],
            ended_at=when(row["finished_at"]),
            happened=row["settled"]["happened"] if row["settled"] else None,
            settled_at=when(row["settled_at"]),
        )
        for row in rows
    ]
    return Page[Outcome](items=items, next_cursor=next_cursor)
