"""Which calls of one answer wait for which: those that write keep their place, those of the browser,
and those of the workspace, follow one another, the others run at once."""

from collections.abc import Iterable

from agent_contracts.tool_spec import Effect, RunsOn
from session_domain.domain.messages import CallStatus, SessionToolCall
from session_domain.domain.state import SessionState

_IN_TURN = (RunsOn.BROWSER, RunsOn.WORKSPACE)


def may_start(state: SessionState, call: SessionToolCall) -> bool:
    """Whether a call of the last answer need not wait for those before it.

    A `recorded` call begins when all before it have ended, and those after it begin when it has ended. So
    each call sees what the `recorded` ones before it wrote, and nothing of those after it. In between, calls
    run at once, but those of the browser one after another, and so do those of the workspace: each sees the
    page, or the folder, as the one before left it. A call that waits for people or for sub-sessions keeps
    nobody.
    """
    before = tuple(_under_way(state.batch[: state.batch.index(call)]))
    if call.effect is Effect.RECORDED:
        return not before
    if call.runs_on in _IN_TURN and any(earlier.runs_on is call.runs_on for earlier in before):
        return False
    return all(earlier.effect is not Effect.RECORDED for earlier in before)


def _under_way(calls: Iterable[SessionToolCall]) -> Iterable[SessionToolCall]:
    return (call for call in calls if not call.status.is_final and call.status is not CallStatus.PENDING)
