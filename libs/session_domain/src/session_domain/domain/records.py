"""Which events of a session are committed together, as one record of the log. Pure."""

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import results
from agent_contracts.session_events.results import Result
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import RunsOn
from session_domain.domain.rules.endings import takes_result
from session_domain.domain.state import SessionState

_GOES_ON = (ev.TurnStarted, ev.Titled)
_MODEL_RESULTS = (results.ModelCallCompleted, results.ModelCallFailed)


def may_be_followed(event: SessionEvent, by_engine: bool) -> bool:
    """Whether the next decision goes into the same record.

    Not behind what others look up or act on by its subject: a record's subject is that of its last event. So
    requests of work end a record, and spread over workers by it.
    """
    return isinstance(event, _GOES_ON) or (isinstance(event, Result) and not by_engine)


def awaits(state: SessionState, result: Result) -> bool:
    """Whether this would be the ending of a call that a worker has in hand."""
    if isinstance(result, _MODEL_RESULTS):
        known = (state.model_call, state.cut_call)
        return any(one is not None and one.call_id == result.call_id for one in known)
    call = state.call(result.call_id)
    return call is not None and call.runs_on is not RunsOn.ENGINE and takes_result(call.runs_on, call.status)
