"""What each session event does to the rows. Total over the closed union, and as the engine's fold has it."""

from typing import assert_never

import msgspec

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.union import SessionEvent
from agent_platform.projections.projection import Unprojectable
from agent_platform.projections.rows import JsonText, Put, Rows
from session_engine.domain.state import Status
from session_engine.projections import message_rows, model_call_rows, tool_call_rows
from session_engine.projections.at import At, known_call, reaching
from session_engine.projections.json_text import json_text
from session_engine.projections.tables import MESSAGES, MODEL_CALLS, SESSIONS, TOOL_CALLS, SessionRow

_NOBODY = JsonText("[]")

Effects = tuple[SessionRow, list[Put]]


def session_puts(at: At, event: SessionEvent, rows: Rows) -> list[Put]:
    """The rows that an event of a session makes or changes.

    Raises `Unprojectable` if the session was never created, or was already.
    """
    session = rows.get(SESSIONS, (at.session_id,))
    if isinstance(event, inputs.Created):
        if session is not None:
            raise Unprojectable("the session was created before", kind="created_twice")
        return [Put(SESSIONS, _created(at, event))]
    if session is None:
        raise Unprojectable("the session was never created", kind="no_session")
    session, puts = _effects(at, event, reaching(at, session), rows)
    return [Put(SESSIONS, session), *puts]


def _effects(at: At, event: SessionEvent, session: SessionRow, rows: Rows) -> Effects:
    match event:
        case (
            inputs.Created()
            | inputs.UserMessage()
            | inputs.ToolResponse()
            | inputs.ReminderDue()
            | inputs.TimerDue()
            | inputs.Woken()
            | inputs.ChildFinished()
            | inputs.Continued()
            | inputs.Interrupted()
            | inputs.Archived()
            | inputs.Renamed()
            | inputs.RollbackAsked()
        ):
            return _input(at, event, session, rows)
        case (
            results.ModelCallCompleted()
            | results.ModelCallFailed()
            | results.ToolCallCompleted()
            | results.ToolCallFailed()
            | results.ToolCallPending()
            | results.CallClaimed()
        ):
            return _result(at, event, session, rows)
        case (
            ev.TurnStarted()
            | ev.ModelCallRequested()
            | ev.ToolCallRequested()
            | ev.ToolCallCancelled()
            | ev.Waiting()
            | ev.BecameIdle()
            | ev.TokenLimitHit()
            | ev.Completed()
            | ev.Failed()
            | ev.MessagesShadowed()
            | ev.InputRefused()
            | ev.ChildSpawned()
            | ev.ForkedFrom()
            | ev.ForkMade()
            | ev.RolledBack()
            | ev.Titled()
        ):
            return _decision(at, event, session, rows)
        case _ as never:
            assert_never(never)


def _created(at: At, event: inputs.Created) -> SessionRow:
    return SessionRow(
        session_id=at.session_id,
        agent_id=event.agent_id,
        parent_id=event.parent_id,
        parent_call_id=event.parent_call_id,
        depth=event.depth,
        title=event.title,
        status=Status.IDLE.value,
        model=event.model,
        token_limit=event.token_limit,
        created_at=at.time,
        updated_at=at.time,
        last_sequence=at.sequence,
    )


def _input(at: At, event: inputs.Input, session: SessionRow, rows: Rows) -> Effects:
    match event:
        case inputs.UserMessage(text=text, files=files):
            session, answer = _answer_to_the_only_question(at, text, session, rows)
            return session, message_rows.said(at, text, files) + answer
        case inputs.ToolResponse(call_id=call_id, response=response):
            call = rows.get(TOOL_CALLS, (at.session_id, call_id))
            answer = tool_call_rows.answered(at, call, response) if call is not None else []
            return (_no_longer_waits_for(session, call_id) if answer else session), answer
        case inputs.ReminderDue(message=text):
            return session, message_rows.said(at, text, source="reminder")
        case inputs.Woken(message=text, source=source):
            return session, message_rows.said(at, text, source=source)
        case inputs.Continued() if Status(session.status).is_terminal:
            return session, []  # it will be refused
        case inputs.Continued(token_limit=token_limit):
            limited = session.status == Status.TOKEN_LIMIT_REACHED
            status = Status.RUNNING.value if limited else session.status
            return _with(session, token_limit=token_limit, status=status), []
        case inputs.Renamed(title=title):
            return _with(session, title=title), []
        case (
            inputs.Created()
            | inputs.TimerDue()
            | inputs.ChildFinished()
            | inputs.Interrupted()
            | inputs.Archived()
            | inputs.RollbackAsked()
        ):
            return session, []
        case _ as never:
            assert_never(never)


def _result(at: At, event: results.Result | results.CallClaimed, session: SessionRow, rows: Rows) -> Effects:
    match event:
        case results.ModelCallCompleted():
            return _model_answered(at, event, session, rows)
        case results.ModelCallFailed(call_id=call_id):
            call = rows.get(MODEL_CALLS, (at.session_id, call_id))
            if call is None:
                return session, []
            if session.open_model_call == call_id:
                session = _with(session, open_model_call=None)
            return session, model_call_rows.failed(at, call, event)
        case results.ToolCallCompleted(call_id=call_id):
            return session, tool_call_rows.completed(at, known_call(at, call_id, rows), event)
        case results.ToolCallFailed(call_id=call_id):
            return session, tool_call_rows.failed(at, known_call(at, call_id, rows), event)
        case results.ToolCallPending(call_id=call_id):
            return session, tool_call_rows.pending(known_call(at, call_id, rows), event)
        case results.CallClaimed(call_id=call_id):
            return session, tool_call_rows.claimed(known_call(at, call_id, rows), event)
        case _ as never:
            assert_never(never)


def _model_answered(at: At, event: results.ModelCallCompleted, session: SessionRow, rows: Rows) -> Effects:
    session = _with(
        session,
        input_tokens=session.input_tokens + event.usage.input,
        output_tokens=session.output_tokens + event.usage.output,
        cached_input_tokens=session.cached_input_tokens + event.usage.cached_input,
    )
    call = rows.get(MODEL_CALLS, (at.session_id, event.call_id))
    puts = model_call_rows.completed(at, call, event) if call is not None else []
    if session.open_model_call != event.call_id:
        return session, puts  # cut off before the answer came: its tokens were spent all the same
    puts += message_rows.answered(at, event) + tool_call_rows.planned(at, event)
    return _with(session, open_model_call=None), puts


def _decision(at: At, event: ev.Decision, session: SessionRow, rows: Rows) -> Effects:
    match event:
        case ev.TurnStarted():
            return _with(session, status=Status.RUNNING.value, waiting_calls=_NOBODY), []
        case ev.ModelCallRequested(call_id=call_id):
            number = session.model_call_count + 1
            session = _with(
                session,
                status=Status.RUNNING.value,
                model_call_count=number,
                open_model_call=call_id,
                waiting_calls=_NOBODY,
            )
            return session, model_call_rows.requested(at, number, event)
        case ev.ToolCallRequested(call_id=call_id):
            return session, tool_call_rows.requested(at, known_call(at, call_id, rows), event)
        case ev.ToolCallCancelled(call_id=call_id):
            puts = tool_call_rows.cancelled(at, known_call(at, call_id, rows), event)
            return _no_longer_waits_for(session, call_id), puts
        case ev.Waiting(calls=calls):
            return _with(session, status=Status.WAITING_FOR_INPUT.value, waiting_calls=json_text(calls)), []
        case ev.BecameIdle():
            return _stopped(at, session, rows, status=Status.IDLE.value)
        case ev.TokenLimitHit():
            return _with(session, status=Status.TOKEN_LIMIT_REACHED.value), []
        case ev.Completed():
            return _stopped(at, session, rows, status=Status.COMPLETED.value)
        case ev.Failed(kind=kind, message=message):
            session, puts = _stopped(
                at, session, rows, status=Status.ERROR.value, error_kind=kind, error_message=message
            )
            return session, puts + message_rows.failed(at, kind, message)
        case ev.InputRefused(input=sequence, reason=reason):
            refused = rows.get(MESSAGES, (at.session_id, sequence))
            return session, message_rows.refused(refused, reason) if refused is not None else []
        case ev.Titled(title=title):
            return _with(session, title=title), []
        case ev.MessagesShadowed() | ev.ChildSpawned() | ev.ForkedFrom() | ev.ForkMade() | ev.RolledBack():
            return session, []  # recorded in `events`; the engine's fold doesn't know them yet either
        case _ as never:
            assert_never(never)


def _stopped(at: At, session: SessionRow, rows: Rows, **changes: object) -> Effects:
    """The session does nothing any more; a model call that has not answered yet is cut off."""
    open_call = session.open_model_call
    session = _with(session, open_model_call=None, waiting_calls=_NOBODY, **changes)
    if open_call is None:
        return session, []
    call = rows.get(MODEL_CALLS, (at.session_id, open_call))
    return session, model_call_rows.cut_off(at, call) if call is not None else []


def _answer_to_the_only_question(at: At, text: str, session: SessionRow, rows: Rows) -> Effects:
    """A plain message to a session that waits for one `ask_user` alone is its answer."""
    waits_for: list[str] = msgspec.json.decode(session.waiting_calls)
    if session.status != Status.WAITING_FOR_INPUT or len(waits_for) != 1:
        return session, []
    call = rows.get(TOOL_CALLS, (at.session_id, waits_for[0]))
    if call is None or call.tool != "ask_user":
        return session, []
    answer = tool_call_rows.answered(at, call, {"answer": text, "from_options": False})
    return (_no_longer_waits_for(session, call.call_id) if answer else session), answer


def _no_longer_waits_for(session: SessionRow, call_id: str) -> SessionRow:
    waits_for: list[str] = msgspec.json.decode(session.waiting_calls)
    return _with(session, waiting_calls=json_text([other for other in waits_for if other != call_id]))


def _with(session: SessionRow, **changes: object) -> SessionRow:
    return msgspec.structs.replace(session, **changes)
