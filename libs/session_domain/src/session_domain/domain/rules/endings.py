"""What ends a call, and what it came to. Coded once: for the fold, and for the rows people look at."""

import msgspec

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.log.record.session_subjects import ENGINE_AS_RUNNER
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import results
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import RunsOn
from session_domain.domain.messages import CallStatus

_CANCELLED = {
    ErrorKind.CANCELLED: "the user stopped this call before it had a result",
    ErrorKind.EXPIRED: "nobody answered in time",
}
NEVER_RAN = ToolError(
    ErrorKind.CANCELLED,
    "the answer was broken off here, so this call never ran: make it again if it is still needed",
)
"""What a call of an answer that was broken off has in place of a result."""
_ENDED = frozenset(status.value for status in CallStatus if status.is_final)
_WITH_THE_RUNNER = frozenset({"requested", "running"})
"""Rows tell the two apart, the fold needn't: a claim changes nothing."""


def takes_result(runs_on: str, status: str) -> bool:
    """Whether a result would be the ending of a call that stands so.

    The engine answers its own calls unrequested, or when they are pending. What is pending with people ends
    by their answer, and a call that has ended stays as it is: the first ending in the log counts.
    """
    return status not in _ENDED if runs_on == RunsOn.ENGINE else status in _WITH_THE_RUNNER


def takes_error(runs_on: str, status: str, *, goes_on: bool) -> bool:
    """Whether an error would be the ending of a call that stands so. One that `goes_on` with what people
    answer also ends by an error before they do: who held it has stopped."""
    return takes_result(runs_on, status) or (goes_on and status == CallStatus.PENDING)


def may_pend(runs_on: str, status: str, event: results.ToolCallPending) -> bool:
    """Whether a call that stands so waits for people from here on: as its runner says, or as the engine does,
    before one runs that needs a person's yes."""
    if event.runner == ENGINE_AS_RUNNER and status == CallStatus.PLANNED:
        return True
    return takes_result(runs_on, status)


def why_cancelled(event: ev.ToolCallCancelled) -> ToolError:
    """What a cancelled call has in place of a result."""
    return ToolError(event.kind, event.message or _CANCELLED.get(event.kind, "this call was cancelled"))


def broken_off(answer: results.ModelCallCompleted) -> results.ModelCallCompleted:
    """The answer to a call that was stopped before: whole or not, nothing that it asks for is run."""
    calls = tuple(
        call
        if call.error is not None or call.result is not None
        else msgspec.structs.replace(call, error=NEVER_RAN)
        for call in answer.tool_calls
    )
    return msgspec.structs.replace(answer, cut=answer.cut or "stopped", tool_calls=calls)


def is_said(answer: results.ModelCallCompleted) -> bool:
    """Whether the answer is a message: a summary isn't, nor one that was stopped before it said anything."""
    return answer.purpose != "summary" and (answer.says_something or answer.cut is None)


def usage_of(event: SessionEvent) -> results.Usage | None:
    """What an event says was spent, whatever became of its call; None: nothing."""
    match event:
        case results.ModelCallCompleted(usage=usage):
            return usage
        case (
            results.ToolCallCompleted(usage=usage)
            | results.ToolCallFailed(usage=usage)
            | results.ToolCallPending(usage=usage)
        ):
            return usage
        case _:
            return None
