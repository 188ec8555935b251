"""Rows of events that stand several in a record: each by its own address, N.i."""

from typing import Any

import pytest

from agent_contracts.address import Address, at_place
from agent_contracts.session_events import inputs
from agent_platform.log.port import StoredMessage
from projections.log_tables import EVENTS
from projections.segments import is_in, segments_of
from projections.session_tables import MESSAGES, MODEL_CALLS, SESSIONS, STAGES, TOOL_CALLS
from projector.testing.projecting import MemoryTables
from projector.testing.records import committed
from session_domain.testing.messages import as_messages
from session_domain.testing.story import Story, answers, done, says, story, wants


def looked() -> Story:
    """A turn of one tool call."""
    told = story().given(says("look"))
    told.given(answers(told, "I look.", [wants(told, "look")]))
    return told.given(done(told.state.batch[0].call_id)).given(answers(told, "seen"))


def messages_of(told: Story) -> list[StoredMessage]:
    return committed(as_messages(told.recorded, told.state.session_id))


def address_of(messages: list[StoredMessage], event_type: str, number: int = 0) -> Address:
    """Where the session's event of a type stands."""
    found = [one for one in messages if one.event_type.split(".")[2] == event_type]
    return found[number].address


def test_every_event_of_a_record_has_a_row_and_its_address() -> None:
    messages = messages_of(looked())
    kept = MemoryTables().fold(messages).rows(EVENTS)
    assert [at_place(place) for (place,) in kept] == [one.address for one in messages]
    assert {at_place(place).part for (place,) in kept} == {None, 0, 1}


def test_calls_name_the_events_of_their_own() -> None:
    messages = messages_of(looked())
    tables = MemoryTables().fold(messages)
    [call] = tables.rows(TOOL_CALLS).values()
    first, second = sorted(tables.rows(MODEL_CALLS).values(), key=lambda one: one.number)
    assert at_place(call.requested_place) == address_of(messages, "tool_call_requested")
    assert at_place(call.result_place) == address_of(messages, "tool_call_completed")
    assert at_place(second.requested_place) == address_of(messages, "model_call_requested", 1)
    assert at_place(second.requested_place).sequence == at_place(call.result_place).sequence
    assert call.message_place == first.result_place in {place for _, place in tables.rows(MESSAGES)}


def test_one_by_one_or_record_by_record_the_rows_are_the_same() -> None:
    messages = messages_of(looked())
    one_by_one = MemoryTables()
    for message in messages:
        one_by_one.fold([message])
    together = MemoryTables().fold(messages)
    for table in (EVENTS, SESSIONS, STAGES, MESSAGES, TOOL_CALLS, MODEL_CALLS):
        assert one_by_one.rows(table) == together.rows(table)


@pytest.mark.parametrize(("at", "stays"), [("tool_call_completed", 2), ("tool_call_requested", 1)])
def test_going_back_to_a_record_keeps_what_came_before_its_open_call(at: str, stays: int) -> None:
    told = looked()
    record = address_of(messages_of(told), at).sequence
    told.given(inputs.RollbackAsked(to=record, parts=("conversation",)))
    tables = MemoryTables().fold(messages_of(told))
    session: Any = tables.rows(SESSIONS)[(told.state.session_id,)]
    segments = segments_of(session.segments)
    left = [
        row.text for (owner, place), row in tables.rows(MESSAGES).items() if is_in(segments, (owner, place))
    ]
    assert left == ["look", "I look."][:stays]
    _, _, cut = segments[0]
    assert cut is not None
    if at == "tool_call_completed":
        assert at_place(cut) == address_of(messages_of(told), at)
