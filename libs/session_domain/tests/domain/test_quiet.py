"""Reminders that are only shown: they begin no turn, and the model is told with the next one."""

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from foldline_testing.session_domain.story import Story, answers, says, story
from session_domain.domain.fold.evolve_inputs import MOST_QUIET
from session_domain.domain.state import Status


def quiet(text: str = "Tea!") -> inputs.ReminderDue:
    return inputs.ReminderDue("r_1", text, quiet=True)


def asked(told: Story) -> list[tuple[int, ...]]:
    """What joined each model call."""
    events = [one.event for one in told.recorded]
    return [one.joins for one in events if isinstance(one, ev.ModelCallRequested)]


def idle() -> Story:
    told = story(100_000).given(says())
    return told.given(answers(told, "Hello!"))


def test_one_that_comes_to_an_idle_session_begins_no_turn_and_joins_the_next() -> None:
    told = idle()
    told.given(quiet())
    assert told.state.status is Status.IDLE
    assert len(asked(told)) == 1
    due = told.state.queue[0].sequence
    told.given(says("done"))
    assert len(asked(told)) == 2
    assert due in asked(told)[-1]
    assert [one.text for one in told.state.messages()][-2:] == ["Tea!", "done"]
    assert told.state.queue == ()


def test_one_that_comes_in_a_turn_does_not_prolong_it() -> None:
    told = story(100_000).given(says())
    told.given(quiet())
    told.given(answers(told, "Hello!"))
    assert told.state.status is Status.IDLE
    assert len(asked(told)) == 1
    assert [one.text for one in told.state.queue] == ["Tea!"]


def test_any_other_message_still_prolongs_it() -> None:
    told = story(100_000).given(says())
    told.given(quiet())
    told.given(inputs.ReminderDue("r_2", "go on"))
    told.given(answers(told, "Hello!"))
    assert told.state.status is Status.RUNNING
    assert len(asked(told)[-1]) == 2


def test_of_many_the_newest_wait() -> None:
    told = idle()
    for number in range(MOST_QUIET + 5):
        told.given(quiet(f"{number}"))
    assert [one.text for one in told.state.queue] == [f"{number}" for number in range(5, MOST_QUIET + 5)]
    assert not told.state.is_addressed
