"""Turns that failed: when one goes on by itself, and what it is told until then. Pure."""

import math

import msgspec

from agent_contracts.errors import LogCorrupt
from agent_contracts.ids import CallId
from agent_contracts.moments import later_by
from agent_contracts.session_events.decisions import TurnFailed
from agent_contracts.session_events.inputs import TimerDue
from agent_contracts.session_events.results import ModelCallFailed
from session_domain.domain.changes import SessionChanges
from session_domain.domain.state import SessionState, Status, TurnFailure

LONGEST_WAIT_S = 86_400.0
"""A server that wants to be left alone for longer is not asked again unless a person says so."""


def failed(state: SessionState, event: ModelCallFailed, time: str) -> SessionChanges:
    """The turn's model call failed for good at `time`. A warning that was not given will be given later."""
    asked_for = event.retry_after_s
    turn = TurnFailure(
        call_id=event.call_id,
        asked=state.model_call.requested if state.model_call else 0,
        kind=event.kind.value,
        message=event.message,
        retryable=event.retryable,
        retry_at=_retry_at(state, event, time),
        server=event.server,
        setting=event.setting,
        not_before=None if asked_for is None else _later(time, min(asked_for, LONGEST_WAIT_S)),
    )
    warned = state.model_call is not None and state.model_call.purpose != "warning"
    return {
        "model_call": None,
        "failed_turn": turn,
        "failures": state.failures + 1,
        "compacting": state.compacting if warned else None,
    }


def told(state: SessionState, event: TurnFailed, sequence: int) -> SessionChanges:
    """The event that says that the turn failed was made: after a model call that failed, or by itself.

    By itself, it had read all but what waits for the next turn, which begins at once if there is any.
    """
    if state.failed_turn is None:
        failed = TurnFailure(
            CallId(""), 0, event.kind, event.message, event.retryable, failed_sequence=sequence
        )
        return {"failed_turn": failed}
    return {"failed_turn": msgspec.structs.replace(state.failed_turn, failed_sequence=sequence)}


def is_woken(state: SessionState) -> bool:
    """Whether an idle session has something to do. What it was told before a turn failed wakes it no more:
    it would fail at once again."""
    known = state.failed_turn.asked if state.failed_turn is not None else 0
    return state.retrying or any(message.sequence > known and not message.quiet for message in state.queue)


def waits_no_more(state: SessionState) -> SessionChanges:
    """Only a person goes on with it from now on."""
    if state.failed_turn is None:
        return {}
    return {"failed_turn": msgspec.structs.replace(state.failed_turn, retry_at=None), "retrying": False}


def time_to_retry(state: SessionState, event: TimerDue) -> SessionChanges:
    """Its timer came due; one of an earlier failure means nothing any more."""
    turn = state.failed_turn
    if turn is None or turn.retry_at is None or turn.call_id != event.call_id:
        return {}
    return {"retrying": True} if state.status is Status.IDLE else {}


def retry_asked(state: SessionState) -> SessionChanges:
    """A person wants it to go on now. What waits for that begins to count anew."""
    return {"retrying": True, "failures": 0} if state.failed_turn is not None else {}


def _retry_at(state: SessionState, event: ModelCallFailed, time: str) -> str | None:
    delays = state.limits.retry_delays_s
    if not event.retryable or state.failures >= len(delays):
        return None
    wait_s = max(delays[state.failures], event.retry_after_s or 0.0)
    return _later(time, wait_s) if wait_s <= LONGEST_WAIT_S else None


def _later(time: str, seconds: float) -> str:
    try:
        return later_by(time, math.ceil(seconds * 1000))
    except ValueError as error:
        raise LogCorrupt(f"a model call failed at {time}: {error}") from error
