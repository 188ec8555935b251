"""Sessions that may wait for something, and calls whose outcome nobody knows."""

from agent_contracts.api.waiting import Outcome
from gateway.queries.calls import when
from gateway.queries.database import ProjectionSnapshot

_QUIET = """
    SELECT s.session_id FROM sessions s
    WHERE s.updated_at < now() - make_interval(secs => %(older_than_s)s)
      AND (s.status IN ('running', 'waiting_for_input')
           OR (s.status NOT IN ('completed', 'error') AND EXISTS (
                SELECT 1 FROM events e WHERE e.sequence = s.last_sequence AND e.place = 4096 * s.last_sequence
                  AND e.subject LIKE 'ses.%%.in.%%')))
    ORDER BY s.updated_at LIMIT %(limit)s
"""
_UNKNOWN = """
    SELECT c.session_id, s.agent_id, s.title, c.call_id, c.tool, c.arguments, c.error->>'message' AS error,
           c.finished_at, e.body AS settled, e.time AS settled_at
    FROM tool_calls c JOIN sessions s USING (session_id)
    LEFT JOIN events e ON e.session_id = c.session_id
         AND e.type = 'foldline.session.outcome_settled.v1' AND e.body->>'call_id' = c.call_id
    WHERE c.error->>'kind' = 'outcome_unknown'
      AND (%(agent_id)s::text IS NULL OR s.agent_id = %(agent_id)s)
      AND (%(settled)s OR e.sequence IS NULL)
    ORDER BY c.finished_at DESC NULLS LAST, c.call_id LIMIT %(limit)s
"""


async def for_something(snapshot: ProjectionSnapshot, older_than_s: float, limit: int) -> list[str]:
    """Sessions that run or wait, or whose last event is an input, and in which nothing happened lately."""
    rows = await snapshot.rows(_QUIET, older_than_s=older_than_s, limit=limit)
    return [row["session_id"] for row in rows]


async def unknown_outcomes(
    snapshot: ProjectionSnapshot, agent_id: str | None, limit: int, *, settled: bool
) -> list[Outcome]:
    """Calls whose outcome is unknown, newest first; with `settled`, also those that a person settled."""
    rows = await snapshot.rows(_UNKNOWN, agent_id=agent_id, settled=settled, limit=limit)
    return [
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
