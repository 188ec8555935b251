"""Which sessions are at work now, which of them do the most, and how fast the models answer them."""

from collections.abc import Sequence
from math import ceil

from agent_contracts.api.operating import AwaitedCall, BusySession, ModelPace
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
_MOST_CALLS = """
    SELECT coalesce(max(
        (SELECT count(*) FROM model_calls m WHERE m.session_id = s.session_id AND m.requested_at > begin)
        + (SELECT count(*) FROM tool_calls t WHERE t.session_id = s.session_id AND t.requested_at > begin)
    ), 0) AS calls
    FROM sessions s, (SELECT now() - make_interval(secs => %(window_s)s) AS begin) span
    WHERE s.updated_at > begin
"""
_MODELS = """
    SELECT coalesce(m.model, s.model, '') AS name, coalesce(m.error->>'kind', '') AS kind, count(*) AS calls,
           array_agg(coalesce(m.first_token_ms, m.latency_ms))
               FILTER (WHERE coalesce(m.first_token_ms, m.latency_ms) IS NOT NULL) AS first_token_ms,
           array_agg(m.latency_ms) FILTER (WHERE m.latency_ms IS NOT NULL) AS latency_ms
    FROM sessions s JOIN model_calls m USING (session_id)
    WHERE s.updated_at > now() - make_interval(secs => %(window_s)s)
      AND m.finished_at > now() - make_interval(secs => %(window_s)s)
      AND m.status IN ('completed', 'failed')
    GROUP BY 1, 2 ORDER BY 1, 2
"""


async def most_calls(snapshot: ProjectionSnapshot, window_s: int) -> int:
    """The calls of the session that made the most in the window."""
    (row,) = await snapshot.rows(_MOST_CALLS, window_s=window_s)
    return int(row["calls"])


async def models(snapshot: ProjectionSnapshot, window_s: int) -> dict[str, ModelPace]:
    """How each model answered the calls that ended in the window."""
    found: dict[str, list[Row]] = {}
    for row in await snapshot.rows(_MODELS, window_s=window_s):
        found.setdefault(row["name"], []).append(row)
    return {
        name: ModelPace(
            calls=sum(row["calls"] for row in rows),
            failed={row["kind"]: row["calls"] for row in rows if row["kind"]},
            first_token_ms=_ninth_of_ten(rows, "first_token_ms"),
            call_ms=_ninth_of_ten(rows, "latency_ms"),
        )
        for name, rows in found.items()
    }


def _ninth_of_ten(rows: Sequence[Row], column: str) -> int | None:
    """The value that nine of ten answers don't exceed. How long a failure took says nothing of the pace."""
    values = sorted(value for row in rows if not row["kind"] for value in row[column] or ())
    return values[ceil(0.9 * len(values)) - 1] if values else None


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
