"""What came of one message, as the projections hold it."""

import msgspec

from agent_contracts.api.turns import Turn, TurnStatus
from agent_contracts.log.address import Address, at_place
from agent_contracts.log.record.codec import type_of
from agent_contracts.session_events.decisions import (
    BecameIdle,
    Completed,
    Failed,
    TurnFailed,
)
from agent_contracts.session_events.inputs import RetryAsked, TimerDue
from agent_contracts.session_events.results import Usage
from agent_contracts.sessions.session_view import SessionFailure, TokensUsed
from agent_platform.process.clock import rfc3339
from gateway.queries import approvals
from gateway.queries.approvals import ONE_SESSION, WaitingCalls
from gateway.queries.conversation import segments_of
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.sessions import STATUS
from projections.segments import hidden_by

_NEWEST = """
    SELECT max(place) AS place FROM messages WHERE session_id = %(session_id)s AND role = 'user'
"""
_MESSAGE = f"""
    SELECT m.place, m.time, m.body, e.event_id, s.queued,
           {STATUS} AS status,
           (SELECT min(c.requested_place) FROM model_calls c
            WHERE c.session_id = m.session_id AND c.requested_place > m.place) AS read_at
    FROM messages m JOIN sessions s USING (session_id) JOIN events e ON e.place = m.place
    WHERE m.session_id = %(session_id)s AND m.place = %(place)s AND m.role = 'user'
"""
_END = """
    SELECT place, type, time, body FROM events
    WHERE session_id = %(session_id)s AND place > %(after)s AND type = ANY(%(types)s)
    ORDER BY place LIMIT 1
"""
_ANSWER = """
    SELECT text FROM messages
    WHERE session_id = %(session_id)s AND role = 'assistant' AND text <> ''
      AND place > %(after)s AND place <= %(up_to)s
    ORDER BY place DESC LIMIT 1
"""
_USED = """
    SELECT usage FROM model_calls
    WHERE session_id = %(session_id)s AND usage IS NOT NULL
      AND requested_place > %(after)s AND requested_place <= %(up_to)s
    UNION ALL
    SELECT accounting->'usage' FROM tool_calls
    WHERE session_id = %(session_id)s AND jsonb_typeof(accounting->'usage') = 'object'
      AND requested_place > %(after)s AND requested_place <= %(up_to)s
"""
_RETRIED = f"""
    SELECT min(e.place) AS place FROM events e
    WHERE e.session_id = %(session_id)s AND e.place > %(after)s
      AND (e.type = '{type_of(RetryAsked)}'
           OR e.type = '{type_of(TimerDue)}' AND e.body->>'purpose' = 'retry')
      AND NOT EXISTS (
        SELECT 1 FROM messages m WHERE m.session_id = e.session_id AND m.role = 'user'
          AND m.place > %(after)s AND m.place < e.place)
"""
_TURN_FAILED = type_of(TurnFailed)
_ENDS = (_TURN_FAILED, *(type_of(event) for event in (BecameIdle, Completed, Failed)))
_NO_END = 2**63 - 1


async def newest(snapshot: ProjectionSnapshot, session_id: str) -> Address | None:
    """The address of a session's newest message that isn't the agent's."""
    [row] = await snapshot.rows(_NEWEST, session_id=session_id)
    return None if row["place"] is None else at_place(row["place"])


async def one(snapshot: ProjectionSnapshot, session_id: str, message: Address) -> Turn | None:
    """The turn of a message of this session; None where there is no such message."""
    rows = await snapshot.rows(_MESSAGE, session_id=session_id, place=message.place)
    if not rows:
        return None
    said, place = rows[0], message.place
    is_queued = place in said["queued"]
    end = None if is_queued else await _end(snapshot, session_id, said)
    up_to = _NO_END if end is None else end["place"]
    bounds = {"session_id": session_id, "after": place, "up_to": up_to}
    answered = await snapshot.rows(_ANSWER, **bounds)
    used = [msgspec.convert(row["usage"], Usage) for row in await snapshot.rows(_USED, **bounds)]
    wanted = WaitingCalls(session_id=session_id)
    waits = end is None and not is_queued
    to_approve = (await approvals.page(snapshot, wanted, None, ONE_SESSION)).items if waits else []
    questions = (await approvals.questions(snapshot, wanted, None, ONE_SESSION)).items if waits else []
    refused = said["body"].get("refused")
    status: TurnStatus
    error: SessionFailure | None = None
    if hidden_by(await segments_of(snapshot, session_id), session_id, (session_id, place)) is not None:
        status = "rewound"
    elif refused is not None:
        status, error = "refused", SessionFailure(kind="input_refused", message=str(refused))
    elif is_queued:
        status = "queued"
    elif end is not None:
        status, error = _ended(end)
    elif said["status"] == "token_limit_reached":
        status = "token_limit_reached"
    elif said["status"] == "waiting_for_input" and (to_approve or questions):
        status = "waiting_for_input"
    else:
        status = "running"
    return Turn(
        event_id=said["event_id"],
        sequence=message.sequence,
        id=str(message),
        session_id=session_id,
        status=status,
        answer=answered[0]["text"] if answered else "",
        approvals=to_approve,
        questions=questions,
        error=error,
        usage=TokensUsed.of(sum(used, Usage(0, 0))),
        started_at=rfc3339(said["time"]),
        ended_at=None if end is None else rfc3339(end["time"]),
    )


async def _end(snapshot: ProjectionSnapshot, session_id: str, said: Row) -> Row | None:
    """The event with which the session came to rest after it had read the message. A turn that failed and is
    retried has not ended."""
    after = said["read_at"] if said["read_at"] is not None else said["place"]
    while True:
        bounds = {"session_id": session_id, "after": after}
        ended = await snapshot.rows(_END, **bounds, types=list(_ENDS))
        if not ended or ended[0]["type"] != _TURN_FAILED:
            return ended[0] if ended else None
        retried = await snapshot.rows(_RETRIED, session_id=session_id, after=ended[0]["place"])
        if not retried or retried[0]["place"] is None:
            return ended[0]
        after = retried[0]["place"]


def _ended(end: Row) -> tuple[TurnStatus, SessionFailure | None]:
    body = end["body"]
    if end["type"] in (_TURN_FAILED, type_of(Failed)):
        return "failed", SessionFailure(kind=body["kind"], message=body["message"])
    stopped = body.get("reason") in ("interrupted", "archived")
    return "stopped" if stopped else "completed", None
