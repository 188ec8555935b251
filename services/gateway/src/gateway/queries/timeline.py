"""A session's course, a row for what happened, as the projections hold it."""

from collections.abc import Sequence

import msgspec

from agent_contracts.api.timeline import ChangedThing, Outline, RowState, Timeline, TimelineRow
from agent_contracts.log.address import Address
from gateway.queries.agent_events import SUBJECT_KINDS, marks, thing
from gateway.queries.calls import ANSWER, address, when
from gateway.queries.conversation import segments_of
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.timeline_views import Group
from projections.search import condition, parameters, terms_of
from projections.segments import Segment, hidden_by

MOST_STOPS = 50_000
"""Of so many events the outline tells where they are."""
_TEXT = 200
"""Characters of what an event says."""
_ARGUMENT = 120
"""Characters of each argument of a call."""
_TYPES: dict[Group, list[str]] = {
    "messages": [
        "user_message",
        "reminder_due",
        "woken",
        "outcome_settled",
        "tool_response",
        "feedback",
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
    "rewind": ["forked_from", "fork_made", "rewind_requested", "rewound"],
    "changes": [],
    "attention": ["turn_failed", "failed", "tool_quarantined", "token_limit_hit", "input_refused"],
}
_ALSO: dict[Group, str] = {
    "messages": f"OR {ANSWER} <> ''",
    "changes": """OR EXISTS (
        SELECT FROM events c
        WHERE c.agent_id = e.agent_id AND c.session_id IS NULL AND c.place > t.requested_place
          AND (t.result_place IS NULL OR c.place < t.result_place)
          AND split_part(c.subject, '.', 3) = ANY(%(kinds)s)
          AND c.body->>'call_id' = t.call_id AND c.body->>'session_id' = e.session_id)""",
    "attention": """OR e.problem IS NOT NULL
        OR (t.status IN ('planned', 'requested', 'running', 'pending', 'failed')
            AND t.requested_place = e.place)
        OR (t.status = 'pending' AND t.requested_place IS NULL
            AND split_part(e.type, '.', 3) = 'tool_call_pending')
        OR (m.status IN ('requested', 'failed') AND m.requested_place = e.place)""",
}
_SEARCHED = f"searchable(concat_ws(' ', e.body::text, t.tool, {ANSWER}, t.result::text, t.error::text))"
_PAGE = f"""
    SELECT e.place, e.sequence, split_part(e.type, '.', 3) AS type, e.problem, e.time, e.actor,
           e.body->>'call_id' AS call_id, coalesce(e.body->>'tool', t.tool) AS tool,
           (SELECT jsonb_object_agg(key, left(value #>> '{{{{}}}}', {_ARGUMENT}))
            FROM jsonb_each(t.arguments) WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean')
           ) AS arguments,
           t.status AS tool_status, (t.accounting->>'duration_ms')::bigint AS duration_ms,
           (t.accounting->>'attempt')::int AS attempt, t.requested_place AS tool_place,
           t.result_place AS tool_end, t.requested_at AS tool_began, t.finished_at AS tool_ended,
           left(coalesce(t.error->>'message', t.answer->>'answer', t.result::text), {_TEXT}) AS tool_answer,
           CASE WHEN e.type = 'foldline.session.waiting.v1'
                THEN (SELECT array_agg(c.tool ORDER BY c.position) FROM tool_calls c
                      WHERE c.session_id = e.session_id
                        AND c.call_id IN (SELECT jsonb_array_elements_text(e.body->'calls')))
                ELSE (SELECT array_agg(c.tool ORDER BY c.position) FROM tool_calls c
                      WHERE c.session_id = e.session_id AND c.message_place = m.result_place
                        AND m.requested_place = e.place) END AS asked,
           CASE WHEN t.show->>'kind' = 'approval' THEN e.body->'response'->>'decision' END AS decision,
           CASE WHEN e.type = 'foldline.session.feedback.v1' THEN e.body->>'rating' END AS rating,
           m.number, m.model, m.status AS model_status, m.latency_ms, m.attempts,
           m.requested_place AS model_place, m.result_place AS model_end, m.finished_at AS model_ended,
           left(coalesce(m.error->>'message', {ANSWER}), {_TEXT}) AS model_answer,
           left(coalesce(e.body->>'text', e.body->>'message', e.body->>'title', e.body->>'task',
                         e.body->>'summary', e.body->'response'->>'answer', e.body->'response'->>'reason',
                         e.body->'error'->>'message', e.body->>'result', e.body->>'reason', e.body->>'to',
                         ''), {_TEXT}) AS text
    FROM events e
    LEFT JOIN tool_calls t ON t.session_id = e.session_id AND t.call_id = e.body->>'call_id'
    LEFT JOIN model_calls m ON m.session_id = e.session_id AND m.call_id = e.body->>'call_id'
    WHERE e.session_id = %(session_id)s
      AND (%(before)s::bigint IS NULL OR e.place < %(before)s)
      AND (e.problem IS NOT NULL
        OR (e.type = 'foldline.session.tool_call_pending.v1' AND t.requested_place IS NULL)
        OR NOT (
        (t.requested_place < e.place AND split_part(e.type, '.', 3) IN (
            'call_claimed', 'tool_call_pending', 'tool_call_completed', 'tool_call_failed',
            'tool_call_cancelled'))
        OR (m.requested_place < e.place AND split_part(e.type, '.', 3) IN (
            'model_call_completed', 'model_call_failed'))))
      AND (%(types)s::text[] IS NULL OR split_part(e.type, '.', 3) = ANY(%(types)s) {{also}})
      {{search}}
    ORDER BY e.place DESC
    LIMIT %(limit)s
"""
_COUNT = "SELECT count(*) AS count FROM events WHERE session_id = %(session_id)s"
_STOPS = """
    SELECT place, type = 'foldline.session.turn_started.v1' AS turn FROM events
    WHERE session_id = %(session_id)s AND place > %(after)s
    ORDER BY place DESC
    LIMIT %(most)s
"""
_BEGAN = """
    SELECT agent_id, place FROM events WHERE session_id = %(session_id)s ORDER BY place LIMIT 1
"""
_STATES: dict[str, RowState] = {
    "planned": "running",
    "requested": "running",
    "running": "running",
    "pending": "pending",
    "completed": "done",
    "failed": "failed",
    "cancelled": "cancelled",
}


class TimelineQuery(msgspec.Struct, frozen=True):
    """The newest `limit` rows before `before` (None: of all): of a group, that have a text `q`."""

    before: Address | None = None
    limit: int = 100
    group: Group | None = None
    q: str | None = None


async def page(snapshot: ProjectionSnapshot, session_id: str, wanted: TimelineQuery) -> Timeline:
    """A page of what happened in a session."""
    before, limit, group, q = wanted.before, wanted.limit, wanted.group, wanted.q
    terms = terms_of(q or "")
    search = f"AND {condition(terms, _SEARCHED)}" if terms else ""
    sql = _PAGE.format(also=_ALSO.get(group, "") if group else "", search=search)
    rows = await snapshot.rows(
        sql,
        session_id=session_id,
        before=before.place if before else None,
        limit=limit + 1,
        types=None if group is None else _TYPES[group],
        kinds=SUBJECT_KINDS,
        **parameters(terms),
    )
    segments = await segments_of(snapshot, session_id)
    counted = await snapshot.rows(_COUNT, session_id=session_id)
    shown = rows[:limit]
    changed = await _changed(snapshot, session_id, shown)
    return Timeline(
        items=[_row(row, segments, session_id, changed) for row in shown],
        next_cursor=address(shown[-1]["place"]) if len(rows) > limit else None,
        count=counted[0]["count"],
    )


async def outline(snapshot: ProjectionSnapshot, session_id: str, after: Address | None) -> Outline:
    """Where one can stop in the session, after an address."""
    beyond = after.place if after else -1
    counted = await snapshot.rows(_COUNT + " AND place > %(after)s", session_id=session_id, after=beyond)
    rows = await snapshot.rows(_STOPS, session_id=session_id, after=beyond, most=MOST_STOPS)
    began = await snapshot.rows(_BEGAN, session_id=session_id)
    found = await marks(snapshot, began[0]["agent_id"], max(began[0]["place"], beyond)) if began else []
    in_order = rows[::-1]
    return Outline(
        events=[str(address(row["place"])) for row in in_order],
        turns=[str(address(row["place"])) for row in in_order if row["turn"]],
        left_out=counted[0]["count"] - len(rows),
        changes=[mark for _, mark in found],
    )


async def _changed(
    snapshot: ProjectionSnapshot, session_id: str, rows: Sequence[Row]
) -> dict[str | None, list[ChangedThing]]:
    """What the calls of a page changed of the agent, in order, by call."""
    calls = [row for row in rows if row["tool_place"] is not None]
    began = await snapshot.rows(_BEGAN, session_id=session_id) if calls else []
    if not began:
        return {}
    ends = [row["tool_end"] for row in calls]
    up_to = None if None in ends else max(ends)
    after = min(row["tool_place"] for row in calls)
    found = await marks(snapshot, began[0]["agent_id"], after, up_to=up_to, by=session_id)
    changed: dict[str | None, list[ChangedThing]] = {}
    for call_id, mark in reversed(found):
        changed.setdefault(call_id, []).append(thing(mark))
    return changed


def _row(
    row: Row, segments: list[Segment], session_id: str, changed: dict[str | None, list[ChangedThing]]
) -> TimelineRow:
    where = row["place"]
    hidden = hidden_by(segments, session_id, (session_id, where))
    of_tool = row["tool_place"] == where and row["tool"] is not None
    of_model = row["model_place"] == where
    took = row["duration_ms"] if of_tool else row["latency_ms"] if of_model else None
    status = row["tool_status"] if of_tool else row["model_status"] if of_model else None
    if row["type"] == "tool_call_pending" and row["tool_status"] == "pending":
        status = "pending"
    ended = row["tool_ended"] if of_tool else row["model_ended"] if of_model else None
    return TimelineRow(
        address=str(address(where)),
        sequence=row["sequence"],
        end=address(row["tool_end"] if of_tool else row["model_end"] if of_model else None),
        type=row["type"],
        started_at=when(row["time"]),
        ended_at=when(ended),
        actor=row["actor"],
        call_id=row["call_id"],
        tool=row["tool"],
        arguments=row["arguments"],
        number=row["number"],
        model=row["model"],
        asked=row["asked"] or [],
        decision=row["decision"],
        rating=row["rating"],
        state=_STATES[status] if status else None,
        duration_ms=took,
        attempts=row["attempt"] if of_tool else row["attempts"] if of_model else None,
        text=row["text"],
        answer=(row["tool_answer"] if of_tool else row["model_answer"] if of_model else None) or "",
        changed=changed.get(row["call_id"], []) if of_tool else [],
        problem=row["problem"],
        hidden_by=None if hidden == where else address(hidden),
    )
