"""A session's events in short, as the projections hold them."""

from agent_contracts.address import Address
from gateway.queries.calls import address, when
from gateway.queries.conversation import segments_of
from gateway.queries.database import Row, Snapshot
from gateway.queries.timeline_views import Group, Timeline, TimelineEvent
from projections.segments import Segment, hidden_by

_TEXT = 200
"""Characters of what an event says."""
_TYPES: dict[Group, list[str]] = {
    "messages": [
        "user_message",
        "model_call_completed",
        "reminder_due",
        "woken",
        "outcome_settled",
        "tool_response",
        "turn_failed",
        "retry_asked",
        "failed",
    ],
    "model": ["model_call_requested", "model_call_completed", "model_call_failed", "messages_shadowed"],
    "tools": [
        "tool_call_requested",
        "call_claimed",
        "tool_call_pending",
        "tool_call_completed",
        "tool_call_failed",
        "tool_call_cancelled",
        "tool_response",
        "child_spawned",
        "child_finished",
        "tool_quarantined",
    ],
    "rewind": ["forked_from", "fork_made", "rollback_asked", "rolled_back"],
}
_PAGE = f"""
    SELECT e.place, e.sequence, split_part(e.type, '.', 3) AS type, e.problem, e.time, e.actor,
           e.body->>'call_id' AS call_id,
           coalesce(e.body->>'tool', t.tool) AS tool, m.number,
           left(coalesce(e.body->>'text', e.body->>'message', e.body->>'title', e.body->>'task',
                         e.body->>'summary', e.body->'response'->>'answer', e.body->'error'->>'message',
                         e.body->>'reason', e.body->>'to', e.body->>'session_id', e.body->>'child_id', ''),
                {_TEXT}) AS text
    FROM (
        SELECT * FROM events
        WHERE session_id = %(session_id)s
          AND (%(before)s::bigint IS NULL OR place < %(before)s)
          AND (%(types)s::text[] IS NULL OR split_part(type, '.', 3) = ANY(%(types)s))
        ORDER BY place DESC
        LIMIT %(limit)s
    ) e
    LEFT JOIN tool_calls t ON t.session_id = e.session_id AND t.call_id = e.body->>'call_id'
    LEFT JOIN model_calls m ON m.session_id = e.session_id AND m.call_id = e.body->>'call_id'
    ORDER BY e.place DESC
"""
_COUNT = "SELECT count(*) AS count FROM events WHERE session_id = %(session_id)s"


async def page(
    snapshot: Snapshot, session_id: str, before: Address | None, limit: int, group: Group | None
) -> Timeline:
    """The newest `limit` events (of a group) before `before`."""
    types = None if group is None else _TYPES[group]
    rows = await snapshot.rows(
        _PAGE,
        session_id=session_id,
        before=before.place if before else None,
        limit=limit + 1,
        types=types,
    )
    segments = await segments_of(snapshot, session_id)
    counted = await snapshot.rows(_COUNT, session_id=session_id)
    shown = rows[:limit]
    return Timeline(
        events=[_event(row, segments, session_id) for row in shown],
        before=address(shown[-1]["place"]) if len(rows) > limit else None,
        count=counted[0]["count"],
    )


def _event(row: Row, segments: list[Segment], session_id: str) -> TimelineEvent:
    where = row["place"]
    hidden = hidden_by(segments, session_id, (session_id, where))
    shown = {
        **row,
        "address": address(where),
        "time": when(row["time"]),
        "hidden_by": None if hidden == where else address(hidden),
    }
    return TimelineEvent.model_validate(shown)
