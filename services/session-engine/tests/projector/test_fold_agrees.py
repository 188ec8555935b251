"""Whatever happens to a session, its rows say what the engine's fold says."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_contracts.ids import SessionId
from agent_platform.log.port import StoredMessage
from session_engine.domain.state import Session
from session_engine.projections.segments import Segment, segments_of
from session_engine.projections.tables import MESSAGES, SESSIONS, TOOL_CALLS
from session_engine.testing.living import SOME_STEPS, live
from session_engine.testing.projecting import MemoryTables, as_messages
from session_engine.testing.story import SESSION, ForkStory, story


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
