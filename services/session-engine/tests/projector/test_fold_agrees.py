"""Whatever happens to a session, its rows say what the engine's fold says."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.session_events import inputs, results
from session_engine.domain.decide import decide
from session_engine.domain.state import CallStatus
from session_engine.projections.tables import MESSAGES, SESSIONS, TOOL_CALLS
from session_engine.testing.projecting import MemoryTables, as_messages
from session_engine.testing.story import (
    SESSION,
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
    "archive",
]
COMMON = STEPS[:2] * 3 + STEPS[:9] * 3 + STEPS


def calls(told: Story, *statuses: CallStatus) -> list[str]:
    return sorted(c.call_id for c in told.state.all_calls() if not statuses or c.status in statuses)


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
        case "continue":
            told.add(inputs.Continued(token_limit=told.state.token_limit + 100))
        case "answer" if told.state.model_call is not None:
            tools = data.draw(st.lists(st.sampled_from(["look", "ask_user", "unknown"]), max_size=3))
            error = ToolError(ErrorKind.UNKNOWN_TOOL, "no such tool")
            wanted = [
                wants(told, tool, index, error=error if tool == "unknown" else None)
                for index, tool in enumerate(tools)
            ]
            told.add(answers(told, "text", wanted, data.draw(st.integers(0, 90))))
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


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(st.sampled_from(COMMON), max_size=60), data=st.data())
def test_the_rows_of_any_story_are_what_the_fold_says(steps: list[str], data: st.DataObject) -> None:
    told = story(token_limit=300)
    for step in steps:
        take(told, step, data)
    tables = MemoryTables()
    messages = as_messages(told.recorded, SESSION)
    size = data.draw(st.integers(1, 10))
    for start in range(0, len(messages), size):
        tables.fold(messages[start : start + size])

    state, row = told.state, tables.rows(SESSIONS)[(SESSION,)]
    assert row.status == state.status.value
    assert (row.title, row.token_limit, row.last_sequence) == (
        state.title,
        state.token_limit,
        state.last_sequence,
    )
    assert (row.input_tokens, row.output_tokens) == (state.totals.input, state.totals.output)
    assert (row.model_call_count, row.open_model_call) == (
        state.model_calls,
        state.model_call.call_id if state.model_call else None,
    )
    assert {key[1]: _shown(call) for key, call in tables.rows(TOOL_CALLS).items()} == {
        call.call_id: (call.status.value, call.tool, call.result, call.error and call.error.kind.value)
        for call in state.all_calls()
    }
    said = {m.sequence: (m.role, m.text) for m in [*state.history, *state.queue]}
    shown = {key[1]: (m.role, m.text) for key, m in tables.rows(MESSAGES).items()}
    assert said.items() <= shown.items()


def _shown(call: Any) -> tuple[Any, ...]:
    error = json.loads(call.error)["kind"] if call.error else None
    return call.status, call.tool, json.loads(call.result) if call.result else None, error
