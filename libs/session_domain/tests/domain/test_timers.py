"""Which timers a session needs, and how long it has been running."""

from typing import Any, Literal

import msgspec
import pytest

from agent_contracts.errors import LogCorrupt
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.timers import Timer
from agent_contracts.moments import later_by, milliseconds_between
from agent_contracts.session_events import inputs
from foldline_testing.session_domain.story import (
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
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.state import Status
from session_domain.domain.timers import timers

SOON = "2026-01-31T12:40:00.000Z"


def child(**more: Any) -> Story:
    """A sub-session that may run for two minutes."""
    return story(run_timeout_s=120.0, parent_id=SessionId("s_parent"), depth=1, **more)


def asking(told: Story, **question: Any) -> CallId:
    """The model asks the user; the call that waits."""
    call_id = CallId(f"{current_call(told)}-00")
    told.given(answers(told, "", [wants(told, "ask_user")]))
    told.given(asks(call_id, **question))
    return call_id


def due_times(told: Story) -> dict[str, str]:
    return {timer.purpose: timer.due_at for timer in timers(told.state)}


def test_a_question_that_expires_needs_a_timer_until_it_is_answered() -> None:
    told = story().given(says())
    call_id = asking(told, expires_at=SOON)
    state = told.state
    assert timers(state) == [Timer(state.agent_id, state.session_id, "call_expiry", SOON, call_id)]
    told.given(responds(call_id, {"answer": "Oslo"}))
    assert timers(told.state) == []


def test_a_question_needs_its_timer_also_while_other_tools_are_at_work() -> None:
    told = story().given(says())
    model_call = current_call(told)
    told.given(answers(told, "", [wants(told, "ask_user", 0), wants(told, "look", 1)]))
    told.given(asks(f"{model_call}-00", expires_at=SOON))
    assert told.state.status is Status.RUNNING
    assert due_times(told) == {"call_expiry": SOON}


def test_a_question_without_an_expiry_waits_for_ever() -> None:
    told = story().given(says())
    asking(told)
    assert timers(told.state) == []


@pytest.mark.parametrize("what", ["schedule", "wake"])
def test_where_no_person_began_the_session_a_question_waits_for_a_day(
    what: Literal["schedule", "wake"],
) -> None:
    told = story(begun_by=inputs.BegunBy(what, "t_1")).given(says())
    asking(told)
    [timer] = timers(told.state)
    assert timer.purpose == "call_expiry"
    assert milliseconds_between(told.now, timer.due_at) == 24 * 3600 * 1000


def test_a_question_that_says_for_how_long_it_waits_does_so_in_any_session() -> None:
    told = story(begun_by=inputs.BegunBy("schedule", "t_1")).given(says())
    asking(told, expires_at=SOON)
    assert due_times(told) == {"call_expiry": SOON}


def test_a_question_whose_time_is_over_needs_no_timer_before_it_is_even_cancelled() -> None:
    told = story().given(says())
    call_id = asking(told, expires_at=SOON)
    told.add(inputs.TimerDue("t", "call_expiry", call_id))
    assert timers(told.state) == []


def test_a_session_that_may_run_for_ever_needs_no_timer() -> None:
    assert timers(story().given(says()).state) == []


def test_a_session_is_out_of_time_so_long_after_it_began_to_run() -> None:
    told = child()
    assert timers(told.state) == []
    began = told.after(10).now
    told.given(says())
    told.after(30).given(answers(told, "", [wants(told, "look")]))
    told.after(30).given(done(f"{told.state.batch[0].call_id}"))
    assert due_times(told) == {"run_timeout": later_by(began, 120_000)}


def test_waiting_for_the_user_does_not_count() -> None:
    told = child().given(says())
    told.after(50)
    call_id = asking(told)
    assert timers(told.state) == []
    told.after(86_400).given(responds(call_id, {"answer": "Oslo"}))
    assert due_times(told) == {"run_timeout": later_by(told.now, 70_000)}
    told.after(30)
    told.given(answers(told, "done"))
    assert (told.state.status, told.state.ran_ms) == (Status.RUNNING, 80_000)  # it is asked for its report


def test_a_session_that_has_used_its_time_up_is_out_of_it_as_soon_as_it_runs_again() -> None:
    told = child().given(says())
    told.after(130).given(answers(told, "done"))
    assert told.state.status is Status.RUNNING
    assert due_times(told) == {"run_timeout": told.now}


def test_a_clock_that_was_set_back_takes_no_running_time_away() -> None:
    told = child().given(says())
    told.after(40).given(answers(told, "done"))
    told.after(10).given(says("more"))
    told.after(-3600).given(answers(told, "done"))
    assert told.state.ran_ms == 40_000


def test_neither_a_rewind_nor_a_raised_token_limit_gives_running_time_back() -> None:
    told = child(token_limit=50).given(says())
    told.after(20).given(answers(told, "done", tokens=60))
    told.given(says("more"))
    assert told.state.status == "token_limit_reached"
    told.after(600).given(inputs.Continued(token_limit=500))
    assert due_times(told) == {"run_timeout": later_by(told.now, 100_000)}
    told.after(5).given(inputs.RewindRequested(to=told.recorded[0].sequence, parts=("conversation",)))
    assert told.state.status is Status.IDLE
    assert (told.state.ran_ms, timers(told.state)) == (25_000, [])


def test_a_session_that_ended_needs_no_timer() -> None:
    told = child().given(says())
    asking(told, expires_at=SOON)
    told.given(inputs.Archived())
    assert timers(told.state) == []


def test_a_session_that_is_out_of_time_is_told_so_once() -> None:
    told = child().given(says())
    told.add(inputs.TimerDue("t", "run_timeout"))
    assert told.state.status is Status.RUNNING
    assert timers(told.state) == []


def test_a_fork_from_the_middle_of_a_turn_runs_from_its_first_event_on() -> None:
    origin = story().given(says())
    origin.given(answers(origin, "", [wants(origin, "look")]))
    origin.add(done(f"{origin.state.batch[0].call_id}"))
    fork = ForkStory(origin, origin.state.last_sequence, SessionId("s_2"))
    assert fork.state.status is Status.RUNNING
    assert (fork.state.running_since, fork.state.ran_ms) == (fork.now, 0)


def test_a_time_that_is_none_is_not_guessed_at() -> None:
    told = child().given(says())
    told.add(inputs.Archived())
    told.settle()
    *before, ended = told.recorded
    state = told.at(before[-1].sequence)
    damaged = msgspec.structs.replace(ended, envelope=msgspec.structs.replace(ended.envelope, time="noon"))
    with pytest.raises(LogCorrupt, match="noon"):
        evolve(state, damaged)
