"""Whatever happens to a session, its rows say what the engine's fold says."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from agent_contracts.log.address import at_place
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.thinking_choice import ThinkingChoice
from foldline_testing.projector.projecting import MemoryTables
from foldline_testing.session_domain.living import IN_ANY_ORDER, Life
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import all_calls
from projections.project.usage_json import usage_in
from projections.segments import is_in, segments_of
from projections.session_tables import MESSAGES, SESSIONS, TOOL_CALLS
from session_domain.domain.rules.failed_turns import is_woken
from session_domain.domain.state import SessionState, Status

pytestmark = pytest.mark.long


def folded(messages: list[StoredMessage], size: int) -> MemoryTables:
    tables = MemoryTables()
    for start in range(0, len(messages), size):
        tables.fold(messages[start : start + size])
    return tables


def rows_agree(tables: MemoryTables, state: SessionState) -> None:
    """The session's rows, and those of others that its history begins with, say what the fold says."""
    row = tables.rows(SESSIONS)[(state.session_id,)]
    assert row.status == state.status.value
    assert (row.title, row.model, row.token_limit) == (state.title, state.model, state.token_limit)
    thinking = state.thinking or ThinkingChoice()
    assert (row.thinking_effort, row.thinking_budget) == (thinking.effort, thinking.budget)
    assert row.last_sequence == state.last_sequence
    assert usage_in(row.usage) == state.totals
    assert (row.model_call_count, row.open_model_call) == (
        state.model_calls,
        state.model_call.call_id if state.model_call else None,
    )
    assert (json.loads(row.failed_turn) if row.failed_turn else None) == failed_turn_of(state)
    own = {one.sequence for one in state.queue if not one.quiet} & _of_session(tables, state)
    assert {at_place(place).sequence for place in json.loads(row.queued)} == own
    begins = msgspec.structs.replace(state, queue=tuple(one for one in state.queue if one.sequence in own))
    assert row.woken == (state.status is Status.IDLE and is_woken(begins))
    origin = state.forked_from
    assert (row.forked_from_id, row.forked_from_sequence is not None) == (
        (origin.session_id, True) if origin else (None, False)
    )
    segments = segments_of(row.segments)
    seen = {
        key: call
        for key, call in tables.rows(TOOL_CALLS).items()
        if is_in(segments, (key[0], call.message_place))
    }
    assert {key[1]: _shown(call) for key, call in seen.items()} == {
        call.call_id: (
            call.status.value,
            call.tool,
            call.result,
            call.error and (call.error.kind.value, call.error.message),
        )
        for call in all_calls(state)
    }
    said = {m.sequence: (m.role, m.text) for m in [*state.history, *state.queue]}
    shown = {
        at_place(m.place).sequence: (m.role, m.text)
        for key, m in tables.rows(MESSAGES).items()
        if is_in(segments, (key[0], m.place))
    }
    assert said.items() <= shown.items()
    assert all(role in ("error", "summary", "user") for sequence, (role, _) in shown.items() - said.items())


def _of_session(tables: MemoryTables, state: SessionState) -> set[int]:
    messages = tables.rows(MESSAGES).values()
    return {at_place(one.place).sequence for one in messages if one.session_id == state.session_id}


def failed_turn_of(state: SessionState) -> Any:
    """As the column has it."""
    failed = state.failed_turn
    if failed is None or not failed.failed_sequence:
        return None
    return {
        "failed_sequence": failed.failed_sequence,
        "asked": failed.asked,
        "kind": failed.kind,
        "message": failed.message,
        "retryable": failed.retryable,
        "retry_at": failed.retry_at,
        "setting": failed.setting,
        "retrying": state.retrying,
    }


def _shown(call: Any) -> tuple[Any, ...]:
    error = json.loads(call.error) if call.error else None
    return (
        call.status,
        call.tool,
        json.loads(call.result) if call.result else None,
        error and (error["kind"], error["message"]),
    )


class AnyRows(Life):
    """The rows of a session, and of those that its history begins with, in batches of any size."""

    batch = 1

    @rule(size=st.integers(1, 10))
    def batches_are_of_another_size(self, size: int) -> None:
        self.batch = size

    def is_told(self) -> None:
        told = [*self.ancestors, self.story]
        messages = [m for story in told for m in as_messages(story.recorded, story.state.session_id)]
        rows_agree(folded(messages, self.batch), self.story.state)


@pytest.mark.timeout(600)
def test_the_rows_of_any_story_and_of_its_forks_are_what_the_fold_says() -> None:
    run_state_machine_as_test(AnyRows, settings=settings(IN_ANY_ORDER, max_examples=25))
