"""Sub-sessions: spawned, waited for, reported, limited."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId, SessionId, child_session_id
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import (
    ResolvedCall,
    ToolCallCompleted,
    ToolCallFailed,
    ToolCallPending,
)
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.story import (
    SESSION,
    Story,
    all_calls,
    answers,
    asks,
    call,
    current_call,
    every_call_is_paired,
    says,
    story,
    wants,
)
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import Status


def engine_call(told: Story, tool: str, index: int = 0, **arguments: Any) -> ResolvedCall:
    """The model under way wants one of the engine's tools."""
    return wants(told, tool, index, runs_on=RunsOn.ENGINE, arguments=arguments)


def finished(child: SessionId, at: int = 900, **how: Any) -> inputs.ChildFinished:
    """A sub-session ended; completed unless said otherwise."""
    given: dict[str, Any] = {"child_id": child, "status": "completed", "at": at} | how
    return inputs.ChildFinished(**given)


def spawned(told: Story, count: int = 1) -> list[SessionId]:
    """The model spawns some sub-sessions in one answer; their ids."""
    model_call = current_call(told)
    told.given(answers(told, "", [engine_call(told, "spawn_session", i, task="look") for i in range(count)]))
    return [child_session_id(SESSION, CallId(f"{model_call}-{i:02d}")) for i in range(count)]


def test_a_spawned_session_gets_its_own_id_and_what_is_left_of_the_tokens() -> None:
    told = story(10_000).given(says())
    model_call = current_call(told)
    child = child_session_id(SESSION, CallId(f"{model_call}-00"))
    told.when(answers(told, "", [engine_call(told, "spawn_session", task="look")], tokens=100)).then(
        ev.ChildSpawned(call_id=CallId(f"{model_call}-00"), child_id=child, task="look", token_limit=9_900),
        ToolCallCompleted(CallId(f"{model_call}-00"), {"id": child}, "engine", duration_ms=0),
        ev.ModelCallRequested(call_id=CallId("m000007")),
    )
    assert [(one.child_id, one.status) for one in told.state.children] == [(child, "running")]


def test_waiting_for_a_session_at_work_pauses_until_it_has_finished() -> None:
    told = story().given(says())
    (child,) = spawned(told)
    model_call = current_call(told)
    told.when(answers(told, "", [engine_call(told, "wait_for_sessions", ids=[child])])).then(
        ToolCallPending(CallId(f"{model_call}-00"), {"kind": "wait_for_sessions", "ids": [child]}, "engine"),
        ev.Waiting(calls=(CallId(f"{model_call}-00"),)),
    )
    told.when(finished(child, result="found it")).then_kinds(ToolCallCompleted, ev.ModelCallRequested)
    assert call(told, f"{model_call}-00").result == {
        "results": [{"id": child, "status": "completed", "result": "found it"}]
    }


def test_sessions_that_have_finished_already_answer_at_once() -> None:
    told = story().given(says())
    (child,) = spawned(told)
    told.given(finished(child, result="quick"))
    told.when(answers(told, "", [engine_call(told, "wait_for_sessions", ids=[child])])).then_kinds(
        ToolCallCompleted, ev.ModelCallRequested
    )


def test_results_come_in_the_order_of_the_ids_with_errors_and_partial_results() -> None:
    told = story().given(says())
    first, second, third = spawned(told, 3)
    model_call = current_call(told)
    told.given(answers(told, "", [engine_call(told, "wait_for_sessions", ids=[third, first, second])]))
    told.given(
        finished(first, at=901, result="one"),
        finished(second, at=902, status="error", error="Timed out after 120s"),
        finished(third, at=903, status="token_limit_reached", result="so far"),
    )
    assert call(told, f"{model_call}-00").result == {
        "results": [
            {"id": third, "status": "token_limit_reached", "result": "so far"},
            {"id": first, "status": "completed", "result": "one"},
            {"id": second, "status": "error", "error": "Timed out after 120s"},
        ]
    }


@pytest.mark.parametrize(
    ("arguments", "path"),
    [({"ids": ["s_stranger"]}, "/ids/0"), ({"ids": []}, "/ids"), ({}, None), ({"ids": "x"}, "/ids")],
)
def test_an_unknown_session_is_refused_before_pausing(arguments: dict[str, Any], path: str | None) -> None:
    told = story().given(says())
    model_call = current_call(told)
    told.given(answers(told, "", [engine_call(told, "wait_for_sessions", **arguments)]))
    error = call(told, f"{model_call}-00").error
    assert error is not None
    assert (error.kind, error.path) == (ErrorKind.INVALID_ARGUMENTS, path)
    assert told.state.status is Status.RUNNING


def test_an_eleventh_live_session_is_refused_until_one_has_finished() -> None:
    told = story().given(says())
    children = spawned(told, 10)
    told.given(answers(told, "", [engine_call(told, "spawn_session", task="one more")]))
    assert all_calls(told.state)[-1].error == ToolError(
        ErrorKind.REJECTED, "10 sub-sessions are at work already: wait for some to finish"
    )
    told.given(finished(children[0]))
    told.when(answers(told, "", [engine_call(told, "spawn_session", task="one more")])).then_kinds(
        ev.ChildSpawned, ToolCallCompleted, ev.ModelCallRequested
    )


def test_a_session_three_deep_spawns_no_further() -> None:
    told = story(depth=3, parent_id=SessionId("s_parent")).given(says())
    told.when(answers(told, "", [engine_call(told, "spawn_session", task="deeper")])).then_kinds(
        ToolCallFailed, ev.ModelCallRequested
    )


def test_a_child_never_gets_more_tokens_than_its_parent_has_left() -> None:
    told = story(10_000).given(says())
    asked = engine_call(told, "spawn_session", task="look", token_limit=9_991)
    told.given(answers(told, "", [asked], tokens=10))
    error = all_calls(told.state)[-1].error
    assert error is not None
    assert (error.kind, error.path) == (ErrorKind.REJECTED, "/token_limit")


def test_report_result_ends_a_sub_session_at_once_and_cancels_the_calls_beside_it() -> None:
    told = story(parent_id=SessionId("s_parent"), depth=1).given(says())
    model_call = current_call(told)
    calls = [
        wants(told, "look", 0),
        engine_call(told, "report_result", 1, result="all done"),
        wants(told, "look", 2),
    ]
    told.when(answers(told, "", calls)).then_kinds(
        ev.ToolCallRequested, ToolCallCompleted, ev.ToolCallCancelled, ev.ToolCallCancelled, ev.Completed
    )
    assert told.recorded[-1].event == ev.Completed(reason="reported", result="all done")
    assert every_call_is_paired(told)
    assert call(told, f"{model_call}-02").status is CallStatus.CANCELLED


def test_only_a_sub_session_can_report() -> None:
    told = story().given(says())
    told.when(answers(told, "", [engine_call(told, "report_result", result="x")])).then_kinds(
        ToolCallFailed, ev.ModelCallRequested
    )


def test_a_child_that_ends_after_its_parent_changes_only_what_is_known_of_it() -> None:
    told = story().given(says())
    (child,) = spawned(told)
    told.given(inputs.Archived())
    told.when(finished(child, result="late")).then()
    assert told.state.children[0].result == "late"


def test_hearing_of_an_end_twice_changes_nothing() -> None:
    told = story().given(says())
    (child,) = spawned(told)
    told.given(finished(child, at=900, result="one"))
    told.when(finished(child, at=900, result="again")).then()
    assert told.state.children[0].result == "one"


def test_a_pausing_call_whose_time_is_over_expires_and_the_turn_goes_on() -> None:
    told = story().given(says())
    model_call = current_call(told)
    told.given(answers(told, "", [wants(told, "ask_user")]))
    told.given(asks(f"{model_call}-00"))
    expired = inputs.TimerDue(timer_id="t", purpose="call_expiry", call_id=CallId(f"{model_call}-00"))
    told.when(expired).then_kinds(ev.ToolCallCancelled, ev.ModelCallRequested)
    assert call(told, f"{model_call}-00").error == ToolError(ErrorKind.EXPIRED, "nobody answered in time")
    told.when(expired).then()


def test_a_session_whose_running_time_is_over_fails_and_its_calls_are_cancelled() -> None:
    told = story(run_timeout_s=120.0, parent_id=SessionId("s_parent"), depth=1).given(says())
    model_call = current_call(told)
    told.given(answers(told, "", [wants(told, "look")]))
    told.when(inputs.TimerDue(timer_id="t", purpose="run_timeout")).then(
        ev.ToolCallCancelled(
            CallId(f"{model_call}-00"),
            message="this session ended in an error before the call had a result: Timed out after 120s",
        ),
        ev.Failed(kind="timeout", message="Timed out after 120s"),
    )


def test_a_call_without_a_result_says_who_ended_it() -> None:
    """The user, the parent, the session's own report: each by its name."""
    for begun, ended, who in (
        (story(), inputs.Interrupted(), "the user stopped this call"),
        (story(), inputs.Archived(), "the user archived this session"),
        (
            story(parent_id=SessionId("s_parent"), depth=1),
            inputs.Archived(),
            "the parent session s_parent ended this sub-session",
        ),
    ):
        told = begun.given(says())
        model_call = current_call(told)
        told.given(answers(told, "", [wants(told, "look")]), ended)
        error = call(told, f"{model_call}-00").error
        assert error is not None
        assert error.kind is ErrorKind.CANCELLED
        assert error.message.startswith(who)


def test_the_engines_own_tools_take_a_whole_number_in_any_form() -> None:
    told = story().given(says())
    told.given(answers(told, "", [engine_call(told, "spawn_session", task="look", token_limit=50_000.0)]))
    (spawned_,) = [one.event for one in told.recorded if isinstance(one.event, ev.ChildSpawned)]
    assert repr(spawned_.token_limit) == "50000"
