"""Own tools that are no longer offered, since a model's server refused a request for them."""

from collections.abc import Mapping

from gateway.queries.database import ProjectionSnapshot

_QUARANTINED = """
    SELECT e.body->>'tool' AS tool, (e.body->>'written_at')::bigint AS written_at,
           e.body->>'message' AS message
    FROM events e
    WHERE e.type = 'foldline.session.tool_quarantined.v1' AND e.agent_id = %(agent_id)s AND e.problem IS NULL
    ORDER BY e.place
"""


async def quarantined(snapshot: ProjectionSnapshot, agent_id: str) -> Mapping[tuple[str, int], str]:
    """What happened, in words, by tool and the event that wrote the edition that is in quarantine."""
    rows = await snapshot.rows(_QUARANTINED, agent_id=agent_id)
    return {(row["tool"], row["written_at"]): row["message"] for row in rows}
