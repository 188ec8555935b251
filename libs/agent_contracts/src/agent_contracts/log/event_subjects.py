"""Where an event of a session is written: the subject follows from the event."""

from agent_contracts.event import Event
from agent_contracts.ids import CallId
from agent_contracts.log.codec import type_of
from agent_contracts.log.session_key import SessionKey
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import RunsOn

ENGINE_AS_RUNNER = "engine"
"""The `runner` of a tool call that the engine answers itself: its result is a decision."""

_TOOL_RESULTS = (results.ToolCallCompleted, results.ToolCallFailed, results.ToolCallPending)


def subject_of(event: SessionEvent, session: SessionKey) -> str:
    """The subject of an input, a claim, a result or a decision of this session.

    `Rejected` for an id that can't be.
    """
    match event:
        case results.CallClaimed(call_id=call_id):
            return session.claim(call_id)
        case (
            results.ToolCallCompleted(call_id=call_id)
            | results.ToolCallFailed(call_id=call_id)
            | results.ToolCallPending(call_id=call_id)
        ) if answers_its_own_tool(event):
            return session.decision(type_of(event), (RunsOn.ENGINE, call_id))
        case event if isinstance(event, results.Result):
            return session.result(event.call_id)
        case event if isinstance(event, inputs.Input):
            return session.input(type_of(event))
        case _:
            return session.decision(type_of(event), _work_of(event))


def answers_its_own_tool(event: Event) -> bool:
    """Whether it is what the engine answered to a call of one of its own tools."""
    return isinstance(event, _TOOL_RESULTS) and event.runner == ENGINE_AS_RUNNER


def _work_of(decision: SessionEvent) -> tuple[RunsOn | None, CallId] | None:
    """Who is to act on the decision: the subject says it, so that consumers can filter."""
    match decision:
        case ev.ModelCallRequested(call_id=call_id):
            return None, call_id
        case ev.ToolCallRequested(call_id=call_id, runs_on=runs_on):
            return runs_on, call_id
        case _:
            return None
