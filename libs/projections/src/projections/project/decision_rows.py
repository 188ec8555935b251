"""What the engine's decisions do to the rows."""

from typing import assert_never

from agent_contracts.log.address import Address, at_place
from agent_contracts.session_events import decisions as ev
from projections.json_text import json_text
from projections.project import message_rows, model_call_rows, tool_call_rows
from projections.project.batch_rows import BatchRows
from projections.project.effects import NOBODY, Effects, no_longer_waits_for, with_changes
from projections.project.event_place import EventPlace, known_call
from projections.project.failed_turns import failed_turn
from projections.project.message_queue import joined_queue, left_queue
from projections.project.rest_point import at_rest, calls_of
from projections.project.unprojectable import Unprojectable
from projections.segments import as_column, conversation, rewinds_of
from projections.session_tables import MESSAGES, MODEL_CALLS, OPEN_CALLS, SESSIONS, SessionRow, ToolCallRow
from session_domain.domain.rules.statuses import status_forked_from, status_gone_back_to


def decided(at: EventPlace, event: ev.Decision, session: SessionRow, rows: BatchRows) -> Effects:
    """The session and the other rows after a decision."""
    match event:
        case ev.TurnStarted():
            return with_changes(session, waiting_calls=NOBODY, failed_turn=None), []
        case ev.ModelCallRequested(call_id=call_id, joins=joins):
            number = session.model_call_count + 1
            session = with_changes(
                left_queue(session, joins),
                model_call_count=number,
                open_model_call=call_id,
                newest_model_call=call_id,
                waiting_calls=NOBODY,
            )
            return session, model_call_rows.requested(at, number, event)
        case ev.ToolCallRequested(call_id=call_id):
            return session, tool_call_rows.requested(at, known_call(at, call_id, rows), event)
        case ev.ToolCallCancelled(call_id=call_id):
            puts = tool_call_rows.cancelled(at, known_call(at, call_id, rows), event)
            return no_longer_waits_for(session, call_id), puts
        case ev.Waiting(calls=calls):
            return with_changes(session, waiting_calls=json_text(calls)), []
        case ev.BecameIdle() | ev.Completed():
            return _stopped(at, session, rows)
        case ev.ReportAsked(message=text):
            return joined_queue(at, session), message_rows.said(at, text, source="foldline")
        case ev.TokenLimitHit():
            return session, []
        case ev.Failed(kind=kind, message=message):
            session, puts = _stopped(at, session, rows, error_kind=kind, error_message=message)
            return session, puts + message_rows.failed(at, kind, message)
        case ev.TurnFailed(kind=kind, message=message):
            newest = session.newest_model_call
            last = rows.get(MODEL_CALLS, (at.session_id, newest)) if newest is not None else None
            failed = failed_turn(at, event, last)
            session = with_changes(session, waiting_calls=NOBODY, failed_turn=failed)
            return session, message_rows.failed(at, kind, message)
        case ev.ToolQuarantined(message=message):
            return session, message_rows.failed(at, "tool_quarantined", message)
        case ev.InputRefused(input=sequence, reason=reason):
            refused = rows.get(MESSAGES, (at.session_id, Address(sequence).place))
            puts = message_rows.refused(refused, reason) if refused is not None else []
            return left_queue(session, (sequence,)), puts
        case ev.Titled(title=title):
            return with_changes(session, title=title), []
        case ev.ChildSpawned(call_id=call_id):
            call = known_call(at, call_id, rows)
            is_over = call.status not in OPEN_CALLS  # a held one begins when its call has long been answered
            return session, [] if is_over else tool_call_rows.begun(at, call)
        case ev.MessagesShadowed(reason=reason):
            ending = _ending_task(session, rows) if reason == "task" else None
            puts = tool_call_rows.begun(at, ending) if ending is not None else []
            return session, message_rows.summarised(at, event) + puts
        case ev.ForkedFrom():
            return _forked(at, event, session, rows), []
        case ev.Rewound(conversation=False):
            return session, []
        case ev.Rewound(to=to):
            return _went_back(at, to, session, rows)
        case ev.ForkMade():
            return session, []  # the fork's own row says where it comes from
        case _ as never:
            assert_never(never)


def _stopped(at: EventPlace, session: SessionRow, rows: BatchRows, **changes: object) -> Effects:
    """The session does nothing any more; a model call that has not answered yet is cut off."""
    open_call = session.open_model_call
    stopped = {"cut_model_call": open_call or session.cut_model_call, "failed_turn": None} | changes
    session = with_changes(session, open_model_call=None, waiting_calls=NOBODY, **stopped)
    if open_call is None:
        return session, []
    call = rows.get(MODEL_CALLS, (at.session_id, open_call))
    return session, model_call_rows.cut_off(at, call) if call is not None else []


def _forked(at: EventPlace, event: ev.ForkedFrom, session: SessionRow, rows: BatchRows) -> SessionRow:
    """A session that begins with another's history, and goes on with that turn if it was at work."""
    origin = rows.get(SESSIONS, (event.session_id,))
    if origin is None:
        raise Unprojectable(f"forked from unknown session {event.session_id!r}", kind="unknown_origin")
    past = at_rest(rows, origin, Address(event.at).end)
    thinks = past if (session.thinking_effort, session.thinking_budget) == (None, None) else session
    forked = with_changes(
        session,
        status=status_forked_from(past.status).value,
        title=session.title or past.title,
        model=session.model or origin.model,
        thinking_effort=thinks.thinking_effort,
        thinking_budget=thinks.thinking_budget,
        forked_from_id=event.session_id,
        forked_from_sequence=at_place(past.at).sequence,
        forked_place=at.place,
        inherited=as_column(conversation(origin, past.at)),
    )
    return with_changes(forked, segments=as_column(conversation(forked)))


def _went_back(at: EventPlace, to: int, session: SessionRow, rows: BatchRows) -> Effects:
    """What came after `to` is hidden, and what a rewind after `to` had hidden is shown again."""
    past = at_rest(rows, session, Address(to).end)
    status = status_gone_back_to(past.status)
    rewinds = [*rewinds_of(session), (at.place, past.at)]
    session = with_changes(session, rewinds=json_text(rewinds))
    changes = {
        "status": status.value,
        "thinking_effort": past.thinking_effort,
        "thinking_budget": past.thinking_budget,
        "segments": as_column(conversation(session)),
        "queued": NOBODY,
    }
    return _stopped(at, session, rows, **changes, cut_model_call=None)


def _ending_task(session: SessionRow, rows: BatchRows) -> ToolCallRow | None:
    """The call that ends a task: the first of the newest answer's that is open and asks for that."""
    if session.newest_model_call is None:
        return None
    answered = rows.get(MODEL_CALLS, (session.session_id, session.newest_model_call))
    calls = calls_of(rows, answered) if answered is not None else []
    return next((one for one in calls if one.tool == "end_task" and one.status in OPEN_CALLS), None)
