"""The fold: what each event does to a session. Total and pure."""

from typing import assert_never

import msgspec

from agent_contracts.codec import Recorded
from agent_contracts.errors import ErrorKind, LogCorrupt, Permanent, ToolError
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.union import SessionEvent
from session_engine.domain.state import CallStatus, Failure, Message, ModelCall, Session, Status, ToolCall

FOLD_VERSION = 1
"""Grows whenever an event folds differently or the state's shape changes: older snapshots are ignored."""


def evolve(state: Session, recorded: Recorded[SessionEvent]) -> Session:
    """The session after one more event.

    Raises `LogCorrupt` if the event's writer had seen an event that is missing here, or if it can't
    follow what came before; `Permanent` for events of features this version doesn't have.
    """
    if recorded.sequence <= state.last_sequence:
        raise LogCorrupt(f"event {recorded.sequence} does not come after {state.last_sequence}")
    state = _apply(state, recorded)
    return state.replace(position=state.position + 1, last_sequence=recorded.sequence)


def _apply(state: Session, recorded: Recorded[SessionEvent]) -> Session:
    match recorded.event:
        case (
            inputs.Created()
            | inputs.UserMessage()
            | inputs.ToolResponse()
            | inputs.ReminderDue()
            | inputs.Woken()
            | inputs.Continued()
            | inputs.Interrupted()
            | inputs.Archived()
            | inputs.Renamed()
        ):
            return _input(state, recorded.sequence, recorded.event)
        case (
            results.ModelCallCompleted()
            | results.ModelCallFailed()
            | results.ToolCallCompleted()
            | results.ToolCallFailed()
            | results.ToolCallPending()
        ):
            return _result(state, recorded.sequence, recorded.event)
        case results.CallClaimed():
            return state
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
            | ev.InputRefused()
            | ev.Titled()
        ):
            if recorded.envelope.prev != state.last_sequence:
                raise LogCorrupt(
                    f"event {recorded.sequence} was decided after {recorded.envelope.prev}, "
                    f"but the event before it here is {state.last_sequence}"
                )
            return _decision(state, recorded, recorded.event)
        case (
            inputs.TimerDue()
            | inputs.ChildFinished()
            | inputs.RollbackAsked()
            | ev.MessagesShadowed()
            | ev.ChildSpawned()
            | ev.ForkedFrom()
            | ev.ForkMade()
            | ev.RolledBack()
        ):
            raise Permanent(
                f"event {recorded.sequence}: this version can't fold {recorded.envelope.type} yet",
                kind="unsupported_event",
            )
        case _ as never:
            assert_never(never)


_HandledInput = (
    inputs.Created
    | inputs.UserMessage
    | inputs.ToolResponse
    | inputs.ReminderDue
    | inputs.Woken
    | inputs.Continued
    | inputs.Interrupted
    | inputs.Archived
    | inputs.Renamed
)


def _input(state: Session, sequence: int, event: _HandledInput) -> Session:
    if isinstance(event, inputs.Created):
        return _created(state, event)
    if state.position == 0:
        raise LogCorrupt(f"event {sequence} comes before the session was created")
    if isinstance(event, inputs.Renamed):
        return state.replace(title=event.title)
    if state.status.is_terminal:
        if isinstance(event, inputs.Interrupted | inputs.Archived):
            return state
        return state.replace(refused=(*state.refused, sequence))
    match event:
        case inputs.UserMessage(text=text, files=files):
            asked = _lone_question(state)
            if asked is not None:
                return _finished(state, asked.call_id, {"answer": text, "from_options": False})
            return _queued(state, Message(sequence, "user", text, files=files))
        case inputs.ReminderDue(message=text) | inputs.Woken(message=text):
            return _queued(state, Message(sequence, "user", text))
        case inputs.ToolResponse(call_id=call_id, response=response):
            call = state.calls.get(call_id)
            if call is None or call.status is not CallStatus.PENDING:
                return state
            return _finished(state, call_id, response)
        case inputs.Continued(token_limit=token_limit):
            status = Status.RUNNING if state.status is Status.TOKEN_LIMIT_REACHED else state.status
            return state.replace(token_limit=token_limit, status=status)
        case inputs.Interrupted():
            working = state.status in (Status.RUNNING, Status.WAITING_FOR_INPUT)
            return state.replace(interrupting=state.interrupting or working)
        case inputs.Archived():
            return state.replace(archiving=True)
        case _ as never:
            assert_never(never)


def _created(state: Session, event: inputs.Created) -> Session:
    if state.position:
        raise LogCorrupt("a session can be created only once")
    return state.replace(
        agent_id=event.agent_id,
        title=event.title,
        model=event.model,
        token_limit=event.token_limit,
        parent_id=event.parent_id,
        parent_call_id=event.parent_call_id,
        depth=event.depth,
    )


def _queued(state: Session, message: Message) -> Session:
    return state.replace(queue=(*state.queue, message))


def _lone_question(state: Session) -> ToolCall | None:
    """The `ask_user` call that a plain message answers: the only thing the session waits for."""
    if state.status is not Status.WAITING_FOR_INPUT:
        return None
    match state.open_calls():
        case [ToolCall(tool="ask_user", status=CallStatus.PENDING) as call]:
            return call
    return None


def _finished(state: Session, call_id: CallId, result: Json) -> Session:
    call = state.calls[call_id]
    return state.with_call(msgspec.structs.replace(call, status=CallStatus.COMPLETED, result=result))


def _result(state: Session, sequence: int, event: results.Result) -> Session:
    match event:
        case results.ModelCallCompleted():
            return _model_answered(state, sequence, event)
        case results.ModelCallFailed(call_id=call_id, kind=kind, message=message):
            if state.model_call is None or state.model_call.call_id != call_id:
                return state
            if state.interrupting:
                return state.replace(model_call=None)
            return state.replace(model_call=None, failure=Failure(kind.value, message))
        case results.ToolCallCompleted(call_id=call_id, result=result, excerpt=excerpt):
            changes = {"status": CallStatus.COMPLETED, "result": result, "excerpt": excerpt}
        case results.ToolCallFailed(call_id=call_id, error=error):
            changes = {"status": CallStatus.FAILED, "error": error}
        case results.ToolCallPending(call_id=call_id, show=show):
            changes = {"status": CallStatus.PENDING, "show": show}
        case _ as never:
            assert_never(never)
    call = state.calls.get(call_id)
    if call is None or call.status is CallStatus.PLANNED:
        raise LogCorrupt(f"event {sequence} is the result of call {call_id!r}, which was never requested")
    if call.status is not CallStatus.REQUESTED:
        return state  # it was cancelled first: the first ending in the log counts
    return state.with_call(msgspec.structs.replace(call, **changes))


def _model_answered(state: Session, sequence: int, event: results.ModelCallCompleted) -> Session:
    state = state.replace(totals=state.totals.plus(event.usage))
    if state.model_call is None or state.model_call.call_id != event.call_id:
        return state  # interrupted before the answer came: its tokens were spent all the same
    calls = state.calls.evolver()
    for asked in event.tool_calls:
        calls[asked.call_id] = ToolCall(
            call_id=asked.call_id,
            tool=asked.tool,
            arguments=asked.arguments,
            runs_on=asked.runs_on,
            effect=asked.effect,
            status=CallStatus.FAILED if asked.error else CallStatus.PLANNED,
            error=asked.error,
        )
    ids = tuple(asked.call_id for asked in event.tool_calls)
    return state.replace(
        history=state.history.append(Message(sequence, "assistant", event.text, ids)),
        calls=calls.persistent(),
        batch=ids,
        answered=not ids,
        model_call=None,
    )


_HandledDecision = (
    ev.TurnStarted
    | ev.ModelCallRequested
    | ev.ToolCallRequested
    | ev.ToolCallCancelled
    | ev.Waiting
    | ev.BecameIdle
    | ev.TokenLimitHit
    | ev.Completed
    | ev.Failed
    | ev.InputRefused
    | ev.Titled
)


def _decision(state: Session, recorded: Recorded[SessionEvent], event: _HandledDecision) -> Session:
    match event:
        case ev.TurnStarted():
            return state.replace(
                status=Status.RUNNING, turn_began=recorded.envelope.time, answered=False, batch=()
            )
        case ev.ModelCallRequested(call_id=call_id, joins=joins):
            number = state.model_calls + 1
            return state.replace(
                status=Status.RUNNING,
                history=state.history.extend(m for m in state.queue if m.sequence in joins),
                queue=tuple(m for m in state.queue if m.sequence not in joins),
                model_call=ModelCall(call_id, recorded.sequence, number),
                model_calls=number,
                batch=(),
                answered=False,
            )
        case ev.ToolCallRequested(call_id=call_id):
            call = _known(state, recorded.sequence, call_id)
            return state.with_call(
                msgspec.structs.replace(call, status=CallStatus.REQUESTED, requested=recorded.sequence)
            )
        case ev.ToolCallCancelled(call_id=call_id, kind=kind):
            call = _known(state, recorded.sequence, call_id)
            error = ToolError(kind, _CANCELLED.get(kind, "this call was cancelled"))
            return state.with_call(msgspec.structs.replace(call, status=CallStatus.CANCELLED, error=error))
        case ev.Waiting():
            return state.replace(status=Status.WAITING_FOR_INPUT)
        case ev.BecameIdle():
            return state.replace(status=Status.IDLE, interrupting=False, model_call=None, turn_began=None)
        case ev.TokenLimitHit():
            return state.replace(status=Status.TOKEN_LIMIT_REACHED)
        case ev.Completed():
            return state.replace(status=Status.COMPLETED, model_call=None, archiving=False)
        case ev.Failed(kind=kind, message=message):
            return state.replace(status=Status.ERROR, failure=Failure(kind, message), model_call=None)
        case ev.InputRefused(input=refused):
            return state.replace(refused=tuple(sequence for sequence in state.refused if sequence != refused))
        case ev.Titled(title=title):
            return state.replace(title=title)
        case _ as never:
            assert_never(never)


_CANCELLED = {
    ErrorKind.CANCELLED: "the user stopped this call before it had a result",
    ErrorKind.EXPIRED: "nobody answered in time",
}


def _known(state: Session, sequence: int, call_id: CallId) -> ToolCall:
    call = state.calls.get(call_id)
    if call is None:
        raise LogCorrupt(f"event {sequence} names call {call_id!r}, which no model asked for")
    return call
