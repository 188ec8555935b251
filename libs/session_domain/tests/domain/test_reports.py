"""Sub-sessions that don't report, and those that can't be asked even once."""

from typing import Any

import msgspec
import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId, SessionId, child_session_id
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import (
    ResolvedCall,
    Thinking,
    ToolCallCompleted,
    ToolCallFailed,
    Usage,
)
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.story import (
    SESSION,
    Story,
    all_calls,
    answers,
    current_call,
    cut,
    says,
    story,
    wants,
)
from session_domain.domain.rules.needs import ANSWER, least_token_limit
from session_domain.domain.shown.profile import Profile
from session_domain.domain.shown.prompt import system_parts
from session_domain.domain.shown.sub_sessions import REPORT_NOW
from session_domain.domain.state import Status

NOW = "2026-01-31T12:34:56+00:00"


def child(**created: Any) -> Story:
    """A sub-session that was given its task."""
    return story(parent_id=SessionId("s_parent"), depth=1, **created).given(says("look into it"))


def engine_call(told: Story, tool: str, **arguments: Any) -> ResolvedCall:
    return wants(told, tool, runs_on=RunsOn.ENGINE, arguments=arguments)


def test_a_sub_session_is_told_that_it_is_one() -> None:
    profile = Profile("Be kind.", "", (), "UTC", notepad="n")
    told = {part.name: part.text for part in system_parts(profile, sub_session=True)}
    assert list(told)[-2:] == ["sub-session", "notepad"]
    assert "`report_result`" in told["sub-session"]
    assert "sub-session" not in [part.name for part in system_parts(profile, sub_session=False)]


def test_a_sub_session_that_becomes_idle_without_a_result_is_asked_for_it_once() -> None:
    told = child()
    told.when(answers(told, "I looked.")).then_kinds(
        ev.BecameIdle, ev.ReportAsked, ev.TurnStarted, ev.ModelCallRequested
    )
    assert told.state.history[-1].text == REPORT_NOW
    told.when(answers(told, "I did say it.")).then(
        ev.BecameIdle(), ev.Completed(reason="unreported", result="I did say it.")
    )


def test_one_that_reports_when_asked_ends_as_any_other() -> None:
    told = child()
    told.given(answers(told, "I looked."))
    report = engine_call(told, "report_result", result="found")
    told.when(answers(told, "", [report])).then_kinds(ToolCallCompleted, ev.Completed)
    assert told.recorded[-1].event == ev.Completed(reason="reported", result="found")


def test_a_report_holds_nothing_of_what_the_model_thought() -> None:
    told = child()
    for text in ("I looked.", ""):
        thought = msgspec.structs.replace(answers(told, text), thinking=Thinking("CANARY"))
        told.given(thought)
    assert told.recorded[-1].event == ev.Completed(reason="unreported", result="I looked.")


def test_whoever_says_nothing_more_is_ended_with_the_last_that_it_said() -> None:
    told = child()
    told.given(answers(told, "I looked."))
    told.given(answers(told, ""))
    assert told.recorded[-1].event == ev.Completed(reason="unreported", result="I looked.")


def test_a_person_who_speaks_with_it_gives_it_another_chance() -> None:
    told = child()
    told.given(answers(told, "I looked."), says("and there?"))
    told.given(answers(told, "There too."))
    told.given(answers(told, "That's all."))
    told.given(answers(told, "As I said."))
    assert [type(one.event) for one in told.recorded].count(ev.ReportAsked) == 2
    assert told.state.status is Status.COMPLETED


def test_a_stopped_sub_session_is_not_woken_again_and_its_parent_gets_what_it_had_said() -> None:
    told = child()
    call = current_call(told)
    told.when(inputs.Interrupted()).then_kinds(ev.BecameIdle)
    told.when(cut(call, "I looked, and")).then(ev.Completed(reason="unreported", result="I looked, and"))


def test_one_that_was_rewound_waits_for_its_person() -> None:
    told = child()
    told.when(inputs.RewindRequested(to=told.recorded[1].sequence, parts=("conversation",))).then_kinds(
        ev.Rewound
    )
    assert told.state.status is Status.IDLE


def test_a_top_level_session_just_becomes_idle() -> None:
    told = story().given(says())
    told.when(answers(told, "hi")).then(ev.BecameIdle())


def test_waiting_tells_apart_what_was_reported_and_what_was_only_said() -> None:
    told = story().given(says())
    spawned = CallId(f"{current_call(told)}-00")
    told.given(answers(told, "", [engine_call(told, "spawn_session", task="look")]))
    one = child_session_id(SESSION, spawned)
    told.given(inputs.ChildFinished(one, "completed", result="I looked.", at=900, reported=False))
    told.given(answers(told, "", [engine_call(told, "wait_for_sessions", ids=[one])]))
    assert all_calls(told.state)[-1].result == {
        "results": [{"id": one, "status": "completed", "result": "I looked.", "reported": False}]
    }


def asked(told: Story, tool: str = "spawn_session", took: Usage | None = None, **arguments: Any) -> Story:
    """The model wants a sub-session; its own call took so many tokens."""
    answer = answers(told, "", [engine_call(told, tool, task="look", **arguments)])
    return told.given(msgspec.structs.replace(answer, usage=took or Usage(5_000, 100)))


def test_a_sub_session_that_could_not_be_asked_even_once_is_refused_with_what_it_needs() -> None:
    told = asked(story().given(says()), token_limit=2_000)
    error = all_calls(told.state)[-1].error
    assert error is not None
    assert (error.kind, error.path) == (ErrorKind.REJECTED, "/token_limit")
    assert error.message.startswith(f"give it {5_000 + 1 + ANSWER:,} to 94,900 tokens")
    asked(told, token_limit=6_001)
    assert all_calls(told.state)[-1].error is None


def test_a_fork_needs_what_its_parent_is_shown() -> None:
    told = asked(story().given(says()), took=Usage(5_000, 100), token_limit=99)
    asked(told, "fork_session", took=Usage(9_000, 500), token_limit=9_999)
    error = all_calls(told.state)[-1].error
    assert error is not None
    assert error.message.startswith("give it 10,501 to ")


def test_a_session_that_has_not_enough_left_for_a_sub_session_is_told_so() -> None:
    told = asked(story(token_limit=10_000).given(says()))
    error = all_calls(told.state)[-1].error
    assert error is not None
    assert error.message.startswith("this session has 4,900 tokens left, and a sub-session needs at least")
    told.when(answers(told, "", [engine_call(told, "spawn_session", task="x")])).then_kinds(
        ToolCallFailed, ev.ModelCallRequested
    )


@pytest.mark.parametrize("took", [Usage(0, 0), Usage(5_000, 100)])
def test_the_least_limit_leaves_room_for_one_more_call(took: Usage) -> None:
    told = story().given(says())
    told.given(msgspec.structs.replace(answers(told, "hi"), usage=took))
    used = took.input + took.output
    assert least_token_limit(told.state) == used + used + ANSWER


def test_a_sub_session_of_a_chain_that_cannot_be_is_refused_in_words() -> None:
    told = asked(story().given(says()), model="openai/x,,openai/y")
    error = all_calls(told.state)[-1].error
    assert error is not None
    assert (error.kind, error.path) == (ErrorKind.INVALID_ARGUMENTS, "/model")
    assert "a model's name is missing" in error.message
    asked(told, model="openai/x, openai/y")
    assert all_calls(told.state)[-1].error is None
    assert told.state.children[-1].status == "running"
