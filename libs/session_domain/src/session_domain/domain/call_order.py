"""Which calls of one answer wait for which: those that write keep their place, the others run at once."""

from collections.abc import Iterable

from agent_contracts.tool_spec import Effect
from session_domain.domain.state import CallStatus, Session, ToolCall


def may_start(state: Session, call: ToolCall) -> bool:
    """Whether a call of the last answer need not wait for those before it.

    A `recorded` call begins when all before it have ended, and those after it begin when it has ended. So
    each call sees what the `recorded` ones before it wrote, and nothing of those after it. In between, calls
    run at once. A call that waits for people or for sub-sessions keeps nobody.
    """
    before = _under_way(state.batch[: state.batch.index(call)])
    if call.effect is Effect.RECORDED:
        return not any(before)
    return all(earlier.effect is not Effect.RECORDED for earlier in before)


def _under_way(calls: Iterable[ToolCall]) -> Iterable[ToolCall]:
    return (call for call in calls if not call.status.is_final and call.status is not CallStatus.PENDING)
