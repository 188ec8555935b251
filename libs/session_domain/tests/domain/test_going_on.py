"""Calls that pause in their middle: they go on with what a person answers, or at a time, and end once."""

from typing import Any

import msgspec
import pytest

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.policies import Match, PolicyJudgement, Verdict, approved_hash
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.inputs import BegunBy
from agent_contracts.session_events.results import Resume
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.session_domain.story import (
    ForkStory,
    Story,
    answers,
    call,
    done,
    every_call_is_paired,
    responds,
    says,
    story,
    wants,
)
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import Status
from session_domain.domain.timers import timers

ASKED: dict[str, Json] = {"kind": "mcp_input"}
GIVEN: dict[str, Json] = {"action": "submit", "data": {"city": "Oslo"}}
SOON, LATER = "2026-01-01T00:00:05.000Z", "2026-01-01T00:01:00.000Z"


def begun(**created: Any) -> tuple[Story, CallId]:
    told = story(**created).given(says())
    wanted = wants(told, "trips__book", arguments={"a": 1}, effect=Effect.EXTERNAL, runs_on=RunsOn.MCP)
    told.given(answers(told, calls=[wanted]))
    return told, wanted.call_id


def pauses(call_id: CallId, round_: int = 1, **more: Any) -> results.ToolCallPending:
    resume = Resume(round_, {"state": f"s{round_}"}, **more)
    return results.ToolCallPending(call_id, {**ASKED, "round": round_}, "m_1", resume=resume)


def test_with_the_answer_it_is_asked_for_again_as_of_its_first_request() -> None:
    told, call_id = begun()
    first = call(told, call_id).requested
    assert first is not None
    told.when(pauses(call_id)).then_kinds(ev.Waiting)
    told.when(responds(call_id, GIVEN)).then(
        ev.ToolCallRequested(
            call_id,
            "trips__book",
            {"a": 1},
            RunsOn.MCP,
            Effect.EXTERNAL,
            code_at=first,
            resumed=ev.ResumedCall(first, 1, {"state": "s1"}, GIVEN),
        )
    )
    assert told.state.status is Status.RUNNING
    told.when(pauses(call_id, 2)).then_kinds(ev.Waiting)
    told.given(responds(call_id, GIVEN))
    resumed = call(told, call_id).resumed
    assert resumed is not None
    assert (resumed.since, resumed.round, resumed.state) == (first, 2, {"state": "s2"})
    told.when(done(call_id, {"text": "booked"})).then_kinds(ev.ModelCallRequested)
    ended = told.state.messages()[-1].tool_calls[0]
    assert (ended.status, ended.result, ended.resumed) == (CallStatus.COMPLETED, {"text": "booked"}, None)
    assert every_call_is_paired(told)


def test_of_two_answers_the_first_counts_and_neither_ends_the_call() -> None:
    told, call_id = begun()
    told.given(pauses(call_id), responds(call_id, GIVEN))
    told.when(responds(call_id, {"action": "decline"})).then()
    resumed = call(told, call_id).resumed
    assert resumed is not None
    assert resumed.answer == GIVEN
    assert call(told, call_id).status is CallStatus.REQUESTED


def test_stop_ends_it_while_it_waits_and_an_answer_then_changes_nothing() -> None:
    told, call_id = begun()
    told.given(pauses(call_id))
    told.when(inputs.Interrupted()).then(ev.ToolCallCancelled(call_id), ev.BecameIdle(reason="interrupted"))
    told.when(responds(call_id, GIVEN)).then()
    assert every_call_is_paired(told)


def test_a_rewind_goes_back_before_it_and_a_fork_begins_before_it() -> None:
    told, call_id = begun()
    before = told.state.rest_sequence
    told.given(pauses(call_id), responds(call_id, GIVEN))
    forked = ForkStory(told, told.state.last_sequence, SessionId("s_2"))
    assert forked.state.open_calls() == []
    told.when(inputs.RewindRequested(before, ("conversation",))).then_kinds(ev.ToolCallCancelled, ev.Rewound)
    assert told.state.open_calls() == []
    told.when(done(call_id)).then()


def test_where_who_held_it_has_stopped_it_ends_by_an_error_and_an_answer_then_changes_nothing() -> None:
    told, call_id = begun()
    told.given(msgspec.structs.replace(pauses(call_id), expires_at=LATER))
    told.when(done(call_id)).then()
    assert call(told, call_id).status is CallStatus.PENDING, "a result is nobody's, while it waits"
    gone = results.ToolCallFailed(call_id, ToolError(ErrorKind.UPSTREAM, "gone"), "m_2")
    told.when(gone).then_kinds(ev.ModelCallRequested)
    [ended] = told.state.messages()[-1].tool_calls
    assert (ended.status, ended.error, ended.resume) == (CallStatus.FAILED, gone.error, None)
    assert timers(told.state) == []
    told.when(responds(call_id, GIVEN)).then()
    told.when(gone).then()
    assert every_call_is_paired(told)


def test_an_error_is_no_answer_to_a_call_that_ends_by_its_answer() -> None:
    told, call_id = begun()
    told.given(results.ToolCallPending(call_id, {"kind": "ask"}, "m_1"))
    told.when(results.ToolCallFailed(call_id, ToolError(ErrorKind.UPSTREAM, "gone"), "m_2")).then()
    assert call(told, call_id).status is CallStatus.PENDING


def test_where_nobody_answers_in_time_it_goes_on_without_an_answer() -> None:
    told, call_id = begun()
    told.given(msgspec.structs.replace(pauses(call_id), expires_at=LATER))
    assert [(one.purpose, one.due_at) for one in timers(told.state)] == [("call_expiry", LATER)]
    [again] = told.when(inputs.TimerDue("t", "call_expiry", call_id)).decisions
    assert isinstance(again, ev.ToolCallRequested)
    assert again.resumed is not None
    assert (again.resumed.round, again.resumed.answer) == (1, None)
    assert timers(told.state) == []
    told.when(responds(call_id, GIVEN)).then()
    told.when(inputs.TimerDue("t", "call_expiry", call_id)).then()
    told.when(done(call_id)).then_kinds(ev.ModelCallRequested)
    assert every_call_is_paired(told)


def test_what_nobody_allowed_in_time_does_not_go_on() -> None:
    told, call_id = begun()
    told.given(
        msgspec.structs.replace(pauses(call_id), show={"kind": "approval", "round": 1}, expires_at=LATER)
    )
    told.when(inputs.TimerDue("t", "call_expiry", call_id)).then_kinds(
        ev.ToolCallCancelled, ev.ModelCallRequested
    )
    error = told.state.messages()[-1].tool_calls[0].error
    assert error is not None
    assert error.kind is ErrorKind.EXPIRED


def test_in_a_session_that_nobody_attends_it_expires_by_itself() -> None:
    told, call_id = begun(begun_by=BegunBy("schedule", "t"))
    told.given(pauses(call_id))
    assert [one.purpose for one in timers(told.state)] == ["call_expiry"]


def test_at_its_time_it_goes_on_by_itself_and_looks_without_a_claim() -> None:
    told, call_id = begun(begun_by=BegunBy("schedule", "t"))
    told.given(pauses(call_id, at=SOON, looks=True))
    assert [(one.purpose, one.due_at) for one in timers(told.state)] == [("call_resumes", SOON)]
    [again] = told.when(inputs.TimerDue("t", "call_resumes", call_id)).decisions
    assert isinstance(again, ev.ToolCallRequested)
    assert (again.effect, again.resumed and again.resumed.looks) == (Effect.PURE, True)
    assert call(told, call_id).effect is Effect.EXTERNAL
    told.given(pauses(call_id, 2, at=LATER, looks=True))
    assert [(one.purpose, one.due_at) for one in timers(told.state)] == [("call_resumes", LATER)]
    told.when(done(call_id)).then()
    told.given(inputs.TimerDue("t", "call_resumes", call_id))
    told.when(done(call_id)).then_kinds(ev.ModelCallRequested)
    assert timers(told.state) == []


def test_what_needed_a_yes_goes_on_under_the_same_yes_and_takes_no_other() -> None:
    told = story().given(says())
    judged = PolicyJudgement(Verdict.ASK, "It acts", 1, Match(tool="trips__book"))
    wanted = wants(told, "trips__book", effect=Effect.EXTERNAL, runs_on=RunsOn.MCP, judged=judged)
    told.given(answers(told, calls=[wanted]), responds(wanted.call_id, {"decision": "once"}))
    asked_at = call(told, wanted.call_id).asked_at
    told.given(pauses(wanted.call_id))
    [again] = told.when(responds(wanted.call_id, GIVEN)).decisions
    assert isinstance(again, ev.ToolCallRequested)
    assert again.approved == approved_hash("trips__book", wanted.arguments, asked_at)
    assert again.code_at == asked_at


@pytest.mark.parametrize(
    ("answer", "granted"),
    [({"decision": "once"}, 0), ({"decision": "session"}, 1), ({"decision": "refuse"}, 0), ({"x": 1}, 0)],
)
def test_a_run_that_is_held_for_a_yes_goes_on_with_the_answer_whichever_it_is(
    answer: dict[str, Json], granted: int
) -> None:
    told, call_id = begun()
    first = call(told, call_id).requested
    assert first is not None
    covers: Json = {"tool": "protoagent.code_with", "command": "make"}
    show = {"kind": "approval", "tool": "t", "rule": "r", "version": 1, "covers": covers, "round": 1}
    told.when(results.ToolCallPending(call_id, show, "w_1", resume=Resume(1, "held"))).then_kinds(ev.Waiting)
    told.given(responds(call_id, answer))
    request = told.recorded[-1].event
    assert isinstance(request, ev.ToolCallRequested)
    assert request.resumed == ev.ResumedCall(first, 1, "held", answer)
    assert len(request.grants) == len(told.state.grants) == granted
    told.when(done(call_id, {"text": "made"})).then_kinds(ev.ModelCallRequested)
    assert every_call_is_paired(told)


def test_a_call_that_goes_on_leaves_a_yes_for_the_same_call_to_the_next_one() -> None:
    told = story().given(says())
    arguments: dict[str, Json] = {"code": "send()"}
    of_code: dict[str, Any] = {"arguments": arguments, "effect": Effect.EXTERNAL}
    first, second = (wants(told, "run_sandbox_code", index, **of_code) for index in (0, 1))
    told.given(answers(told, calls=[first, second]), pauses(second.call_id))
    covers: Json = {"tool": "run_sandbox_code", "host": "api.example.com", "method": "POST"}
    stopped = results.ToolCallPending(first.call_id, {"kind": "approval", "covers": covers}, "r")
    told.given(stopped, responds(first.call_id, {"decision": "once"}))
    [allowed] = told.state.grants
    told.given(responds(second.call_id, GIVEN))
    request = told.recorded[-1].event
    assert isinstance(request, ev.ToolCallRequested)
    assert (request.call_id, request.grants) == (second.call_id, ())
    assert told.state.grants == (allowed,)
    told.given(done(second.call_id))
    again = wants(told, "run_sandbox_code", 0, **of_code)
    told.given(answers(told, calls=[again]))
    request = told.recorded[-1].event
    assert isinstance(request, ev.ToolCallRequested)
    assert request.grants == (allowed,)
    assert not told.state.grants
