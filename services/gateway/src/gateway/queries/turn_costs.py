"""What a turn of an agent took lately."""

import msgspec

from gateway.queries.database import ProjectionSnapshot

_LATEST = 50
_TURNS = f"""
    WITH recent AS (
        SELECT session_id FROM sessions WHERE agent_id = %(agent_id)s ORDER BY updated_at DESC LIMIT {_LATEST}
    )
    SELECT (SELECT count(*) FROM messages JOIN recent USING (session_id) WHERE role = 'user') AS turns,
           sum((c.usage->>'tokens')::bigint)::bigint AS tokens,
           sum((c.usage->>'cost_micros')::bigint)::bigint AS cost,
           coalesce(bool_or(c.usage->>'cost_micros' IS NULL), true) AS unpriced
    FROM model_calls c JOIN recent USING (session_id) WHERE c.usage IS NOT NULL
"""


class TurnCost(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a turn on average, and what they cost in millionths of a US dollar (null: nobody knows)."""

    tokens: float
    cost_micros: float | None


async def turn_cost(snapshot: ProjectionSnapshot, agent_id: str) -> TurnCost | None:
    """Of the agent's latest sessions; None if it had no turn yet."""
    (row,) = await snapshot.rows(_TURNS, agent_id=agent_id)
    turns, tokens = row["turns"], row["tokens"]
    if not turns or tokens is None:
        return None
    cost = None if row["unpriced"] or row["cost"] is None else int(row["cost"]) / turns
    return TurnCost(tokens=int(tokens) / turns, cost_micros=cost)
