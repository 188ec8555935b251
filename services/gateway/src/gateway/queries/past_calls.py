"""What models asked an agent's tools for lately, as a policy judges it."""

from datetime import datetime
from typing import Any

import msgspec

from gateway.queries.calls import when
from gateway.queries.database import ProjectionSnapshot, Row

MOST_CALLS = 500
"""So many of the newest are judged."""
_SESSIONS = 200
"""In which sessions: those that changed last."""
_LONGEST = 20_000
"""Characters of arguments; of calls with more only what rules can speak of is known."""
_CALLS = """
    SELECT c.session_id, c.call_id, c.tool, c.effect, s.title, m.time,
           CASE WHEN length(c.arguments::text) <= %(longest)s THEN c.arguments
                ELSE jsonb_strip_nulls(jsonb_build_object(
                    'url', c.arguments->'url', 'method', c.arguments->'method',
                    'command', c.arguments->'command', 'scope', c.arguments->'scope'))
           END AS arguments,
           r.body ?| '{outside,outside_as}' OR c.show ? 'outside' AS after_outside,
           coalesce(r.body->'urls', '[]') AS urls
    FROM (
        SELECT session_id, title FROM sessions WHERE agent_id = %(agent_id)s
        ORDER BY updated_at DESC LIMIT %(sessions)s
    ) s
    JOIN LATERAL (
        SELECT * FROM messages m WHERE m.session_id = s.session_id AND m.role = 'assistant'
        ORDER BY m.place DESC LIMIT %(most)s
    ) m ON true
    JOIN tool_calls c ON c.session_id = m.session_id AND c.message_place = m.place
    LEFT JOIN events r ON r.place = c.requested_place
    WHERE NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = s.session_id)
    ORDER BY m.time DESC, c.position DESC LIMIT %(most)s
"""


class PastCall(msgspec.Struct, frozen=True):
    """A call. The model had material from outside (`after_outside`) when it was asked for; of its URLs,
    `urls` were known."""

    session_id: str
    call_id: str
    tool: str
    effect: str | None
    title: str | None
    at: str
    arguments: dict[str, Any]
    after_outside: bool
    urls: tuple[str, ...]


async def newest(snapshot: ProjectionSnapshot, agent_id: str) -> list[PastCall]:
    """The newest calls of an agent, in whatever session."""
    bounds = {"most": MOST_CALLS, "sessions": _SESSIONS, "longest": _LONGEST}
    rows = await snapshot.rows(_CALLS, agent_id=agent_id, **bounds)
    return [_call(row) for row in rows]


def _call(row: Row) -> PastCall:
    moment: datetime = row["time"]
    arguments = row["arguments"]
    return PastCall(
        session_id=row["session_id"],
        call_id=row["call_id"],
        tool=row["tool"],
        effect=row["effect"],
        title=row["title"],
        at=when(moment) or "",
        arguments=arguments if isinstance(arguments, dict) else {},
        after_outside=bool(row["after_outside"]),
        urls=tuple(row["urls"]),
    )
