"""What led to what in a turn: spans, from the times and causes of the log's own events."""

from agent_contracts.api.timeline import RowState, Span, Trace
from agent_contracts.log.address import Address
from gateway.queries.calls import ANSWER, address, when
from gateway.queries.database import ProjectionSnapshot, Row

_MOST_SESSIONS = 200
_TEXT = 120
_TURN = """
    SELECT place, sequence, time, causation FROM events
    WHERE session_id = %(session_id)s AND type = 'foldline.session.turn_started.v1' AND problem IS NULL
      AND (%(caused)s::bigint IS NULL OR causation = %(caused)s)
      AND (%(after)s::bigint IS NULL OR place > %(after)s)
      AND (%(up_to)s::bigint IS NULL OR place <= %(up_to)s)
    ORDER BY place {order} LIMIT 1
"""
_END = """
    SELECT place, time, split_part(type, '.', 3) AS type FROM events
    WHERE session_id = %(session_id)s AND place > %(after)s
      AND (%(before)s::bigint IS NULL OR place < %(before)s)
      AND split_part(type, '.', 3) IN ('became_idle', 'turn_failed', 'completed', 'failed', 'token_limit_hit')
    ORDER BY place DESC LIMIT 1
"""
_INPUT = f"""
    SELECT place, time, split_part(type, '.', 3) AS type,
           left(coalesce(body->>'text', body->>'message', body->>'task', ''), {_TEXT}) AS text
    FROM events
    WHERE session_id = %(session_id)s
      AND place BETWEEN 4096 * %(sequence)s::bigint AND 4096 * %(sequence)s::bigint + 4095
    ORDER BY place LIMIT 1
"""
_FAMILY = f"""
    WITH RECURSIVE family AS (
        SELECT %(session_id)s::text AS session_id, NULL::bigint AS called_at, 0 AS level
        UNION ALL
        SELECT s.session_id, t.requested_place, f.level + 1
        FROM family f
        JOIN sessions s ON s.parent_id = f.session_id
        JOIN tool_calls t ON t.session_id = s.parent_id AND t.call_id = s.parent_call_id
        WHERE f.level > 0 OR (t.requested_place > %(after)s
                              AND (%(before)s::bigint IS NULL OR t.requested_place < %(before)s))
    )
    SELECT f.session_id, f.called_at,
           (SELECT min(place) FROM events e WHERE e.session_id = f.session_id) AS first_place
    FROM family f ORDER BY f.level, first_place LIMIT {_MOST_SESSIONS + 1}
"""
_SPANS = f"""
    SELECT * FROM (
        SELECT 'model_call' AS kind, m.requested_place AS place, m.result_place AS ending, m.session_id,
               m.call_id, coalesce(m.model, '') AS name, m.status, m.requested_at AS began,
               m.finished_at AS ended, m.number, m.attempts,
               (m.usage->>'tokens')::bigint AS tokens,
               left(coalesce(m.error->>'message', {ANSWER}, ''), {_TEXT}) AS text,
               NULL::jsonb AS arguments, NULL::bigint AS parent
        FROM model_calls m WHERE m.session_id = ANY(%(sessions)s)
        UNION ALL
        SELECT 'tool_call', t.requested_place, t.result_place, t.session_id, t.call_id, t.tool, t.status,
               t.requested_at, t.finished_at, NULL, (t.accounting->>'attempt')::int,
               (t.accounting->'usage'->>'tokens')::bigint,
               left(coalesce(t.error->>'message', t.result::text, ''), {_TEXT}),
               (SELECT jsonb_object_agg(key, left(value #>> '{{}}', {_TEXT})) FROM jsonb_each(t.arguments)
                WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean')), m.requested_place
        FROM tool_calls t
        LEFT JOIN model_calls m ON m.session_id = t.session_id AND m.call_id = t.model_call_id
        WHERE t.session_id = ANY(%(sessions)s) AND t.requested_place IS NOT NULL
        UNION ALL
        SELECT 'session', e.place, NULL, s.session_id, s.parent_call_id, coalesce(s.title, ''), s.status,
               s.created_at, CASE WHEN s.status IN ('running', 'waiting_for_input') THEN NULL
                                  ELSE s.updated_at END,
               NULL, NULL, (s.usage->>'tokens')::bigint, '', NULL, NULL
        FROM sessions s
        JOIN LATERAL (SELECT min(place) AS place FROM events WHERE session_id = s.session_id) e ON true
        WHERE s.session_id = ANY(%(sessions)s) AND s.session_id <> %(session_id)s
    ) spans
    WHERE place > %(from)s
      AND (session_id <> %(session_id)s OR %(before)s::bigint IS NULL OR place < %(before)s)
    ORDER BY place
    LIMIT %(limit)s
"""
_STATES: dict[str, RowState] = {
    "planned": "running",
    "requested": "running",
    "running": "running",
    "pending": "pending",
    "waiting_for_input": "pending",
    "token_limit_reached": "pending",
    "completed": "done",
    "idle": "done",
    "failed": "failed",
    "error": "failed",
    "cancelled": "cancelled",
}


async def trace(
    snapshot: ProjectionSnapshot, session_id: str, at: Address | None, beyond: Address | None, limit: int
) -> Trace:
    """The turn that the event `at` is in or led to (None: the newest), its spans after `beyond`."""
    turn = await _turn_of(snapshot, session_id, at)
    if turn is None:
        return Trace(session_id=session_id, turn=None, before=None, after=None, items=[], cut=False)
    earlier = await _turn(snapshot, session_id, "DESC", up_to=turn["place"] - 1)
    later = await _turn(snapshot, session_id, "ASC", after=turn["place"])
    before = later["place"] if later else None
    within = {"session_id": session_id, "after": turn["place"], "before": before}
    family = await snapshot.rows(_FAMILY, **within)
    followed = family[:_MOST_SESSIONS]
    start = turn["place"] if beyond is None else max(turn["place"], beyond.place)
    rows = await snapshot.rows(
        _SPANS,
        sessions=[row["session_id"] for row in followed],
        **within | {"from": start, "limit": limit + 1},
    )
    parents = {row["session_id"]: row["first_place"] for row in followed} | {session_id: turn["place"]}
    called = {row["session_id"]: row["called_at"] for row in followed}
    spans = [_span(row, parents, called) for row in rows[:limit]]
    first = [] if beyond else await _first(snapshot, session_id, turn, before)
    return Trace(
        session_id=session_id,
        turn=address(turn["place"]),
        before=address(earlier["place"]) if earlier else None,
        after=address(before),
        items=first + spans,
        next_cursor=spans[-1].id if len(rows) > limit else None,
        cut=len(family) > _MOST_SESSIONS,
    )


async def _turn_of(snapshot: ProjectionSnapshot, session_id: str, at: Address | None) -> Row | None:
    if at is None:
        return await _turn(snapshot, session_id, "DESC")
    return (
        await _turn(snapshot, session_id, "ASC", caused=at.sequence)
        or await _turn(snapshot, session_id, "DESC", up_to=at.end)
        or await _turn(snapshot, session_id, "ASC")
    )


async def _turn(snapshot: ProjectionSnapshot, session_id: str, order: str, **which: int) -> Row | None:
    """The first in the order of those `after` a place, `up_to` one, `caused` by a record; as far as given."""
    given = {"caused": None, "after": None, "up_to": None} | which
    rows = await snapshot.rows(_TURN.format(order=order), session_id=session_id, **given)
    return rows[0] if rows else None


async def _first(snapshot: ProjectionSnapshot, session_id: str, turn: Row, before: int | None) -> list[Span]:
    """What led to the turn, and the turn itself."""
    ends = await snapshot.rows(_END, session_id=session_id, after=turn["place"], before=before)
    inputs = await snapshot.rows(_INPUT, session_id=session_id, sequence=turn["causation"])
    end = ends[0] if ends else None
    state: RowState = "running" if end is None else "failed" if "failed" in end["type"] else "done"
    nothing = dict.fromkeys(("call_id", "arguments", "number", "attempts", "tokens"))
    came = [
        Span(
            id=str(address(row["place"])),
            parent=None,
            kind="input",
            session_id=session_id,
            name=row["type"],
            text=row["text"],
            state="done",
            started_at=when(row["time"]),
            ended_at=when(row["time"]),
            end=address(row["place"]),
            **nothing,
        )
        for row in inputs
    ]
    return [
        *came,
        Span(
            id=str(address(turn["place"])),
            parent=came[0].id if came else None,
            kind="turn",
            session_id=session_id,
            name="turn",
            text="",
            state=state,
            started_at=when(turn["time"]),
            ended_at=when(end["time"]) if end else None,
            end=address(end["place"]) if end else None,
            **nothing,
        ),
    ]


def _span(row: Row, parents: dict[str, int], called: dict[str, int]) -> Span:
    if row["kind"] == "session":
        parent = called[row["session_id"]]
    else:
        parent = row["parent"] or parents[row["session_id"]]
    return Span(
        id=str(address(row["place"])),
        parent=address(parent),
        kind=row["kind"],
        session_id=row["session_id"],
        call_id=row["call_id"],
        name=row["name"],
        text=row["text"],
        arguments=row["arguments"],
        number=row["number"],
        state=_STATES[row["status"]],
        started_at=when(row["began"]),
        ended_at=when(row["ended"]),
        end=address(row["ending"]),
        attempts=row["attempts"],
        tokens=row["tokens"],
    )
