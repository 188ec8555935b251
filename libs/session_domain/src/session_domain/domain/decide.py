"""The decision: the next event that a session calls for. Pure; no clock, no randomness, no catalogue."""

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import model_call_id
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.decisions import Decision
from agent_contracts.tool_spec import RunsOn
from session_domain.domain.messages import CallStatus
from session_domain.domain.rules import (
    approvals,
    compaction,
    engine_tools,
    failed_turns,
    loops,
    quarantine,
    tasks,
    workers,
)
from session_domain.domain.rules.call_order import may_start
from session_domain.domain.rules.engine_calls import Decided
from session_domain.domain.shown import sub_sessions
from session_domain.domain.state import SessionState, Status

TITLE_LENGTH = 80
"""The longest title taken from a first message, in characters."""


_BY_REPORT = "this session ended with report_result before the call had a result"
_BY_REWIND = "the user took the session back to an earlier point before the call had a result"
"""Who ended a call that has no result."""


def decide(state: SessionState) -> Decided | None:
    """The next event this state calls for, or None. The engine appends it, folds it, and asks again."""
    if state.position == 0:
        return None
    if state.refused:
        return _refuse(state)
    if state.status.is_terminal:
        return _rewind(state)
    if state.archiving:
        return _cancel_next(state, _by_archiving(state)) or ev.Completed(reason="archived")
    if state.reported is not None:
        return _cancel_next(state, _BY_REPORT) or ev.Completed(reason="reported", result=state.reported)
    if state.failure is not None:
        why = f"this session ended in an error before the call had a result: {state.failure.message}"
        return _cancel_next(state, why) or ev.Failed(kind=state.failure.kind, message=state.failure.message)
    if state.interrupting:
        cut_off = state.model_call.call_id if state.model_call else None
        return _cancel_next(state, "") or ev.BecameIdle(reason="interrupted", cancelled_model_call=cut_off)
    if state.rewinds:
        return _rewind(state)
    if (worker := workers.ready(state)) is not None:
        return worker
    match state.status:
        case Status.IDLE:
            if failed_turns.is_woken(state):
                return ev.TurnStarted()
            return _given_up(state) or _without_report(state)
        case Status.RUNNING | Status.WAITING_FOR_INPUT:
            return _next_step(state)
        case _:
            return None


def _next_step(state: SessionState) -> Decided | None:
    if state.model_call is not None:
        return None
    if state.refused_tools:
        return quarantine.entering(state.refused_tools[0])
    if state.failed_turn is not None:
        failed = state.failed_turn
        return ev.TurnFailed(failed.kind, failed.message, failed.retryable, failed.retry_at, failed.setting)
    if (hidden := tasks.hidden_next(state)) is not None:
        return hidden
    open_calls = state.open_calls()
    if not open_calls:
        return _ask_the_model(state)
    for call in open_calls:
        if call.call_id in state.expired:
            return ev.ToolCallCancelled(call.call_id, ErrorKind.EXPIRED, approvals.why_expired(call))
        if call.status is CallStatus.PLANNED and not may_start(state, call):
            continue
        if call.needs_yes:
            if call.status is CallStatus.PLANNED:
                return approvals.asked(state, call)
            continue
        if call.runs_on is RunsOn.ENGINE:
            answered = engine_tools.answer(state, call)
            if answered is not None:
                return answered
        elif call.status is CallStatus.PLANNED:
            return approvals.requested(state, call)
    all_pending = all(call.status is CallStatus.PENDING for call in open_calls)
    if all_pending and state.status is Status.RUNNING:
        return ev.Waiting(calls=tuple(call.call_id for call in open_calls))
    return None


def _without_report(state: SessionState) -> Decision | None:
    """What becomes of a sub-session that is idle, which nobody would wake: it is asked once, then ended."""
    if not state.owes_report or state.cut_call is not None:
        return None
    if state.report_asked:
        return ev.Completed(reason="unreported", result=state.last_text)
    return ev.ReportAsked(message=sub_sessions.REPORT_NOW)


def _ask_the_model(state: SessionState) -> Decision | None:
    if state.cut_call is not None:
        return None  # what it had streamed belongs before the next answer, and counts before the limit
    if state.cut_off:
        return ev.TokenLimitHit(used=state.totals.tokens, limit=state.token_limit)
    if state.summary is not None:
        return compaction.shadow(state, state.summary)
    if state.compacting is not None and compaction.hidden_next(state):
        return ev.ModelCallRequested(model_call_id(state.position), state.model, purpose="summary")
    joining = [message for message in state.queue if not message.waits]
    goes_on = any(not message.quiet for message in joining)
    if state.answered and not goes_on:
        return ev.BecameIdle()
    if not goes_on and (looped := loops.found(state)) is not None:
        return looped
    if state.title is None and joining:
        return ev.Titled(title=title_from(joining[0].text))
    if state.totals.tokens >= state.token_limit:
        return ev.TokenLimitHit(used=state.totals.tokens, limit=state.token_limit)
    if compaction.is_due(state):
        return ev.ModelCallRequested(model_call_id(state.position), state.model, purpose="warning")
    return ev.ModelCallRequested(
        call_id=model_call_id(state.position),
        model=state.model,
        joins=tuple(message.sequence for message in joining),
    )


def _given_up(state: SessionState) -> Decision | None:
    """A sub-session whose turn failed and won't go on by itself: its parent has to hear."""
    failed = state.failed_turn
    if failed is None or failed.retry_at is not None or state.parent_id is None:
        return None
    return ev.Failed(failed.kind, failed.message)


def _cancel_next(state: SessionState, why: str) -> Decision | None:
    """The cancellation of the first call without an ending, so that each call is paired. `why` says who ended
    it; empty: the user, by Stop."""
    for call in state.open_calls():
        return ev.ToolCallCancelled(call_id=call.call_id, message=why)
    return None


def _by_archiving(state: SessionState) -> str:
    """Who ended the session by archiving it: a sub-session's parent, which ended or was archived itself."""
    if state.parent_id is None:
        return "the user archived this session before the call had a result"
    return f"the parent session {state.parent_id} ended this sub-session before the call had a result"


def _rewind(state: SessionState) -> Decision | None:
    """Decide the oldest requested rewind. Calls are cancelled first only if the conversation goes back."""
    for wanted in state.rewinds:
        stopped_first = _cancel_next(state, _BY_REWIND) if wanted.conversation else None
        return stopped_first or ev.Rewound(wanted.to, wanted.requested, wanted.parts, wanted.including)
    return None


def _refuse(state: SessionState) -> Decision:
    """What came while the session was closed; it may be open again by now."""
    is_closed = state.status.is_terminal
    reason = f"the session is {state.status.value}" if is_closed else "the session was archived"
    return ev.InputRefused(input=state.refused[0], reason=reason)


def title_from(text: str) -> str:
    """A title out of a first message: its first line, cut at a word where it is long."""
    lines = text.strip().splitlines()
    line = lines[0].strip() if lines else "New session"
    if len(line) <= TITLE_LENGTH:
        return line
    return line[:TITLE_LENGTH].rsplit(" ", 1)[0] + "…"
