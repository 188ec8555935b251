"""What takes space in the log, by part of an agent."""

from agent_contracts.api.usage import SpacePart
from agent_contracts.api.wire import Page
from gateway.queries.database import ProjectionSnapshot

_OF_AGENT = """
    WITH held AS (
        SELECT session_id, count(*) AS events, sum(pg_column_size(e.*))::bigint AS bytes
        FROM events e WHERE agent_id = %(agent_id)s GROUP BY session_id
    )
    SELECT CASE
            WHEN held.session_id IS NULL THEN 'agent'
            WHEN s.parent_id IS NOT NULL THEN 'sub_sessions'
            WHEN s.begun_by->>'what' = 'schedule' THEN 'runs'
            WHEN s.begun_by->>'what' = 'wake' THEN 'woken_chats'
            WHEN s.status = 'completed' THEN 'archived_chats'
            ELSE 'chats'
        END AS part,
        count(held.session_id) AS sessions, sum(events)::bigint AS events, sum(bytes)::bigint AS bytes
    FROM held LEFT JOIN sessions s USING (session_id)
    GROUP BY part ORDER BY bytes DESC, part
"""
_GOES = {
    "runs": "old ones go by themselves, by FOLDLINE_KEEP_RUNS and FOLDLINE_KEEP_RUNS_DAYS",
    "archived_chats": "deleting them",
    "chats": "deleting them",
    "woken_chats": "deleting them",
    "sub_sessions": "deleting the chats that they work for",
}


async def of_agent(snapshot: ProjectionSnapshot, agent_id: str) -> Page[SpacePart]:
    """The parts, the largest first. Reads every event of the agent."""
    rows = await snapshot.rows(_OF_AGENT, agent_id=agent_id)
    return Page(items=[SpacePart(**row, goes=_GOES.get(row["part"])) for row in rows], next_cursor=None)
