"""The order of one answer's calls: those that write keep their place, the others run at once."""

from collections.abc import Sequence
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.session_domain.story import (
    Story,
    answers,
    asks,
    call,
    current_call,
    done,
    every_call_is_paired,
    responds,
    says,
    story,
    wants,
)
from session_domain.domain.decide import decide
from session_domain.domain.messages import CallStatus
from session_domain.domain.rules.engine_calls import Decided

_EFFECTS = {
    "r": Effect.RECORDED,
    "p": Effect.PURE,
    "x": Effect.EXTERNAL,
    "i": Effect.EXTERNAL_IDEMPOTENT,
}


def asked_for(effects: str, **created: Any) -> tuple[Story, list[str], Sequence[Decided]]:
    """A turn whose answer calls one tool of each effect: the story, the calls, and what is decided first."""
    told = story(**created).given(says())
    calls = [f"{current_call(told)}-{index:02d}" for index in range(len(effects))]
    wanted = [wants(told, f"tool_{e}", index, effect=_EFFECTS[e]) for index, e in enumerate(effects)]
    return told, calls, told.when(answers(told, "", wanted)).decisions


def requested(decisions: Sequence[Decided]) -> list[int]:
    """Which calls these decisions request, by their place in the answer."""
    return [int(one.call_id[-2:]) for one in decisions if isinstance(one, ev.ToolCallRequested)]


def test_calls_that_write_run_one_after_another_in_call_order() -> None:
    told, calls, first = asked_for("rrr")
    assert requested(first) == [0]
    assert requested(told.when(done(calls[0])).decisions) == [1]
    assert requested(told.when(done(calls[1])).decisions) == [2]
    told.when(done(calls[2])).then_kinds(ev.ModelCallRequested)
    assert every_call_is_paired(told)


@pytest.mark.parametrize("effects", ["p" * 10, "x" * 10, "pxpxipxpxi"])
def test_calls_that_do_not_write_are_all_requested_at_once(effects: str) -> None:
    _, _, first = asked_for(effects)
    assert requested(first) == list(range(10))


def test_a_read_waits_for_the_writes_before_it_and_a_write_for_the_reads_before_it() -> None:
    told, calls, first = asked_for("pprppr")
    assert requested(first) == [0, 1]
    assert requested(told.when(done(calls[1])).decisions) == []
    assert requested(told.when(done(calls[0])).decisions) == [2]
    assert requested(told.when(done(calls[2])).decisions) == [3, 4]
    assert requested(told.when(done(calls[4])).decisions) == []
    assert requested(told.when(done(calls[3])).decisions) == [5]


def test_code_that_may_write_is_over_before_a_call_that_writes_begins() -> None:
    told, calls, first = asked_for("xrx")
    assert requested(first) == [0]
    assert requested(told.when(done(calls[0])).decisions) == [1]
    assert requested(told.when(done(calls[1])).decisions) == [2]


def test_a_failed_write_keeps_nobody() -> None:
    told, calls, _ = asked_for("rp")
    failed = results.ToolCallFailed(told.state.batch[0].call_id, ToolError(ErrorKind.TIMEOUT, "slow"), "r")
    assert requested(told.when(failed).decisions) == [1]
    told.when(done(calls[1])).then_kinds(ev.ModelCallRequested)


def test_a_write_that_could_not_be_resolved_keeps_nobody() -> None:
    told = story().given(says())
    error = ToolError(ErrorKind.MALFORMED_ARGUMENTS, "not JSON")
    broken = wants(told, "db_sql", 0, effect=Effect.RECORDED, error=error)
    told.when(answers(told, "", [broken, wants(told, "look", 1)])).then_kinds(ev.ToolCallRequested)


@pytest.mark.parametrize("pausing", ["p", "r"])
def test_a_call_that_waits_for_people_keeps_nobody(pausing: str) -> None:
    told, calls, first = asked_for(f"{pausing}rp")
    assert requested(first) == [0]
    assert requested(told.when(asks(calls[0])).decisions) == [1]
    assert requested(told.when(done(calls[1])).decisions) == [2]
    told.when(done(calls[2])).then_kinds(ev.Waiting)
    told.when(responds(calls[0], {"answer": "Oslo"})).then_kinds(ev.ModelCallRequested)


def test_a_question_after_a_write_is_asked_once_that_is_done() -> None:
    told, calls, first = asked_for("rp")
    assert requested(first) == [0]
    assert requested(told.when(done(calls[0])).decisions) == [1]
    told.when(asks(calls[1])).then_kinds(ev.Waiting)


def test_a_question_that_expires_keeps_no_write() -> None:
    told, calls, _ = asked_for("prr")
    told.given(asks(calls[0], expires_at="2026-01-31T13:00:00Z"))
    expired = inputs.TimerDue("t", "call_expiry", CallId(calls[0]))
    assert [type(one) for one in told.when(expired).decisions] == [ev.ToolCallCancelled]
    assert requested(told.when(done(calls[1])).decisions) == [2]


def test_stop_cancels_what_runs_and_what_had_not_begun() -> None:
    told, calls, _ = asked_for("rrp")
    decided = told.when(inputs.Interrupted()).decisions
    assert [one.call_id for one in decided if isinstance(one, ev.ToolCallCancelled)] == calls
    assert isinstance(decided[-1], ev.BecameIdle)
    assert every_call_is_paired(told)
    told.when(done(calls[0])).then()  # the runner was done before it heard of it


def test_archiving_in_the_middle_leaves_no_call_unpaired() -> None:
    told, calls, _ = asked_for("rrr")
    told.given(done(calls[0]), inputs.Archived())
    assert every_call_is_paired(told)
    assert decide(told.state) is None


def test_a_sub_session_is_spawned_after_the_writes_before_it() -> None:
    told = story().given(says())
    first = current_call(told)
    spawn = wants(
        told, "spawn_session", 1, effect=Effect.RECORDED, runs_on=RunsOn.ENGINE, arguments={"task": "look"}
    )
    write = wants(told, "write_notepad", 0, effect=Effect.RECORDED)
    told.when(answers(told, "", [write, spawn])).then_kinds(ev.ToolCallRequested)
    told.when(done(f"{first}-00")).then_kinds(
        ev.ChildSpawned, results.ToolCallCompleted, ev.ModelCallRequested
    )


def test_a_report_ends_the_sub_session_after_the_calls_before_it_and_without_those_after_it() -> None:
    told = story(parent_id="s_0", parent_call_id="c").given(says())
    first = current_call(told)
    report = wants(
        told, "report_result", 1, effect=Effect.RECORDED, runs_on=RunsOn.ENGINE, arguments={"result": "done"}
    )
    wanted = [wants(told, "fetch_url", 0, effect=Effect.EXTERNAL), report, wants(told, "look", 2)]
    told.when(answers(told, "", wanted)).then_kinds(ev.ToolCallRequested)
    told.when(done(f"{first}-00")).then_kinds(results.ToolCallCompleted, ev.ToolCallCancelled, ev.Completed)
    assert call(told, f"{first}-00").status is CallStatus.COMPLETED
    assert call(told, f"{first}-02").status is CallStatus.CANCELLED


@pytest.mark.parametrize("place", [RunsOn.BROWSER, RunsOn.WORKSPACE])
def test_calls_of_one_place_follow_one_another_and_others_run_beside_them(place: RunsOn) -> None:
    told = story().given(says())
    kinds = [(place, Effect.EXTERNAL), (place, Effect.PURE), (RunsOn.TOOLS, Effect.PURE)]
    calls = [f"{current_call(told)}-{index:02d}" for index in range(len(kinds))]
    wanted = [
        wants(told, f"tool_{index}", index, runs_on=runs_on, effect=effect)
        for index, (runs_on, effect) in enumerate(kinds)
    ]
    assert requested(told.when(answers(told, "", wanted)).decisions) == [0, 2]
    assert requested(told.when(done(calls[0])).decisions) == [1]
