"""The table of states: what becomes of a session in each of them, whatever comes."""

from collections.abc import Callable

import msgspec
import pytest

from agent_contracts.ids import CallId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.inputs import Input
from agent_contracts.thinking_choice import ThinkingChoice
from foldline_testing.session_domain.story import (
    Story,
    all_calls,
    answers,
    asks,
    current_call,
    done,
    every_call_is_paired,
    fails,
    responds,
    says,
    story,
    wants,
)
from session_domain.domain.state import SessionState, Status

IDLE, RUNNING, WAITING = Status.IDLE, Status.RUNNING, Status.WAITING_FOR_INPUT
LIMITED, COMPLETED, ERROR = Status.TOKEN_LIMIT_REACHED, Status.COMPLETED, Status.ERROR


def idle() -> Story:
    told = story().given(says())
    return told.given(answers(told, "hi"))


def running() -> Story:
    return story().given(says())


def waiting() -> Story:
    told = story().given(says())
    call = f"{current_call(told)}-00"
    return told.given(answers(told, "", [wants(told, "ask_user")]), asks(call))


def limited() -> Story:
    told = story(token_limit=50).given(says())
    call = f"{current_call(told)}-00"
    return told.given(answers(told, "", [wants(told, "look")], tokens=60), done(call))


def completed() -> Story:
    return idle().given(inputs.Archived())


def failed() -> Story:
    return running().given(inputs.TimerDue("t", "run_timeout"))


def turn_failed() -> Story:
    told = running()
    return told.given(fails(told))


BEGINNINGS: dict[Status, Callable[[], Story]] = {
    IDLE: idle,
    RUNNING: running,
    WAITING: waiting,
    LIMITED: limited,
    COMPLETED: completed,
    ERROR: failed,
}
THINKING = ThinkingChoice("high")
INPUTS: dict[str, Callable[[SessionState], Input]] = {
    "a message": lambda state: says("go on"),
    "a reminder": lambda state: inputs.ReminderDue("r", "go on"),
    "a wake": lambda state: inputs.Woken("mail", "go on", "1", priority="now"),
    "an answer": lambda state: responds(_question(state), "yes"),
    "an expiry": lambda state: inputs.TimerDue("t", "call_expiry", _question(state)),
    "stop": lambda state: inputs.Interrupted(),
    "continue": lambda state: inputs.Continued(token_limit=200_000),
    "archive": lambda state: inputs.Archived(),
    "a title": lambda state: inputs.Renamed(title="other"),
    "thinking": lambda state: inputs.ThinkingChanged(THINKING),
    "reopen": lambda state: inputs.Reopened(),
}
TABLE = {
    IDLE: [RUNNING, RUNNING, RUNNING, IDLE, IDLE, IDLE, IDLE, COMPLETED, IDLE, IDLE, IDLE],
    RUNNING: [RUNNING, RUNNING, RUNNING, RUNNING, RUNNING, IDLE, RUNNING, COMPLETED, *[RUNNING] * 3],
    WAITING: [RUNNING, WAITING, WAITING, RUNNING, RUNNING, IDLE, WAITING, COMPLETED, *[WAITING] * 3],
    LIMITED: [LIMITED, LIMITED, LIMITED, LIMITED, LIMITED, LIMITED, RUNNING, COMPLETED, *[LIMITED] * 3],
    COMPLETED: [*[COMPLETED] * 10, IDLE],
    ERROR: [ERROR] * 11,
}
"""By state, where each of the inputs leads, in their order."""
REFUSED = {"a message", "a reminder", "a wake", "an answer", "continue", "thinking"}
"""What a session that has ended says no to, and one that failed to being opened again;
the rest means nothing to it, and a title it takes."""


PLACES = {"last_sequence", "position", "rest_sequence"}
"""What any event moves."""


def _question(state: SessionState) -> CallId:
    return next((call.call_id for call in state.open_calls()), CallId("m000000-00"))


@pytest.mark.parametrize(
    ("status", "what", "leads_to"),
    [
        (status, what, leads_to)
        for status, row in TABLE.items()
        for what, leads_to in zip(INPUTS, row, strict=True)
    ],
)
def test_each_input_leads_from_each_state_to_its_next(status: Status, what: str, leads_to: Status) -> None:
    told = BEGINNINGS[status]()
    assert told.state.status is status
    then = told.when(INPUTS[what](told.state))
    assert told.state.status is leads_to
    refusals = [decision for decision in then.decisions if isinstance(decision, ev.InputRefused)]
    says_no = REFUSED | {"reopen"} if status is ERROR else REFUSED
    assert bool(refusals) == (status.is_terminal and what in says_no)
    assert told.state.status is WAITING or every_call_is_paired(told)
    if what == "a title":
        assert told.state.title == "other"
    if what == "thinking":
        assert told.state.thinking == (None if status.is_terminal else THINKING)


@pytest.mark.parametrize("what", ["a message", "a reminder", "a wake"])
@pytest.mark.parametrize("status", [IDLE, RUNNING, WAITING, LIMITED])
def test_what_is_said_is_read_by_the_next_model_call_in_whatever_state_it_came(
    status: Status, what: str
) -> None:
    told = BEGINNINGS[status]()
    told.given(INPUTS[what](told.state), inputs.Continued(token_limit=200_000))
    if status is WAITING:
        told.given(responds(_question(told.state), "yes"))
    if status is RUNNING:
        told.given(answers(told, "first"))
    answered = status is WAITING and what == "a message"
    said = all_calls(told.state)[-1].result if answered else told.state.history[-1].text
    assert said == ({"answer": "go on", "from_options": False} if answered else "go on")
    assert told.state.model_call is not None
    assert not told.state.queue


@pytest.mark.parametrize(("what", "leads_to"), list(zip(INPUTS, TABLE[IDLE], strict=True)))
def test_each_input_does_to_a_session_whose_turn_failed_what_it_does_to_any_idle_one(
    what: str, leads_to: Status
) -> None:
    told = turn_failed()
    assert told.state.status is IDLE
    told.given(INPUTS[what](told.state))
    assert told.state.status is leads_to
    assert (told.state.failed_turn is None) == (leads_to is not IDLE)


def test_an_archived_session_that_is_opened_again_goes_on_where_it_was() -> None:
    told = completed().given(inputs.Reopened())
    assert told.state.status is IDLE
    told = told.given(says("are you back?"))
    told = told.given(answers(told, "yes"))
    assert [message.text for message in told.state.history] == ["hello", "hi", "are you back?", "yes"]
    assert told.state.status is IDLE
    assert told.given(inputs.Archived()).state.status is COMPLETED


def test_opened_again_before_it_was_closed_it_stops_and_is_idle() -> None:
    told = waiting()
    told.add(inputs.Archived())
    told = told.given(inputs.Reopened())
    assert told.state.status is IDLE
    assert every_call_is_paired(told)


def test_what_came_while_it_was_closed_is_refused_also_once_it_is_open_again() -> None:
    told = completed()
    told.add(says("anybody there?"))
    asked = told.state.last_sequence
    then = told.when(inputs.Reopened())
    then.then(ev.InputRefused(input=asked, reason="the session was archived"))
    assert told.state.status is IDLE


@pytest.mark.parametrize("status", BEGINNINGS)
def test_a_rating_is_taken_in_any_state_and_means_nothing_to_the_session(status: Status) -> None:
    told = BEGINNINGS[status]()
    before = msgspec.structs.asdict(told.state)
    told.when(inputs.Feedback("1", "down", "Wrong city")).then()
    after = msgspec.structs.asdict(told.state)
    assert {name for name, value in after.items() if value != before[name]} <= PLACES
