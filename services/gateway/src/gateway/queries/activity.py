"""Which sessions are at work now, and which of them do the most."""

from agent_contracts.api.operating import AwaitedCall, BusySession
from agent_platform.process.clock import rfc3339
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.sessions import STATUS

_BUSIEST = f"""
    SELECT s.session_id, s.agent_id, s.title,
           {STATUS} AS status, s.updated_at,
           models.calls AS model_calls, models.tokens, tools.calls AS tool_calls,
           opened.what, opened.name, opened.call_id, opened.requested_at
    FROM sessions s
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE m.requested_at > now() - make_interval(secs => %(window_s)s)) AS calls,
               coalesce(sum((m.usage->>'tokens')::bigint)
                   FILTER (WHERE m.finished_at > now() - make_interval(secs => %(window_s)s)), 0) AS tokens
        FROM model_calls m WHERE m.session_id = s.session_id
    ) models
    CROSS JOIN LATERAL (
        SELECT count(*) AS calls FROM tool_calls t
        WHERE t.session_id = s.session_id AND t.requested_at > now() - make_interval(secs => %(window_s)s)
    ) tools
    LEFT JOIN LATERAL (
        SELECT 'model' AS what, coalesce(m.model, s.model) AS name, m.call_id, m.requested_at
        FROM model_calls m WHERE m.session_id = s.session_id AND m.call_id = s.open_model_call
      UNION ALL
        SELECT 'tool', t.tool, t.call_id, t.requested_at FROM tool_calls t
        WHERE t.session_id = s.session_id AND t.status IN ('requested', 'running')
        ORDER BY 4 LIMIT 1
    ) opened ON true
    WHERE (s.status = 'running' OR s.updated_at > now() - make_interval(secs => %(window_s)s))
      AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = s.session_id)
    ORDER BY opened.call_id IS NULL, models.calls + tools.calls DESC, opened.requested_at, s.session_id
    LIMIT %(limit)s
"""


async def busiest(snapshot: ProjectionSnapshot, window_s: int, limit: int) -> list[BusySession]:
    """Those that wait for a call come first, then those with the most calls in the window."""
    return [_busy(row) for row in await snapshot.rows(_BUSIEST, window_s=window_s, limit=limit)]


def _busy(row: Row) -> BusySession:
    asked_at = row["requested_at"]
    call = AwaitedCall(
        what=row["what"],
        name=row["name"],
        call_id=row["call_id"],
        requested_at=rfc3339(asked_at) if asked_at else None,
    )
    return BusySession(
        id=row["session_id"],
        agent_id=row["agent_id"],
        title=row["title"],
        status=row["status"],
        updated_at=rfc3339(row["updated_at"]),
        model_calls=row["model_calls"],
        tool_calls=row["tool_calls"],
        tokens=int(row["tokens"]),
        open_call=call if row["call_id"] else None,
    )
