"""The fold: what each event does to a session. Total and pure."""

from typing import Any, assert_never, cast

import msgspec

from agent_contracts.codec import Recorded
from agent_contracts.errors import ErrorKind, LogCorrupt, ToolError
from agent_contracts.ids import CallId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.inputs import Input
from agent_contracts.session_events.results import Result
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.subjects import is_decision
from agent_contracts.tool_spec import RunsOn
from session_engine.domain.compaction import KEPT_WHEN_TOO_LONG, visible
from session_engine.domain.engine_tools import reported, tasks_after
from session_engine.domain.running_time import counted
from session_engine.domain.state import (
    KEPT_MESSAGES,
    CallStatus,
    Child,
    Failure,
    Limits,
    Message,
    ModelCall,
    Rollback,
    Session,
    Shadow,
    Status,
    ToolCall,
)

FOLD_VERSION = 7
"""Grows whenever an event folds differently or the state's shape changes: older snapshots are ignored."""

CUT_AT_TOKEN_LIMIT = "token_limit"
"""The finish reason of an answer that was cut off in the middle: the turn isn't over."""

Changes = dict[str, Any]
"""Fields of `Session` and their new values: applied at once, since a replaced struct is copied whole."""

_FOR_ANY_STATUS = (
    inputs.Created,
    inputs.Renamed,
    inputs.Interrupted,
    inputs.Archived,
    inputs.ChildFinished,
    inputs.TimerDue,
)
_INPUTS = Input.__args__
_RESULTS = Result.__args__


def evolve(state: Session, recorded: Recorded[SessionEvent]) -> Session:
    """The session after one more event.

    Raises `LogCorrupt` if the event's writer had seen an event that is missing here, or if it can't
    follow what came before.
    """
    sequence, event = recorded.sequence, recorded.event
    if sequence <= state.last_sequence:
        raise LogCorrupt(f"event {sequence} does not come after {state.last_sequence}")
    if state.position == 0 and not isinstance(event, inputs.Created):
        raise LogCorrupt(f"event {sequence} comes before the session was created")
    if isinstance(event, _RESULTS):
        if is_decision(recorded.subject):
            check_prev(state, recorded)
        changes = _result(state, sequence, event) | _spent(state, event)
    elif isinstance(event, _INPUTS):
        changes = _input(state, sequence, event)
    elif isinstance(event, results.CallClaimed):
        changes = {}
    else:
        check_prev(state, recorded)
        changes = _decision(state, recorded, cast(Decision, event))
    return _moved_on(state, recorded, changes)


def _moved_on(state: Session, recorded: Recorded[SessionEvent], changes: Changes) -> Session:
    sequence = recorded.sequence
    status = changes.get("status", state.status)
    changes |= counted(state, status, recorded.envelope.time)
    model_call = changes.get("model_call", state.model_call)
    batch: tuple[ToolCall, ...] = changes.get("batch", state.batch)
    at_rest = model_call is None and all(call.status.is_final for call in batch)
    return msgspec.structs.replace(
        state,
        position=state.position + 1,
        last_sequence=sequence,
        rest_at=sequence if at_rest else state.rest_at,
        **changes,
    )


def check_prev(state: Session, recorded: Recorded[SessionEvent]) -> None:
    """A decision was made on all that came before it: where something is missing, it shows here."""
    if recorded.envelope.prev != state.last_sequence:
        raise LogCorrupt(
            f"event {recorded.sequence} was decided after {recorded.envelope.prev}, "
            f"but the event before it here is {state.last_sequence}"
        )


def _input(state: Session, sequence: int, event: Input) -> Changes:
    if state.status.is_terminal and not _for_any_status(event):
        return {"refused": (*state.refused, sequence)}
    match event:
        case inputs.UserMessage(text=text, files=files):
            asked = _lone_question(state)
            if asked is not None:
                return _finished(state, asked, result={"answer": text, "from_options": False})
            return _queued(state, Message(sequence, "user", text, files=files))
        case inputs.ReminderDue(message=text) | inputs.Woken(message=text):
            return _queued(state, Message(sequence, "user", text))
        case inputs.ToolResponse(call_id=call_id, response=response):
            call = state.call(call_id)
            if call is None or call.status is not CallStatus.PENDING:
                return {}
            return _finished(state, call, result=response)
        case inputs.Continued(token_limit=token_limit):
            resumed = state.status is Status.TOKEN_LIMIT_REACHED
            return {
                "token_limit": token_limit,
                "cut_off": False,
                "answered": state.answered and not state.cut_off,
                "status": Status.RUNNING if resumed else state.status,
            }
        case inputs.Interrupted():
            working = state.status in (Status.RUNNING, Status.WAITING_FOR_INPUT)
            return {"interrupting": state.interrupting or working}
        case inputs.Archived():
            return {"archiving": not state.status.is_terminal}
        case inputs.Renamed(title=title):
            return {"title": title}
        case inputs.Created():
            return _created(state, event)
        case inputs.ChildFinished():
            return _child_finished(state, event)
        case inputs.RollbackAsked(to=to, parts=parts):
            wanted = Rollback(to, "conversation" in parts)
            return {"rollbacks": (*state.rollbacks, wanted)} if to < sequence else {}
        case inputs.TimerDue():
            return _time_is_over(state, event)
        case _ as never:
            assert_never(never)


def _for_any_status(event: Input) -> bool:
    """Whether even a session that has ended takes it. What it made of its agent's can go back then too."""
    if isinstance(event, inputs.RollbackAsked):
        return "conversation" not in event.parts
    return isinstance(event, _FOR_ANY_STATUS)


def _created(state: Session, event: inputs.Created) -> Changes:
    if state.position:
        raise LogCorrupt("a session can be created only once")
    return {
        "agent_id": event.agent_id,
        "title": event.title,
        "model": event.model,
        "token_limit": event.token_limit,
        "parent_id": event.parent_id,
        "parent_call_id": event.parent_call_id,
        "depth": event.depth,
        "limits": Limits(
            child_depth=event.child_depth,
            child_count=event.child_count,
            child_timeout_s=event.child_timeout_s,
            run_timeout_s=event.run_timeout_s,
        ),
    }


def _child_finished(state: Session, event: inputs.ChildFinished) -> Changes:
    child = state.child(event.child_id)
    if child is None or event.at <= child.ended_at:
        return {}
    ended = msgspec.structs.replace(
        child,
        status=event.status,
        result=event.result,
        error=event.error,
        tokens=event.tokens,
        ended_at=event.at,
    )
    return {"children": tuple(ended if one is child else one for one in state.children)}


def _time_is_over(state: Session, event: inputs.TimerDue) -> Changes:
    if state.status.is_terminal:
        return {}
    match event.purpose:
        case "call_expiry":
            call = state.call(event.call_id) if event.call_id else None
            if call is None or call.status is not CallStatus.PENDING:
                return {}
            return {"expired": (*state.expired, call.call_id)}
        case "run_timeout":
            limit = state.limits.run_timeout_s
            failed = Failure("timeout", f"Timed out after {limit:g}s" if limit else "Timed out")
            return {"failure": failed} if state.status is Status.RUNNING else {}
        case "child_timeout" | "retry":
            return {}
        case _ as never:
            assert_never(never)


def _queued(state: Session, message: Message) -> Changes:
    return {"queue": (*state.queue, message)}


def _lone_question(state: Session) -> ToolCall | None:
    """The `ask_user` call that a plain message answers: the only thing the session waits for."""
    if state.status is not Status.WAITING_FOR_INPUT:
        return None
    match state.open_calls():
        case [ToolCall(tool="ask_user", status=CallStatus.PENDING) as call]:
            return call
    return None


def _spent(state: Session, event: Result) -> Changes:
    """What a tool asked models for counts, whatever became of its call."""
    match event:
        case results.ToolCallCompleted(usage=results.Usage() as usage):
            return {"totals": state.totals.plus(usage)}
        case results.ToolCallFailed(usage=results.Usage() as usage):
            return {"totals": state.totals.plus(usage)}
        case _:
            return {}


def _result(state: Session, sequence: int, event: Result) -> Changes:
    match event:
        case results.ModelCallCompleted():
            return _model_answered(state, sequence, event)
        case results.ModelCallFailed(call_id=call_id, kind=kind, message=message):
            if state.model_call is None or state.model_call.call_id != call_id:
                return {}
            if kind is results.ModelFailure.CONTEXT_LENGTH and _can_shrink(state):
                return {
                    "model_call": None,
                    "compacting": "too_long",
                    "kept_messages": KEPT_WHEN_TOO_LONG,
                }
            failure = None if state.is_stopping else Failure(kind.value, message)
            return {"model_call": None, "failure": failure}
        case results.ToolCallCompleted(call_id=call_id, result=result, excerpt=excerpt):
            changes = {"status": CallStatus.COMPLETED, "result": result, "excerpt": excerpt}
        case results.ToolCallFailed(call_id=call_id, error=error):
            changes = {"status": CallStatus.FAILED, "error": error}
        case results.ToolCallPending(call_id=call_id, show=show, expires_at=expires_at):
            changes = {"status": CallStatus.PENDING, "show": show, "expires_at": expires_at}
        case _ as never:
            assert_never(never)
    call = state.call(call_id)
    if call is None or call.status.is_final:
        return {}  # it was cancelled first: the first ending in the log counts
    if call.runs_on is RunsOn.ENGINE:
        ended = msgspec.structs.replace(call, **changes)
        tasks = tasks_after(state, ended)
        return _with_call(state, ended) | {"reported": reported(ended) or state.reported, "tasks": tasks}
    if call.status is CallStatus.PENDING:
        return {}
    if call.status is CallStatus.PLANNED:
        raise LogCorrupt(f"event {sequence} is the result of call {call_id!r}, which was never requested")
    return _with_call(state, msgspec.structs.replace(call, **changes))


def _model_answered(state: Session, sequence: int, event: results.ModelCallCompleted) -> Changes:
    totals = state.totals.plus(event.usage)
    if state.model_call is None or state.model_call.call_id != event.call_id:
        return {"totals": totals}  # interrupted before the answer came: its tokens were spent all the same
    if state.model_call.purpose == "summary":
        return {"totals": totals, "model_call": None, "summary": event.text or "(nothing of note)"}
    return {
        "totals": totals,
        "context_tokens": event.usage.input + event.usage.output,
        "context_window": event.context_window or state.context_window,
        "history": state.history.append(Message(sequence, "assistant", event.text)),
        "batch": tuple(_planned(asked) for asked in event.tool_calls),
        "answered": not event.tool_calls,
        "cut_off": event.finish_reason == CUT_AT_TOKEN_LIMIT,
        "model_call": None,
    }


def _can_shrink(state: Session) -> bool:
    """Whether a request that was too long can be made shorter."""
    return state.compacting is None and len(visible(state)) > KEPT_WHEN_TOO_LONG


def _planned(asked: results.ResolvedCall) -> ToolCall:
    """A call that couldn't be resolved is over at once: its error is its result."""
    return ToolCall(
        call_id=asked.call_id,
        tool=asked.tool,
        arguments=asked.arguments,
        runs_on=asked.runs_on,
        effect=asked.effect,
        status=CallStatus.FAILED if asked.error else CallStatus.PLANNED,
        error=asked.error,
    )


def _decision(state: Session, recorded: Recorded[SessionEvent], event: Decision) -> Changes:
    match event:
        case ev.ToolCallRequested(call_id=call_id):
            call = _known(state, recorded.sequence, call_id)
            requested = msgspec.structs.replace(
                call, status=CallStatus.REQUESTED, requested=recorded.sequence
            )
            return _with_call(state, requested)
        case ev.ModelCallRequested():
            return _model_asked(state, recorded.sequence, event)
        case ev.TurnStarted():
            return {"status": Status.RUNNING, "turn_began": recorded.envelope.time, "answered": False}
        case ev.BecameIdle():
            over = {"status": Status.IDLE, "interrupting": False, "model_call": None, "turn_began": None}
            return over | _closed_batch(state)
        case ev.Waiting():
            return {"status": Status.WAITING_FOR_INPUT}
        case ev.ToolCallCancelled(call_id=call_id, kind=kind, message=message):
            call = _known(state, recorded.sequence, call_id)
            error = ToolError(kind, message or _CANCELLED.get(kind, "this call was cancelled"))
            cancelled = msgspec.structs.replace(call, status=CallStatus.CANCELLED, error=error)
            expired = tuple(one for one in state.expired if one != call_id)
            return _with_call(state, cancelled) | {"expired": expired}
        case ev.ChildSpawned(call_id=call_id, child_id=child_id):
            call = _known(state, recorded.sequence, call_id)
            asked = msgspec.structs.replace(call, status=CallStatus.REQUESTED, requested=recorded.sequence)
            return _with_call(state, asked) | {"children": (*state.children, Child(child_id, call_id))}
        case ev.ForkMade():
            return {}
        case ev.TokenLimitHit():
            return {"status": Status.TOKEN_LIMIT_REACHED}
        case ev.Completed():
            over = {"status": Status.COMPLETED, "archiving": False}
            return over | _ended(state)
        case ev.Failed(kind=kind_of_failure, message=message):
            failed = {
                "status": Status.ERROR,
                "failure": Failure(kind_of_failure, message),
            }
            return failed | _ended(state)
        case ev.InputRefused(input=refused):
            return {"refused": tuple(sequence for sequence in state.refused if sequence != refused)}
        case ev.Titled(title=title):
            return {"title": title}
        case ev.RolledBack(conversation=False):
            return {"rollbacks": state.rollbacks[1:]}
        case ev.ForkedFrom() | ev.RolledBack():
            raise ValueError(f"{type(event).__name__} points at the past: fold it with `rewind.adopt`")
        case ev.MessagesShadowed():
            return _shadowed(state, event)
        case _ as never:
            assert_never(never)


def _ended(state: Session) -> Changes:
    """What is true of every session that has ended: its conversation stays as it is."""
    others = tuple(rollback for rollback in state.rollbacks if not rollback.conversation)
    return {"model_call": None, "rollbacks": others} | _closed_batch(state)


def _model_asked(state: Session, sequence: int, event: ev.ModelCallRequested) -> Changes:
    number = state.model_calls + 1
    closed = _closed_batch(state)
    history = closed.get("history", state.history)
    joining = [message for message in state.queue if message.sequence in event.joins]
    return closed | {
        "status": Status.RUNNING,
        "history": history.extend(joining) if joining else history,
        "queue": tuple(message for message in state.queue if message.sequence not in event.joins),
        "model_call": ModelCall(event.call_id, sequence, number, event.purpose),
        "compacting": _COMPACTING.get(event.purpose),
        "model_calls": number,
        "answered": False,
    }


_COMPACTING = {"warning": "warned", "summary": "summarised"}


def _shadowed(state: Session, event: ev.MessagesShadowed) -> Changes:
    shadows = (*state.shadows, Shadow(event.first, event.last, event.summary))
    if event.reason == "compaction":
        return {
            "shadows": shadows,
            "summary": None,
            "compacting": None,
            "kept_messages": KEPT_MESSAGES,
            "context_tokens": 0,
            "answered": False,
        }
    ending = next(call for call in state.open_calls() if call.tool == "end_task")
    asked = msgspec.structs.replace(ending, status=CallStatus.REQUESTED)
    return _with_call(state, asked) | {"shadows": shadows}


_CANCELLED = {
    ErrorKind.CANCELLED: "the user stopped this call before it had a result",
    ErrorKind.EXPIRED: "nobody answered in time",
}


def _known(state: Session, sequence: int, call_id: CallId) -> ToolCall:
    call = state.call(call_id)
    if call is None:
        raise LogCorrupt(f"event {sequence} names call {call_id!r}, which no model asked for")
    return call


def _finished(state: Session, call: ToolCall, **changes: Any) -> Changes:
    return _with_call(state, msgspec.structs.replace(call, status=CallStatus.COMPLETED, **changes))


def _with_call(state: Session, changed: ToolCall) -> Changes:
    same = changed.call_id
    return {"batch": tuple(changed if call.call_id == same else call for call in state.batch)}


def _closed_batch(state: Session) -> Changes:
    """The calls of the last answer have all ended: they move into its message."""
    if not state.batch:
        return {}
    answer = msgspec.structs.replace(state.history[-1], tool_calls=state.batch)
    return {"history": state.history.set(len(state.history) - 1, answer), "batch": ()}
