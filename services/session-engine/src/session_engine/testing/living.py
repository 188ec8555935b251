"""Lives of sessions that Hypothesis makes up: whatever can happen to one, in any order."""

from typing import Any

import msgspec
from hypothesis import strategies as st

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import RunsOn
from session_engine.domain.decide import decide
from session_engine.domain.state import CallStatus
from session_engine.testing.story import (
    Story,
    answers,
    asks,
    current_call,
    done,
    responds,
    says,
    wants,
)

_STEPS = [
    "settle",
    "one_step",
    "say",
    "stop",
    "continue",
    "answer",
    "finish",
    "pause",
    "respond",
    "fail",
    "go_back",
    "child_ends",
    "expire",
    "archive",
    "run_out_of_time",
]
_COMMON = _STEPS[:1] * 30 + _STEPS[:8] * 10 + _STEPS[:-2] * 6 + _STEPS
"""Mostly what goes on; seldom what ends it all."""
_TOOLS = ["look", "ask_user", "unknown"]
_ENGINE_TOOLS = [
    "spawn_session",
    "fork_session",
    "wait_for_sessions",
    "begin_task",
    "end_task",
    "cancel_task",
]


def _calls(told: Story, *statuses: CallStatus) -> list[str]:
    """The session's own calls in these states (any, if none is named), without those it was forked with."""
    own = [m for m in told.state.messages() if m.sequence > told.recorded[0].sequence]
    return sorted(c.call_id for m in own for c in m.tool_calls if not statuses or c.status in statuses)


def _wanted_call(told: Story, tool: str, index: int) -> results.ResolvedCall:
    if tool not in _ENGINE_TOOLS:
        error = ToolError(ErrorKind.UNKNOWN_TOOL, "no such tool") if tool == "unknown" else None
        return wants(told, tool, index, error=error)
    arguments: dict[str, dict[str, Any]] = {
        "wait_for_sessions": {"ids": [child.child_id for child in told.state.children]},
        "begin_task": {"title": "t"},
        "end_task": {"summary": "s"},
        "cancel_task": {},
    }
    given = arguments.get(tool, {"task": "look"})
    return wants(told, tool, index, runs_on=RunsOn.ENGINE, arguments=given)


def take(told: Story, step: str, data: st.DataObject) -> None:
    """One thing happens, if it can happen now; `data` chooses what is left open."""

    def one_of(known: list[str]) -> str | None:
        return data.draw(st.sampled_from(known)) if known else None

    match step:
        case "settle":
            told.settle()
        case "one_step" if (decision := decide(told.state)) is not None:
            told.add(decision)
        case "say":
            told.add(says("hello"))
        case "stop":
            told.add(inputs.Interrupted())
        case "archive":
            told.add(inputs.Archived())
        case "go_back":
            points = [recorded.sequence for recorded in told.recorded]
            told.add(inputs.RollbackAsked(to=data.draw(st.sampled_from(points)), parts=("conversation",)))
        case "child_ends" if told.state.children:
            child = data.draw(st.sampled_from(told.state.children))
            told.add(
                inputs.ChildFinished(
                    child_id=child.child_id, status="completed", result="r", at=told.state.last_sequence
                )
            )
        case "expire" if call := one_of(_calls(told, CallStatus.PENDING)):
            told.add(inputs.TimerDue(timer_id="t", purpose="call_expiry", call_id=CallId(call)))
        case "run_out_of_time":
            told.add(inputs.TimerDue(timer_id="t", purpose="run_timeout"))
        case "continue":
            told.add(inputs.Continued(token_limit=told.state.token_limit + 100))
        case "answer" if told.state.model_call is not None:
            tools = data.draw(st.lists(st.sampled_from([*_TOOLS, *_TOOLS, *_ENGINE_TOOLS]), max_size=3))
            wanted = [_wanted_call(told, tool, index) for index, tool in enumerate(tools)]
            answer = answers(told, "text", wanted, data.draw(st.integers(0, 90)))
            window = data.draw(st.sampled_from([None, 50]))
            told.add(msgspec.structs.replace(answer, context_window=window))
        case "finish" if call := one_of(_calls(told, CallStatus.REQUESTED, CallStatus.CANCELLED)):
            told.add(done(call, "ok"))
        case "pause" if call := one_of(_calls(told, CallStatus.REQUESTED)):
            told.add(asks(call))
        case "respond" if call := one_of(_calls(told)):
            told.add(responds(call, "answer"))
        case "fail" if told.state.model_call is not None:
            told.add(
                results.ModelCallFailed(
                    call_id=current_call(told),
                    kind=results.ModelFailure.OVERLOADED,
                    message="busy",
                    model="m",
                )
            )


def live(told: Story, steps: list[str], data: st.DataObject) -> None:
    """All of it happens."""
    for step in steps:
        take(told, step, data)


SOME_STEPS = st.integers(0, 60).flatmap(lambda n: st.lists(st.sampled_from(_COMMON), min_size=n, max_size=n))
"""What happens, one thing after another."""
