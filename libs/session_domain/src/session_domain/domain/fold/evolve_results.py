"""The fold of results: what models and tools answered. Total and pure."""

from typing import assert_never

import msgspec

from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.moments import later_by
from agent_contracts.outside import Sources, joined, placed
from agent_contracts.session_events import results
from agent_contracts.session_events.results import Result
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import RunsOn
from session_domain.domain import window
from session_domain.domain.changes import SessionChanges
from session_domain.domain.messages import CallStatus, SessionMessage, SessionToolCall
from session_domain.domain.rules import approvals, failed_turns, overflows, quarantine
from session_domain.domain.rules.compaction import full_again
from session_domain.domain.rules.endings import broken_off, is_said, may_pend, takes_error, takes_result
from session_domain.domain.rules.engine_tools import reported
from session_domain.domain.rules.evolve_calls import with_call
from session_domain.domain.rules.tasks import after_code, tasks_after
from session_domain.domain.state import SessionState

_ToolResult = results.ToolCallCompleted | results.ToolCallFailed | results.ToolCallPending


UNATTENDED_MS = 24 * 3600 * 1000
"""For so long a session that no person began waits for an answer, unless the call says for how long."""


def by_result(state: SessionState, recorded: RecordedEvent[SessionEvent], event: Result) -> SessionChanges:
    """What a result does; nothing where no call that was requested waits for it."""
    match event:
        case results.ModelCallCompleted():
            return _model_answered(state, recorded.sequence, event)
        case results.ModelCallFailed(call_id=call_id, kind=kind):
            if state.cut_call is not None and state.cut_call.call_id == call_id:
                return {"cut_call": None}
            if state.model_call is None or state.model_call.call_id != call_id:
                return {}
            too_long = kind is results.ModelFailure.CONTEXT_LENGTH
            if too_long and (shorter := overflows.too_long(state, event)) is not None:
                return shorter
            if state.is_stopping:
                return {"model_call": None}
            failed = failed_turns.failed(state, event, recorded.envelope.time)
            return {**failed, **overflows.given_up(state, event)} if too_long else failed
        case results.ToolCallCompleted() | results.ToolCallFailed() | results.ToolCallPending():
            return _tool_answered(state, recorded.sequence, event, recorded.envelope.time)
        case _ as never:
            assert_never(never)


def _tool_answered(state: SessionState, sequence: int, event: _ToolResult, time: str) -> SessionChanges:
    call = state.call(event.call_id)
    if call is None:
        return {}
    if isinstance(event, results.ToolCallPending):
        if not may_pend(call.runs_on, call.status, event):
            return {}
        if event.expires_at is None and approvals.is_unattended(state, event):
            event = msgspec.structs.replace(event, expires_at=later_by(time, UNATTENDED_MS))
    elif isinstance(event, results.ToolCallFailed):
        if not takes_error(call.runs_on, call.status, goes_on=call.resume is not None):
            return {}
    elif not takes_result(call.runs_on, call.status):
        return {}
    ended = _with_result(state, call, event)
    if isinstance(event, results.ToolCallPending) and call.needs_yes:
        ended = msgspec.structs.replace(ended, asked_at=sequence)
    changes = with_call(state, ended)
    if ended.outside:
        changes["outside"] = joined(state.outside, ended.outside)
    if call.runs_on is RunsOn.ENGINE:
        changes["reported"] = reported(ended) or state.reported
        changes["tasks"] = tasks_after(state, ended)
    elif not isinstance(event, results.ToolCallPending) and event.tasks:
        changes["tasks"] = after_code(state, event.tasks)
    return changes


def _with_result(state: SessionState, call: SessionToolCall, event: _ToolResult) -> SessionToolCall:
    match event:
        case results.ToolCallCompleted(outside=outside):
            return msgspec.structs.replace(
                call,
                status=CallStatus.COMPLETED,
                result=event.result,
                excerpt=event.excerpt,
                pictures=event.pictures,
                outside=_placed(state, call, outside),
                resumed=None,
            )
        case results.ToolCallFailed(error=error, outside=outside):
            brought = _placed(state, call, outside)
            return msgspec.structs.replace(
                call,
                status=CallStatus.FAILED,
                error=error,
                outside=brought,
                expires_at=None,
                resume=None,
                resumed=None,
            )
        case results.ToolCallPending(show=show, expires_at=expires_at, resume=resume):
            return msgspec.structs.replace(
                call, status=CallStatus.PENDING, show=show, expires_at=expires_at, resume=resume
            )
        case _ as never:
            assert_never(never)


def _placed(state: SessionState, call: SessionToolCall, outside: Sources) -> Sources:
    """What the call brought itself came by its request."""
    return placed(outside, str(call.requested), state.session_id) if outside else ()


def _model_answered(state: SessionState, sequence: int, event: results.ModelCallCompleted) -> SessionChanges:
    if state.cut_call is not None and state.cut_call.call_id == event.call_id:
        return {"cut_call": None, **_said(state, sequence, broken_off(event))}
    if state.model_call is None or state.model_call.call_id != event.call_id:
        return {}  # rewound before the answer came: its tokens were spent all the same
    cut_off = event.cut == "token_limit"
    refused = quarantine.found(state, event)
    over: SessionChanges = {**refused, "model_call": None, "failures": 0, "cut_off": cut_off}
    if event.purpose == "summary":
        if event.cut:
            return over
        return {**over, "summary": event.text or "(nothing of note)", "summarised": event.summarised}
    answered = not event.tool_calls or event.cut == "repetition"
    return {**over, "answered": answered, **_said(state, sequence, event)}


def _said(state: SessionState, sequence: int, event: results.ModelCallCompleted) -> SessionChanges:
    """What a model said stays in the history, and what it took is known."""
    if not is_said(event):
        return {}
    took = event.usage.in_window
    if event.usage.counted:
        took = state.window.of(event.model).real(took)
    message = SessionMessage(
        sequence,
        "assistant",
        event.text,
        incomplete=event.incomplete,
        thoughts=event.thoughts,
        thinking=event.thinking,
        thought_by=event.model if event.thoughts or event.thinking else None,
    )
    taken: SessionChanges = {
        "context_tokens": took,
        "window": window.answered(state.window, event),
        "full_again": full_again(state, took),
        "refusals": 0,
        "history": state.history.append(message),
        "batch": tuple(_planned(asked, bool(state.outside or event.outside)) for asked in event.tool_calls),
        "thinks": state.thinks or message.returns_thinking,
    }
    if event.outside:
        taken["outside"] = joined(state.outside, event.outside)
    if event.usage.input:
        taken["least_input"] = min(event.usage.input, state.least_input or event.usage.input)
    return taken


def _planned(asked: results.ResolvedCall, swayed: bool) -> SessionToolCall:
    """A call that couldn't be resolved, or was answered by whoever resolved it, is over at once."""
    over = CallStatus.FAILED if asked.error else CallStatus.COMPLETED if asked.result is not None else None
    return SessionToolCall(
        call_id=asked.call_id,
        tool=asked.tool,
        arguments=asked.arguments,
        runs_on=asked.runs_on,
        effect=asked.effect,
        status=over or CallStatus.PLANNED,
        result=asked.result,
        error=asked.error,
        through=asked.through,
        judged=asked.judged,
        swayed=swayed,
        urls=asked.urls,
        name=asked.name,
        alias_of=asked.alias_of,
        as_sent=asked.as_sent,
    )
