"""A turn can fail; the conversation goes on: by a person, by what is said next, or by itself."""

from typing import Any

import msgspec
import pytest

from agent_contracts.errors import LogCorrupt
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.timers import Timer
from agent_contracts.moments import later_by
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelFailure
from foldline_testing.session_domain.shown import messages
from foldline_testing.session_domain.story import (
    ForkStory,
    Story,
    answers,
    current_call,
    done,
    fails,
    says,
    story,
    wants,
)
from session_domain.domain.state import Status
from session_domain.domain.timers import timers

DELAYS = (30.0, 120.0, 600.0, 1800.0)
GOES_ON = (ev.TurnStarted, ev.ModelCallRequested)


def failed(**more: Any) -> Story:
    """A session whose only turn failed, for a reason that may pass unless `more` says otherwise."""
    told = story().given(says())
    return told.given(fails(told, **more))


def child() -> Story:
    """A sub-session at work."""
    return story(parent_id=SessionId("s_parent"), depth=1).given(says())


def its_timer_comes_due(told: Story) -> inputs.TimerDue:
    [timer] = timers(told.state)
    return inputs.TimerDue(timer.id, timer.purpose, timer.call_id)


def contents(told: Story) -> list[object]:
    return [message["content"] for message in messages(told.state)]


def test_a_failed_model_call_fails_the_turn_and_the_session_is_idle() -> None:
    told = story().given(says())
    refused = fails(told, ModelFailure.AUTHENTICATION, message="bad key", retryable=False)
    told.when(refused).then(ev.TurnFailed("authentication", "bad key"))
    assert told.state.status is Status.IDLE
    assert told.state.failed_turn is not None
    assert timers(told.state) == []


def test_what_may_pass_is_asked_again_by_itself_later_and_later_and_then_no_more() -> None:
    told = story().given(says())
    for delay in DELAYS:
        retry_at = later_by(told.now, round(delay * 1000))
        told.when(fails(told)).then(ev.TurnFailed("overloaded", "busy", True, retry_at))
        assert [timer.due_at for timer in timers(told.state)] == [retry_at]
        told.after(delay).when(its_timer_comes_due(told)).then_kinds(*GOES_ON)
        assert told.state.failed_turn is None
    told.when(fails(told)).then(ev.TurnFailed("overloaded", "busy", True, None))
    assert timers(told.state) == []


def test_an_answer_lets_what_waits_count_anew() -> None:
    told = failed()
    told.given(its_timer_comes_due(told))
    told.given(answers(told, "", [wants(told, "look")]))
    told.given(done(told.state.batch[0].call_id))
    told.when(fails(told)).then(ev.TurnFailed("overloaded", "busy", True, later_by(told.now, 30_000)))


def test_a_server_that_says_when_is_not_asked_before() -> None:
    told = story().given(says())
    told.when(fails(told, ModelFailure.RATE_LIMITED, retry_after_s=300.5)).then(
        ev.TurnFailed("rate_limited", "busy", True, later_by(told.now, 300_500))
    )
    told.given(inputs.RetryAsked())
    told.when(fails(told, retry_after_s=2.0)).then(
        ev.TurnFailed("overloaded", "busy", True, later_by(told.now, 30_000))
    )


@pytest.mark.parametrize("days", [1.01, 1e6, 1e300])
def test_a_server_that_wants_to_be_left_alone_for_days_is_asked_only_by_a_person(days: float) -> None:
    assert timers(failed(retry_after_s=days * 86_400).state) == []


def test_a_person_asks_again_and_the_turn_goes_on_where_it_failed() -> None:
    told = story().given(says())
    told.given(answers(told, "", [wants(told, "look")]))
    told.given(done(told.state.batch[0].call_id, "seen"))
    shown = contents(told)
    told.given(fails(told, retryable=False))
    told.when(inputs.RetryAsked()).then_kinds(*GOES_ON)
    assert contents(told) == shown
    told.when(answers(told, "hi")).then(ev.BecameIdle())


def test_asking_again_twice_asks_once() -> None:
    told = failed()
    told.when(inputs.RetryAsked(), its_timer_comes_due(told), inputs.RetryAsked()).then_kinds(*GOES_ON)
    told.when(inputs.RetryAsked()).then()


def test_asking_again_what_did_not_fail_means_nothing() -> None:
    told = story().given(says())
    told.given(answers(told, "hi"))
    told.when(inputs.RetryAsked()).then()
    told.given(inputs.Archived())
    told.when(inputs.RetryAsked()).then_kinds(ev.InputRefused)


def test_a_message_simply_goes_on() -> None:
    told = failed()
    due = its_timer_comes_due(told)
    told.when(says("still there?")).then_kinds(*GOES_ON)
    assert contents(told) == ["hello", "still there?"]
    told.when(due).then()
    told.given(answers(told, "yes"))
    told.when(due).then()
    assert timers(told.state) == []


def test_a_message_that_came_while_the_model_failed_begins_the_next_turn_at_once() -> None:
    told = story().given(says())
    told.when(says("and?"), fails(told)).then_kinds(ev.TurnFailed, *GOES_ON)
    assert contents(told) == ["hello", "and?"]


def test_the_timer_of_an_earlier_failure_means_nothing() -> None:
    told = failed()
    old = its_timer_comes_due(told)
    told.given(inputs.RetryAsked())
    told.given(fails(told))
    assert its_timer_comes_due(told) != old
    told.when(old).then()


@pytest.mark.parametrize("stop", [inputs.Interrupted(), inputs.Archived()])
def test_stop_and_archive_stop_what_would_go_on_by_itself(stop: Any) -> None:
    told = failed()
    due = its_timer_comes_due(told)
    told.given(stop)
    assert timers(told.state) == []
    told.when(due).then()


def test_after_stop_a_person_can_still_ask_again() -> None:
    told = failed().given(inputs.Interrupted())
    told.when(inputs.RetryAsked()).then_kinds(*GOES_ON)


def test_stop_while_the_model_fails_leaves_nothing_to_ask_again() -> None:
    told = story().given(says())
    told.when(fails(told), inputs.Interrupted()).then(ev.BecameIdle(reason="interrupted"))
    assert (told.state.failed_turn, timers(told.state)) == (None, [])


def test_a_rewind_goes_back_across_a_failed_turn() -> None:
    told = story().given(says("one"))
    told.given(answers(told, "re: one"))
    before = told.state.last_sequence
    told.given(says("two"))
    told.given(fails(told))
    told.when(inputs.RewindRequested(before, ("conversation",))).then_kinds(ev.Rewound)
    assert (told.state.status, told.state.failed_turn, timers(told.state)) == (Status.IDLE, None, [])
    told.given(says("two, other words"))
    assert contents(told) == ["one", "re: one", "two, other words"]


def test_a_rewind_to_a_failed_turn_waits_for_what_is_said_next() -> None:
    told = failed()
    at = told.state.last_sequence
    told.given(inputs.RetryAsked())
    told.given(answers(told, "hi"), inputs.RewindRequested(at, ("conversation",)))
    assert (told.state.status, told.state.failed_turn) == (Status.IDLE, None)
    told.when(says("again")).then_kinds(*GOES_ON)
    assert contents(told) == ["hello", "again"]


def test_a_fork_at_a_failed_turn_goes_on_with_what_is_said() -> None:
    told = failed()
    fork = ForkStory(told, told.state.last_sequence, SessionId("s_2"))
    assert (fork.settle(), timers(fork.state)) == ([], [])
    fork.when(says("again")).then_kinds(*GOES_ON)
    assert contents(fork) == ["hello", "again"]


def test_its_timer_is_found_by_the_server_that_has_to_answer_again() -> None:
    told = failed(server="5f16f4c7f149ac4f")
    state, [timer] = told.state, timers(told.state)
    call_id = CallId("m000003")
    retry_at = later_by(told.now, 30_000)
    assert timer == Timer(
        state.agent_id, state.session_id, "retry", retry_at, call_id, server="5f16f4c7f149ac4f"
    )
    assert timer.subject == "timer.retry.5f16f4c7f149ac4f.s_1~m000003"


def test_a_sub_session_waits_too_and_ends_in_error_when_nothing_is_left_to_wait_for() -> None:
    told = child()
    for _ in DELAYS:
        told.when(fails(told)).then_kinds(ev.TurnFailed)
        told.when(its_timer_comes_due(told)).then_kinds(*GOES_ON)
    told.when(fails(told)).then(
        ev.TurnFailed("overloaded", "busy", True, None), ev.Failed("overloaded", "busy")
    )
    assert told.state.status is Status.ERROR


def test_a_sub_session_whose_turn_can_only_fail_ends_at_once() -> None:
    told = child()
    told.when(fails(told, retryable=False)).then_kinds(ev.TurnFailed, ev.Failed)


def test_a_sub_session_that_is_stopped_while_it_waits_tells_its_parent() -> None:
    told = child()
    told.given(fails(told))
    told.when(inputs.Interrupted()).then(ev.Failed("overloaded", "busy"))


def test_the_time_between_two_tries_is_not_running_time() -> None:
    told = story(parent_id=SessionId("s_parent"), depth=1, run_timeout_s=120.0).given(says())
    told.after(20).given(fails(told))
    told.after(3600).given(its_timer_comes_due(told))
    told.after(5).given(answers(told, "hi"))
    assert told.state.ran_ms == 25_000


def test_a_warning_that_failed_is_given_again() -> None:
    told = story().given(says())
    for text in "abcdefghij":
        told.given(answers(told, text))
        told.given(says(text))
    told.given(msgspec.structs.replace(answers(told, "full", tokens=90), context_window=100))
    told.given(says("more"))
    assert told.state.model_call is not None
    assert told.state.model_call.purpose == "warning"
    told.when(fails(told)).then_kinds(ev.TurnFailed)
    assert [message.text for message in told.state.queue] == ["more"], "it waits for the turn to go on"
    told.given(its_timer_comes_due(told))
    assert told.state.model_call.purpose == "warning"


def test_delays_are_those_that_the_session_began_with() -> None:
    told = story(retry_delays_s=(1.0,)).given(says())
    told.when(fails(told)).then(ev.TurnFailed("overloaded", "busy", True, later_by(told.now, 1_000)))
    told.given(its_timer_comes_due(told))
    told.when(fails(told)).then(ev.TurnFailed("overloaded", "busy", True, None))


def test_a_time_that_is_none_is_not_guessed_at() -> None:
    told = story().given(says())
    told.now = "noon"
    with pytest.raises(LogCorrupt, match="noon"):
        told.add(fails(told))


def test_the_model_call_that_goes_on_is_another_one() -> None:
    told = story().given(says())
    first = current_call(told)
    told.given(fails(told), inputs.RetryAsked())
    assert current_call(told) != first


def test_a_sub_session_that_fails_to_report_waits_for_its_next_try_before_it_is_ended() -> None:
    told = child()
    told.given(answers(told, "found tea"))
    assert told.state.report_asked
    told.when(fails(told)).then_kinds(ev.TurnFailed)
    assert told.state.status is Status.IDLE
    told.when(its_timer_comes_due(told)).then_kinds(*GOES_ON)
    told.when(answers(told, "found tea")).then_kinds(ev.BecameIdle, ev.Completed)


def test_a_sub_session_whose_only_turn_failed_is_not_asked_for_a_report_while_it_waits() -> None:
    told = child()
    told.when(fails(told)).then_kinds(ev.TurnFailed)
