"""What each session event does to the rows. Total over the closed union, and as the engine's fold has it."""

from typing import assert_never

import msgspec

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import Usage
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.sessions.open_questions import answer_to_question, question_answered_by_message
from projections.json_text import json_text_or_none
from projections.project import attention, message_rows, model_call_rows, tool_call_rows
from projections.project.batch_rows import BatchRows, PutRow
from projections.project.decision_rows import decided
from projections.project.effects import Effects, no_longer_waits_for, thinking_columns, with_changes
from projections.project.event_place import EventPlace, known_call, reaching
from projections.project.failed_turns import is_woken, may_be_retried, retried, waits_no_more
from projections.project.message_queue import joined_queue
from projections.project.unprojectable import Unprojectable
from projections.project.usage_json import usage_text
from projections.segments import as_column
from projections.session_tables import (
    MESSAGES,
    MODEL_CALLS,
    OPEN_CALLS,
    SESSIONS,
    STAGES,
    TOOL_CALLS,
    SessionRow,
    StageRow,
    ToolCallRow,
)
from session_domain.domain.rules.endings import broken_off, is_said
from session_domain.domain.state import Status

_OfToolCall = (
    results.ToolCallCompleted | results.ToolCallFailed | results.ToolCallPending | results.CallClaimed
)


def session_puts(at: EventPlace, event: SessionEvent, rows: BatchRows) -> list[PutRow]:
    """The rows that an event of a session makes or changes.

    Raises `Unprojectable` if the session was never created, or was already.
    """
    session = rows.get(SESSIONS, (at.session_id,))
    if isinstance(event, inputs.Created):
        if session is not None:
            raise Unprojectable("the session was created before", kind="created_twice")
        return staged(at, None, _created(at, event))
    if session is None:
        raise Unprojectable("the session was never created", kind="no_session")
    if session.agent_id != at.agent_id:
        raise Unprojectable(f"the session is agent {session.agent_id}'s", kind="bad_subject")
    changed, puts = _effects(at, event, reaching(at, session, event), rows)
    changed = with_changes(changed, woken=is_woken(changed))
    if attention.may_change(event, session, changed, puts, rows):
        changed = with_changes(changed, attention_place=at.place)
    return [*staged(at, session, changed), *puts]


def staged(at: EventPlace, before: SessionRow | None, session: SessionRow) -> list[PutRow]:
    """The session's row, with the row of the stage that begins here, if one does."""
    if before is not None and _stage_of(before) == _stage_of(session):
        return [PutRow(SESSIONS, session)]
    session = with_changes(session, stage_count=session.stage_count + 1)
    stage = StageRow(session.session_id, session.stage_count, at.place, *_stage_of(session))
    return [PutRow(SESSIONS, session), PutRow(STAGES, stage)]


def _stage_of(session: SessionRow) -> tuple[str, str | None, str | None, str | None, int | None]:
    thinking = session.thinking_effort, session.thinking_budget
    return session.status, session.title, session.newest_model_call, *thinking


def _effects(at: EventPlace, event: SessionEvent, session: SessionRow, rows: BatchRows) -> Effects:
    match event:
        case (
            inputs.Created()
            | inputs.UserMessage()
            | inputs.ToolResponse()
            | inputs.ReminderDue()
            | inputs.TimerDue()
            | inputs.Woken()
            | inputs.OutcomeSettled()
            | inputs.ChildFinished()
            | inputs.Continued()
            | inputs.ThinkingChanged()
            | inputs.Interrupted()
            | inputs.Archived()
            | inputs.Reopened()
            | inputs.Renamed()
            | inputs.Pinned()
            | inputs.Feedback()
            | inputs.RewindRequested()
            | inputs.RetryAsked()
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
            | ev.ReportAsked()
            | ev.TokenLimitHit()
            | ev.Completed()
            | ev.Failed()
            | ev.TurnFailed()
            | ev.ToolQuarantined()
            | ev.MessagesShadowed()
            | ev.InputRefused()
            | ev.ChildSpawned()
            | ev.ForkedFrom()
            | ev.ForkMade()
            | ev.Rewound()
            | ev.Titled()
        ):
            return decided(at, event, session, rows)
        case _ as never:
            assert_never(never)


def _created(at: EventPlace, event: inputs.Created) -> SessionRow:
    return SessionRow(
        session_id=at.session_id,
        agent_id=event.agent_id,
        parent_id=event.parent_id,
        parent_call_id=event.parent_call_id,
        depth=event.depth,
        title=event.title,
        status=Status.IDLE.value,
        model=event.model,
        **thinking_columns(event.thinking),
        begun_by=json_text_or_none(event.begun_by and msgspec.to_builtins(event.begun_by)),
        token_limit=event.token_limit,
        created_at=at.time,
        active_at=at.time,
        updated_at=at.time,
        last_sequence=at.address.sequence,
        usage=usage_text(Usage(0, 0)),
        attention_place=at.place if event.begun_by is not None and event.begun_by.late else None,
        segments=as_column([(at.session_id, 0, None)]),
    )


def _input(at: EventPlace, event: inputs.Input, session: SessionRow, rows: BatchRows) -> Effects:
    match event:
        case inputs.UserMessage(text=text, files=files):
            session, answer = _answer_to_the_only_question(at, event, session, rows)
            read = session if answer else joined_queue(at, session)
            return read, message_rows.said(at, text, files, by=event) + answer
        case inputs.ToolResponse(call_id=call_id, response=response):
            call = rows.get(TOOL_CALLS, (at.session_id, call_id))
            answer = tool_call_rows.answered(at, call, response) if call is not None else []
            return (no_longer_waits_for(session, call_id) if answer else session), answer
        case inputs.ReminderDue(quiet=quiet):
            told = session if quiet else joined_queue(at, session)
            return told, message_rows.said(at, event.text, source="reminder")
        case inputs.Woken(message=text):
            return joined_queue(at, session), message_rows.said(at, text, wake=event)
        case inputs.OutcomeSettled(message=text):
            return joined_queue(at, session), message_rows.said(at, text, source="outcome")
        case inputs.Continued() if Status(session.status).is_terminal:
            return session, []  # it will be refused
        case inputs.Continued(token_limit=token_limit):
            return with_changes(session, token_limit=token_limit), []
        case inputs.ThinkingChanged() if Status(session.status).is_terminal:
            return session, []  # it will be refused
        case inputs.ThinkingChanged(thinking=thinking):
            return with_changes(session, **thinking_columns(thinking)), []
        case inputs.Interrupted():
            return waits_no_more(session), []
        case inputs.Renamed(title=title):
            return with_changes(session, title=title), []
        case inputs.Pinned(pinned=pinned):
            return with_changes(session, pinned=pinned), []
        case inputs.Feedback():
            rated = rows.get(MESSAGES, (at.session_id, message_rows.rated_place(event)))
            return session, message_rows.rated(rated, event) if rated is not None else []
        case inputs.TimerDue(purpose="call_resumes", call_id=str(call_id)):
            call = rows.get(TOOL_CALLS, (at.session_id, call_id))
            again = tool_call_rows.resumed(call) if call is not None else []
            return (no_longer_waits_for(session, call_id) if again else session), again
        case inputs.TimerDue(purpose="retry", call_id=call_id):
            waits = session.newest_model_call == call_id and may_be_retried(session)
            return (retried(session) if waits else session), []
        case inputs.RetryAsked():
            return retried(session), []
        case (
            inputs.Created()
            | inputs.TimerDue()
            | inputs.ChildFinished()
            | inputs.Archived()
            | inputs.Reopened()
            | inputs.RewindRequested()
        ):
            return session, []
        case _ as never:
            assert_never(never)


def _result(
    at: EventPlace, event: results.Result | results.CallClaimed, session: SessionRow, rows: BatchRows
) -> Effects:
    match event:
        case results.ModelCallCompleted():
            return _model_answered(at, event, session, rows)
        case results.ModelCallFailed(call_id=call_id):
            call = rows.get(MODEL_CALLS, (at.session_id, call_id))
            if call is None:
                return session, []
            if session.open_model_call == call_id:
                session = with_changes(session, open_model_call=None)
            if session.cut_model_call == call_id:
                session = with_changes(session, cut_model_call=None)
            return session, model_call_rows.failed(at, call, event)
        case _:
            asked = rows.get(TOOL_CALLS, (at.session_id, event.call_id))
            return session, _of_tool_call(at, asked, event) if asked is not None else []


def _of_tool_call(at: EventPlace, call: ToolCallRow, event: _OfToolCall) -> list[PutRow]:
    """What becomes of a call that a model asked for; one that none asked for counts for nothing."""
    match event:
        case results.ToolCallCompleted():
            return tool_call_rows.completed(at, call, event)
        case results.ToolCallFailed():
            return tool_call_rows.failed(at, call, event)
        case results.ToolCallPending():
            return tool_call_rows.pending(at, call, event)
        case results.CallClaimed():
            return tool_call_rows.claimed(call, event)
        case _ as never:
            assert_never(never)


def _model_answered(
    at: EventPlace, event: results.ModelCallCompleted, session: SessionRow, rows: BatchRows
) -> Effects:
    if session.cut_model_call == event.call_id:
        event, over = broken_off(event), with_changes(session, cut_model_call=None)
    elif session.open_model_call == event.call_id:
        over = with_changes(session, open_model_call=None)
    else:
        over = None  # rewound before the answer came: its tokens were spent all the same
    call = rows.get(MODEL_CALLS, (at.session_id, event.call_id))
    puts = model_call_rows.completed(at, call, event) if call is not None else []
    if over is None:
        return session, puts
    if not is_said(event):
        return over, puts
    return over, puts + message_rows.answered(at, event) + tool_call_rows.planned(at, event)


def _answer_to_the_only_question(
    at: EventPlace, said: inputs.UserMessage, session: SessionRow, rows: BatchRows
) -> Effects:
    """A plain message to a session that waits for one question alone is its answer."""
    waits_for: list[str] = msgspec.json.decode(session.waiting_calls)
    waited_for = [known_call(at, call_id, rows) for call_id in waits_for]
    open_calls = [call for call in waited_for if call.status in OPEN_CALLS]
    asked = question_answered_by_message(session.status, open_calls)
    if asked is None:
        return session, []
    answer = tool_call_rows.answered(at, asked, answer_to_question(said.text, files=said.files))
    return no_longer_waits_for(session, asked.call_id), answer
