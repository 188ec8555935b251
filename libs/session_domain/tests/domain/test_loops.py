"""A turn that goes round fails, and says so; what only looks alike goes on."""

from typing import Any

import msgspec
import pytest

from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import SessionId
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ToolCallFailed
from foldline_testing.session_domain.story import (
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
from session_domain.domain.rules.loops import MOST_POLLS, MOST_SAME
from session_domain.domain.state import Status


def called(told: Story, tool: str = "get_state", result: object = None, **changes: Any) -> Story:
    """The model calls a tool once more, and gets this."""
    wanted = wants(told, tool, **changes)
    return told.given(answers(told, calls=[wanted])).given(done(wanted.call_id, result))


def said_of(told: Story) -> str:
    """What is said of the turn that failed."""
    assert told.state.failed_turn is not None
    return told.state.failed_turn.message


def is_over(told: Story) -> bool:
    return told.state.status is Status.IDLE


def test_the_same_call_with_the_same_outcome_five_times_running_fails_the_turn() -> None:
    told = story().given(says())
    for _ in range(MOST_SAME - 1):
        told = called(told, result={"value": 1})
        assert not is_over(told)
    wanted = wants(told, "get_state")
    told = told.given(answers(told, calls=[wanted]))
    told = told.given(done(wanted.call_id, {"value": 1}))
    assert is_over(told)
    failed = told.state.failed_turn
    assert failed is not None
    assert (failed.kind, failed.retryable, failed.retry_at) == ("loop", False, None)
    assert failed.message.startswith("The model called get_state 5 times in a row")
    assert failed.message.endswith("so its turn was stopped.")


@pytest.mark.parametrize("what", ["arguments", "result", "tool", "said"])
def test_calls_that_differ_are_no_loop(what: str) -> None:
    told = story().given(says())
    for number in range(3 * MOST_SAME):
        match what:
            case "arguments":
                told = called(told, arguments={"n": number})
            case "result":
                told = called(told, result=number)
            case "tool":
                told = called(told, f"tool_{number % 2}")
            case _:
                wanted = wants(told, "get_state")
                told = told.given(answers(told, calls=[wanted])).given(says("go on"), done(wanted.call_id))
    assert told.state.model_call is not None


def test_errors_that_repeat_are_a_loop_as_well() -> None:
    told = story().given(says())
    for _ in range(MOST_SAME):
        wanted = wants(told, "get_state")
        error = ToolError(ErrorKind.UPSTREAM, "no answer")
        told = told.given(answers(told, calls=[wanted]))
        told = told.given(ToolCallFailed(wanted.call_id, error, "r"))
    assert told.state.failed_turn is not None


def test_tools_that_poll_may_be_asked_fifty_times() -> None:
    told = story().given(says())
    for _ in range(MOST_POLLS - 1):
        told = called(told, "check_inbox", [])
    assert not is_over(told)
    assert is_over(called(told, "check_inbox", []))


def test_a_retry_goes_on_for_as_long_again() -> None:
    told = story().given(says())
    for _ in range(MOST_SAME):
        told = called(told)
    assert is_over(told)
    told = told.given(inputs.RetryAsked())
    for _ in range(MOST_SAME):
        assert current_call(told)
        told = called(told)
    assert is_over(told)
    assert "10 times" in said_of(told)


def test_a_message_goes_on_and_counts_anew() -> None:
    told = story().given(says())
    for _ in range(MOST_SAME):
        told = called(told)
    told = told.given(says("do something else"))
    for _ in range(MOST_SAME):
        assert current_call(told)
        told = called(told)
    assert "5 times" in said_of(told)


@pytest.mark.parametrize(
    "when", ["2026-11-24T10:00:0{}Z", "2026-11-24 10:0{}:00.5+00:00", "Tue, 24 Nov 2026 10:00:0{} GMT"]
)
def test_results_that_differ_by_a_time_alone_are_the_same(when: str) -> None:
    told = story().given(says())
    for number in range(MOST_SAME):
        told = called(told, result={"state": "open", "at": when.format(number)})
    assert is_over(told)


def long(told: Story, blob: str, number: int) -> Story:
    """The model calls a tool whose result is too long for it."""
    wanted = wants(told, "db_sql")
    kept = Excerpt("first", "last", BlobRef(blob, 300_000 + len(set(blob))), file_id=f"f_{number}")
    result = msgspec.structs.replace(done(wanted.call_id), excerpt=kept)
    return told.given(answers(told, calls=[wanted])).given(result)


def test_the_file_that_each_long_result_has_makes_it_no_other() -> None:
    told = story().given(says())
    for number in range(MOST_SAME):
        told = long(told, "ab" * 32, number)
    assert is_over(told)


def test_long_results_of_other_sizes_are_no_loop() -> None:
    told = story().given(says())
    for number in range(3 * MOST_SAME):
        told = long(told, "0123456789abcdef"[: number + 1], number)
    assert current_call(told)


def several(told: Story, *tools: str) -> Story:
    """One answer asks for all of these at once."""
    wanted = [wants(told, tool, index) for index, tool in enumerate(tools)]
    told = told.given(answers(told, calls=wanted))
    return told.given(*(done(one.call_id) for one in wanted))


def test_calls_of_one_answer_are_one_round() -> None:
    assert current_call(several(story().given(says()), *["get_state"] * (2 * MOST_SAME)))


def test_answers_that_make_the_same_calls_in_any_order_are_a_loop() -> None:
    told = story().given(says())
    for number in range(MOST_SAME):
        assert not is_over(told)
        told = several(told, *(("get_state", "db_sql") if number % 2 else ("db_sql", "get_state")))
    assert "called db_sql and get_state 5 times" in said_of(told)


def test_what_a_person_answers_each_time_is_no_loop() -> None:
    told = story().given(says())
    for _ in range(2 * MOST_SAME):
        wanted = wants(told, "ask_user")
        told = told.given(answers(told, calls=[wanted]), asks(wanted.call_id, "Go on?"))
        told = told.given(responds(wanted.call_id, "yes"))
    assert current_call(told)


def test_what_waited_for_the_next_turn_begins_it() -> None:
    told = story().given(says())
    for _ in range(MOST_SAME - 1):
        told = called(told)
    told = called(told.given(inputs.Woken("mail", "a letter came", "w1")))
    assert told.state.status is Status.RUNNING
    assert current_call(told)


def test_a_chat_that_went_round_can_be_rewound_and_goes_on() -> None:
    told = story().given(says())
    for _ in range(MOST_SAME - 1):
        told = called(told)
    before = told.state.rest_sequence
    told = called(told).given(inputs.RewindRequested(before, ("conversation",)))
    assert told.state.failed_turn is None
    told = called(told.given(says("again")))
    assert current_call(told)


def test_a_sub_session_that_goes_round_ends_and_its_parent_hears_why() -> None:
    told = story(parent_id=SessionId("s_parent"), depth=1).given(says())
    for _ in range(MOST_SAME):
        told = called(told)
    assert told.state.failure is not None
    assert told.state.failure.kind == "loop"
