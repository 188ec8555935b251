"""Whatever happens to a session, its rows say what the engine's fold says."""

import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import RunsOn
from agent_platform.log.port import StoredMessage
from session_engine.domain.decide import decide
from session_engine.domain.state import CallStatus, Session
from session_engine.projections.segments import Segment, segments_of
from session_engine.projections.tables import MESSAGES, SESSIONS, TOOL_CALLS
from session_engine.testing.projecting import MemoryTables, as_messages
from session_engine.testing.story import (
    SESSION,
    ForkStory,
    Story,
    answers,
    asks,
    current_call,
    done,
    responds,
    says,
    story,
    wants,
)

STEPS = [
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
COMMON = STEPS[:1] * 30 + STEPS[:8] * 10 + STEPS[:-2] * 6 + STEPS
"""Mostly what goes on; seldom what ends it all."""
TOOLS = ["look", "ask_user", "unknown"]
ENGINE_TOOLS = ["spawn_session", "fork_session", "wait_for_sessions", "begin_task", "end_task", "cancel_task"]


def calls(told: Story, *statuses: CallStatus) -> list[str]:
    """The session's own calls in these states (any, if none is named), without those it was forked with."""
    own = [m for m in told.state.messages() if m.sequence > told.recorded[0].sequence]
    return sorted(c.call_id for m in own for c in m.tool_calls if not statuses or c.status in statuses)


def wanted_call(told: Story, tool: str, index: int) -> results.ResolvedCall:
    if tool not in ENGINE_TOOLS:
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
        case "expire" if call := one_of(calls(told, CallStatus.PENDING)):
            told.add(inputs.TimerDue(timer_id="t", purpose="call_expiry", call_id=CallId(call)))
        case "run_out_of_time":
            told.add(inputs.TimerDue(timer_id="t", purpose="run_timeout"))
        case "continue":
            told.add(inputs.Continued(token_limit=told.state.token_limit + 100))
        case "answer" if told.state.model_call is not None:
            tools = data.draw(st.lists(st.sampled_from([*TOOLS, *TOOLS, *ENGINE_TOOLS]), max_size=3))
            wanted = [wanted_call(told, tool, index) for index, tool in enumerate(tools)]
            answer = answers(told, "text", wanted, data.draw(st.integers(0, 90)))
            window = data.draw(st.sampled_from([None, 50]))
            told.add(msgspec.structs.replace(answer, context_window=window))
        case "finish" if call := one_of(calls(told, CallStatus.REQUESTED, CallStatus.CANCELLED)):
            told.add(done(call, "ok"))
        case "pause" if call := one_of(calls(told, CallStatus.REQUESTED)):
            told.add(asks(call))
        case "respond" if call := one_of(calls(told)):
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
    for step in steps:
        take(told, step, data)


def folded(messages: list[StoredMessage], data: st.DataObject) -> MemoryTables:
    tables = MemoryTables()
    size = data.draw(st.integers(1, 10))
    for start in range(0, len(messages), size):
        tables.fold(messages[start : start + size])
    return tables


def is_seen(segments: list[Segment], session_id: str, sequence: int) -> bool:
    return any(
        owner == session_id and after < sequence and (up_to is None or sequence <= up_to)
        for owner, after, up_to in segments
    )


def rows_agree(tables: MemoryTables, state: Session) -> None:
    """The session's rows, and those of others that its history begins with, say what the fold says."""
    row = tables.rows(SESSIONS)[(state.session_id,)]
    assert row.status == state.status.value
    assert (row.title, row.model, row.token_limit) == (state.title, state.model, state.token_limit)
    assert row.last_sequence == state.last_sequence
    assert (row.input_tokens, row.output_tokens) == (state.totals.input, state.totals.output)
    assert (row.model_call_count, row.open_model_call) == (
        state.model_calls,
        state.model_call.call_id if state.model_call else None,
    )
    origin = state.forked_from
    assert (row.forked_from_id, row.forked_from_at is not None) == (
        (origin.session_id, True) if origin else (None, False)
    )
    segments = segments_of(row.segments)
    seen = {
        key: call
        for key, call in tables.rows(TOOL_CALLS).items()
        if is_seen(segments, key[0], call.message_sequence)
    }
    assert {key[1]: _shown(call) for key, call in seen.items()} == {
        call.call_id: (
            call.status.value,
            call.tool,
            call.result,
            call.error and (call.error.kind.value, call.error.message),
        )
        for call in state.all_calls()
    }
    said = {m.sequence: (m.role, m.text) for m in [*state.history, *state.queue]}
    shown = {
        key[1]: (m.role, m.text)
        for key, m in tables.rows(MESSAGES).items()
        if is_seen(segments, key[0], m.sequence)
    }
    assert said.items() <= shown.items()
    assert all(role in ("error", "summary", "user") for sequence, (role, _) in shown.items() - said.items())


def _shown(call: Any) -> tuple[Any, ...]:
    error = json.loads(call.error) if call.error else None
    return (
        call.status,
        call.tool,
        json.loads(call.result) if call.result else None,
        error and (error["kind"], error["message"]),
    )


SOME_STEPS = st.integers(0, 60).flatmap(lambda n: st.lists(st.sampled_from(COMMON), min_size=n, max_size=n))


@settings(max_examples=150, deadline=None)
@given(steps=SOME_STEPS, data=st.data())
def test_the_rows_of_any_story_are_what_the_fold_says(steps: list[str], data: st.DataObject) -> None:
    told = story(token_limit=600)
    live(told, steps, data)
    rows_agree(folded(as_messages(told.recorded, SESSION), data), told.state)


@settings(max_examples=80, deadline=None)
@given(before=SOME_STEPS, after=SOME_STEPS, data=st.data())
def test_the_rows_of_a_fork_and_of_its_fork_are_what_the_fold_says(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    told = story(token_limit=600)
    live(told, before, data)
    messages = as_messages(told.recorded, SESSION)
    for name in ("s_2", "s_3"):
        at = data.draw(st.sampled_from([recorded.sequence for recorded in told.recorded]))
        told = ForkStory(told, at, SessionId(name), token_limit=300)
        live(told, after, data)
        messages += as_messages(told.recorded, told.state.session_id)
    rows_agree(folded(messages, data), told.state)
