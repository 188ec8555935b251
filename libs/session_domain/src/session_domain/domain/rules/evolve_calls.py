"""What events do to the calls of an answer, whoever caused them. Pure."""

from collections.abc import Iterable

import msgspec

from agent_contracts.errors import LogCorrupt
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources, joined
from agent_contracts.session_events.decisions import ResumedCall
from agent_contracts.session_events.results import Resume
from session_domain.domain.changes import SessionChanges
from session_domain.domain.messages import CallStatus, SessionMessage, SessionToolCall
from session_domain.domain.state import SessionState


def asked_call(state: SessionState, sequence: int, call_id: CallId) -> SessionToolCall:
    """The call that event `sequence` is about. Raises `LogCorrupt` where no model asked for it."""
    call = state.call(call_id)
    if call is None:
        raise LogCorrupt(f"event {sequence} names call {call_id!r}, which no model asked for")
    return call


def outside_with(known: Sources, messages: Iterable[SessionMessage]) -> Sources:
    """Where material came from, once the model is shown these messages."""
    return joined(known, [one for message in messages for one in message.outside])


def finished(state: SessionState, call: SessionToolCall, result: Json) -> SessionChanges:
    """The call has its result."""
    return with_call(state, msgspec.structs.replace(call, status=CallStatus.COMPLETED, result=result))


def goes_on(state: SessionState, call: SessionToolCall, answer: Json = None) -> SessionChanges:
    """The pending call is asked for again, with what a person answered, if one did."""
    resume = call.resume or Resume()
    since = call.requested if call.resumed is None else call.resumed.since
    resumed = ResumedCall(since or 0, resume.round, resume.state, answer, resume.looks)
    again = msgspec.structs.replace(
        call, status=CallStatus.PLANNED, expires_at=None, resume=None, resumed=resumed
    )
    return with_call(state, again)


def with_call(state: SessionState, changed: SessionToolCall) -> SessionChanges:
    """The call as it is now, in its place among the others of the answer."""
    same = changed.call_id
    return {"batch": tuple(changed if call.call_id == same else call for call in state.batch)}


def closed_batch(state: SessionState) -> SessionChanges:
    """The calls of the last answer have all ended: they move into its message."""
    if not state.batch:
        return {}
    answer = msgspec.structs.replace(state.history[-1], tool_calls=state.batch)
    return {"history": state.history.set(len(state.history) - 1, answer), "batch": ()}
