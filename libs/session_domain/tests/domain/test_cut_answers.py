"""Answers that aren't whole: stopped, at the token limit, at the model's greatest length, filtered, empty."""

import msgspec
import pytest

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import Incomplete, ModelFailure
from foldline_testing.session_domain.shown import messages
from foldline_testing.session_domain.story import (
    Story,
    all_calls,
    answers,
    current_call,
    cut,
    done,
    every_call_is_paired,
    says,
    story,
    wants,
)
from session_domain.domain.messages import CallStatus
from session_domain.domain.rules.endings import NEVER_RAN, broken_off
from session_domain.domain.state import Status


def stopped() -> Story:
    """Stop was pressed while the model spoke; what it had said is still on its way."""
    return story().given(says(), inputs.Interrupted())


def said(told: Story) -> list[tuple[str, str, Incomplete | None]]:
    return [(message.role, message.text, message.incomplete) for message in told.state.history]


def shown(told: Story) -> list[tuple[str, object]]:
    return [(str(message["role"]), message["content"]) for message in messages(told.state)]


def test_stop_leaves_idle_at_once_and_what_the_model_had_said_is_kept_when_it_comes() -> None:
    told = story().given(says())
    call = current_call(told)
    told.when(inputs.Interrupted()).then(ev.BecameIdle(reason="interrupted", cancelled_model_call=call))
    told.when(cut(call, "Once upon", tokens=7)).then()
    assert said(told) == [("user", "hello", None), ("assistant", "Once upon", "stopped")]
    assert told.state.totals.output == 7
    assert told.state.status is Status.IDLE


def test_an_answer_that_crossed_the_stop_is_kept_too_and_nothing_that_it_asks_for_is_run() -> None:
    told = story().given(says())
    whole = answers(told, "I'll look.", [wants(told, "look")], tokens=7)
    told.given(inputs.Interrupted())
    told.when(whole).then()
    assert said(told)[-1] == ("assistant", "I'll look.", "stopped")
    [call] = all_calls(told.state)
    assert (call.status, call.error and call.error.kind) == (CallStatus.FAILED, ErrorKind.CANCELLED)
    assert every_call_is_paired(told)


def test_of_an_answer_that_was_broken_off_only_what_has_no_ending_never_ran() -> None:
    told = story().given(says())
    unknown = ToolError(ErrorKind.UNKNOWN_TOOL, "there is no such tool")
    calls = (wants(told, "look"), wants(told, "nope", 1, error=unknown), wants(told, "find", 2, result=[1]))
    whole = broken_off(msgspec.structs.replace(cut(current_call(told)), tool_calls=calls, cut=None))
    assert [(one.error, one.result) for one in whole.tool_calls] == [
        (NEVER_RAN, None),
        (unknown, None),
        (None, [1]),
    ]
    assert whole.cut == "stopped"


def test_the_next_message_waits_for_what_was_said_so_that_the_model_sees_it_before_that_message() -> None:
    told = stopped()
    assert told.state.cut_call is not None
    told.when(says("shorter, please")).then_kinds(ev.TurnStarted)
    told.when(cut(told.state.cut_call.call_id, "Once upon")).then_kinds(ev.ModelCallRequested)
    assert shown(told) == [
        ("user", "hello"),
        ("assistant", "Once upon"),
        ("user", "[Foldline] The user stopped your answer here."),
        ("user", "shorter, please"),
    ]


@pytest.mark.parametrize("failed", [True, False])
def test_a_stopped_call_that_had_said_nothing_leaves_no_message(failed: bool) -> None:
    told = stopped()
    assert told.state.cut_call is not None
    call = told.state.cut_call.call_id
    told.given(says("go on"))
    nothing = cut(call, "  ", tokens=0)
    never_made = results.ModelCallFailed(call, ModelFailure.DELIVERIES_EXHAUSTED, "gone", "m", attempts=0)
    told.when(never_made if failed else nothing).then_kinds(ev.ModelCallRequested)
    assert shown(told) == [("user", "hello"), ("user", "go on")]


def test_what_was_said_before_stop_counts_before_the_limit_is_judged() -> None:
    told = story(token_limit=50).given(says())
    call = current_call(told)
    told.given(inputs.Interrupted(), says("go on"))
    told.when(cut(call, "a lot", tokens=60)).then(ev.TokenLimitHit(used=60, limit=50))


def test_what_streamed_until_the_session_was_archived_is_kept() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(inputs.Archived())
    told.when(cut(call, "half", reason="cancelled")).then()
    assert said(told)[-1] == ("assistant", "half", "cancelled")
    assert told.state.status is Status.COMPLETED


def test_what_streamed_before_a_rewind_is_gone_with_it_and_only_counts() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(inputs.RewindRequested(to=told.recorded[0].sequence, parts=("conversation",)))
    told.when(cut(call, "half", tokens=7, reason="cancelled")).then()
    assert said(told) == []
    assert told.state.totals.output == 7


def test_a_rewind_of_a_stopped_session_does_not_wait_for_what_was_said() -> None:
    told = stopped()
    told.given(inputs.RewindRequested(to=told.recorded[0].sequence, parts=("conversation",)))
    told.when(says("anew")).then_kinds(ev.TurnStarted, ev.ModelCallRequested)


def test_a_stopped_summary_is_said_to_nobody_and_hides_nothing() -> None:
    told = stopped()
    assert told.state.cut_call is not None
    told.given(msgspec.structs.replace(cut(told.state.cut_call.call_id, "so far"), purpose="summary"))
    assert said(told) == [("user", "hello", None)]
    assert told.state.summary is None


def test_a_call_at_the_limit_keeps_what_was_said_and_goes_on_from_there() -> None:
    told = story(token_limit=50).given(says())
    half = cut(current_call(told), "Once", 60, "token_limit")
    told.when(half).then(ev.TokenLimitHit(used=60, limit=50))
    told.when(inputs.Continued(token_limit=5_000)).then_kinds(ev.ModelCallRequested)
    assert [role for role, _ in shown(told)] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    ("reason", "words"),
    [("length", "the greatest length that the model gives"), ("content_filter", "content filter ended")],
)
def test_an_answer_that_the_provider_ended_early_says_so_to_person_and_model(
    reason: Incomplete, words: str
) -> None:
    told = story().given(says())
    told.given(msgspec.structs.replace(answers(told, "Once upon"), finish_reason=reason))
    assert said(told)[-1] == ("assistant", "Once upon", reason)
    told.given(says("go on"))
    assert [role for role, _ in shown(told)] == ["user", "assistant", "user", "user"]
    assert words in str(shown(told)[2][1])


@pytest.mark.parametrize("text", ["", " \n"])
@pytest.mark.parametrize("reason", ["stop", "content_filter"])
def test_an_empty_answer_is_told_to_people_and_never_sent_to_a_model(text: str, reason: str) -> None:
    told = story().given(says())
    told.given(msgspec.structs.replace(answers(told, text), finish_reason=reason))
    assert told.state.status is Status.IDLE
    assert said(told)[-1][2] == ("empty" if reason == "stop" else "content_filter")
    told.given(says("hm?"))
    assert all(role == "user" and str(content).strip() for role, content in shown(told))


def test_a_whole_answer_is_just_that() -> None:
    told = story().given(says())
    call = f"{current_call(told)}-00"
    told.given(answers(told, "", [wants(told, "look")]), done(call))
    told.given(answers(told, "done"))
    assert [incomplete for _, _, incomplete in said(told)] == [None, None, None]
