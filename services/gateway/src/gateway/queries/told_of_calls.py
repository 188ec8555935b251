"""Lists that stand in the endings of calls, and of what apps called: what each call sent, or ran."""

from typing import Any

from agent_contracts.lists.kind import CallRecord
from agent_platform.process.clock import rfc3339
from gateway.queries.database import Row


def told_of_calls(part: str, listed: str, wanted: str) -> str:
    """The query of a page of a list: `listed`, under `part` of the bodies of events. Newest first.

    `wanted` is a condition on `one` of the list. All three are literals, never what somebody gave.
    """
    return f"""
    WITH ended AS (
        SELECT place, sequence, time, agent_id, session_id, body->>'call_id' AS call_id, NULL AS tool,
               body->'{part}'->'{listed}' AS listed
        FROM events
        WHERE body ? '{part}' AND problem IS NULL AND session_id IS NOT NULL AND time IS NOT NULL
        UNION ALL
        SELECT place, sequence, time, agent_id, body->'value'->'by_app'->>'session_id',
               body->'value'->'by_app'->>'of', body->'value'->>'name',
               body->'value'->'answer'->'{part}'->'{listed}'
        FROM events
        WHERE body->'value' ? 'by_app' AND body->'value'->'answer' ? '{part}' AND problem IS NULL
    ), page AS (
        SELECT e.time AS at, lpad(e.place::text, 20, '0') || ':' || lpad(told.number::text, 3, '0') AS key,
               e.agent_id, e.session_id, e.sequence, e.call_id, e.tool, told.one
        FROM ended e
        CROSS JOIN LATERAL jsonb_array_elements(e.listed) WITH ORDINALITY AS told(one, number)
        WHERE (%(agent_id)s::text IS NULL OR e.agent_id = %(agent_id)s)
          AND (%(session_id)s::text IS NULL OR e.session_id = %(session_id)s)
          AND {wanted}
          AND NOT EXISTS (SELECT 1 FROM erasures x WHERE x.name IN (e.session_id, e.agent_id))
          AND (%(before)s::timestamptz IS NULL OR e.time <= %(before)s::timestamptz)
    )
    SELECT p.at, p.key, p.agent_id, p.session_id, p.sequence, p.call_id, p.one,
           coalesce(p.tool, c.tool) AS tool, s.title
    FROM page p
    LEFT JOIN tool_calls c ON c.session_id = p.session_id AND c.call_id = p.call_id
    LEFT JOIN sessions s ON s.session_id = p.session_id
    WHERE %(before)s::timestamptz IS NULL OR (p.at, p.key) < (%(before)s::timestamptz, %(before_key)s::text)
    ORDER BY p.at DESC, p.key DESC LIMIT %(limit)s
    """


def of_call(row: Row) -> dict[str, Any]:
    """The fields of `CallRecord` in a row of the query."""
    return {
        **{name: row[name] for name in CallRecord.__struct_fields__ if name != "recorded_at"},
        "recorded_at": rfc3339(row["at"]),
    }
