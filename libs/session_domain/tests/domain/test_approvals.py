"""Calls that wait for a person's yes: they run once, as they were shown, and never without it."""

from typing import Any

import msgspec
import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.session_subjects import ENGINE_AS_RUNNER
from agent_contracts.policies import Grant, Match, OutsideSource, PolicyJudgement, Verdict, approved_hash
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.inputs import BegunBy
from agent_contracts.session_events.results import ResolvedCall
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.session_domain.story import (
    ForkStory,
    Story,
    all_calls,
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

COVERS = Match(tool="fetch_url", host="api.example.com", method="POST")
PAGE = OutsideSource("web", "news.example", "9.0")
JUDGED = PolicyJudgement(Verdict.ASK, "It sends something out", 3, COVERS, (PAGE,))
ARGUMENTS: dict[str, Json] = {"url": "https://api.example.com/", "method": "POST"}


def asking(told: Story, index: int = 0, **changes: Any) -> ResolvedCall:
    asked = {"arguments": ARGUMENTS, "effect": Effect.EXTERNAL, "judged": JUDGED} | changes
    return wants(told, "fetch_url", index, **asked)


def waiting(**created: Any) -> tuple[Story, str]:
    told = story(**created).given(says())
    wanted = asking(told)
    told.when(answers(told, calls=[wanted])).then_kinds(results.ToolCallPending, ev.Waiting)
    return told, wanted.call_id


def in_its_run(told: Story, call_id: str) -> results.ToolCallPending:
    """The call's code wanted to send something; its run is over."""
    covers = {"tool": "run_sandbox_code", "host": "api.example.com", "method": "POST"}
    return results.ToolCallPending(CallId(call_id), {"kind": "approval", "covers": covers}, "r")


def test_it_waits_unrequested_and_says_by_which_rule_what_a_yes_covers_and_what_was_read() -> None:
    told, call_id = waiting()
    [pending] = [one.event for one in told.recorded if isinstance(one.event, results.ToolCallPending)]
    assert pending.runner == ENGINE_AS_RUNNER
    assert pending.show == {
        "kind": "approval",
        "tool": "fetch_url",
        "rule": "It sends something out",
        "version": 3,
        "covers": {"tool": "fetch_url", "host": "api.example.com", "method": "POST"},
        "outside": [{"kind": "web", "name": "news.example", "address": "9.0"}],
    }
    assert told.state.status is Status.WAITING_FOR_INPUT
    assert call(told, call_id).requested is None
    assert timers(told.state) == []


def test_once_runs_it_once_bound_to_what_was_shown() -> None:
    told, call_id = waiting()
    asked_at = call(told, call_id).asked_at
    assert asked_at is not None
    told.when(responds(call_id, {"decision": "once"})).then(
        ev.ToolCallRequested(
            CallId(call_id),
            "fetch_url",
            ARGUMENTS,
            RunsOn.TOOLS,
            Effect.EXTERNAL,
            (Grant(COVERS, once=True),),
            approved_hash("fetch_url", ARGUMENTS, asked_at),
            asked_at,
        )
    )
    assert told.state.status is Status.RUNNING
    assert told.state.grants == ()
    told.when(done(call_id, {"status": 200})).then_kinds(ev.ModelCallRequested)
    again = asking(told)
    told.when(answers(told, calls=[again])).then_kinds(results.ToolCallPending, ev.Waiting)
    show = call(told, again.call_id).show
    assert show is not None
    assert show["before"] == ARGUMENTS


def test_a_session_remembers_what_was_allowed_for_it_but_a_fork_and_the_time_before_do_not() -> None:
    told, call_id = waiting()
    before = told.recorded[-4].sequence
    told.given(responds(call_id, {"decision": "session"}), done(call_id))
    told.given(answers(told, "done"))
    assert told.state.grants == (Grant(COVERS),)
    assert ForkStory(told, told.state.last_sequence, SessionId("s_2")).state.grants == ()
    told.given(inputs.RewindRequested(before, ("conversation",)))
    assert not told.state.grants


def test_a_yes_to_commands_is_for_those_that_were_offered_and_a_no_where_none_were() -> None:
    every = Match(family="workspace", command="*", sandbox="namespaces")
    judged = PolicyJudgement(
        Verdict.ASK, "It runs a command", 0, Match(tool="run_command", command="ls"), commands=every
    )
    told = story().given(says())
    wanted = asking(told, judged=judged)
    told.given(answers(told, calls=[wanted]))
    told.given(responds(wanted.call_id, {"decision": "commands"}), done(wanted.call_id))
    assert told.state.grants == (Grant(every),)
    other, call_id = waiting()
    other.given(responds(call_id, {"decision": "commands"}))
    assert other.state.grants == ()


def test_always_counts_in_the_session_whatever_becomes_of_the_policy() -> None:
    told, call_id = waiting()
    told.given(responds(call_id, {"decision": "always"}))
    assert told.state.grants == (Grant(COVERS),)


@pytest.mark.parametrize(
    "response",
    [
        {"decision": "refuse", "reason": "not that host"},
        {"decision": "yes"},
        {"decision": "once", "more": 1},
        {},
        None,
        "once",
        {"decision": "once", "arguments": "rm"},
    ],
)
def test_what_is_not_plainly_a_yes_is_a_no_that_the_model_reads(response: Json) -> None:
    told, call_id = waiting()
    told.when(responds(call_id, response)).then_kinds(ev.ModelCallRequested)
    ended = call(told, call_id)
    assert (ended.status, ended.requested) == (CallStatus.FAILED, None)
    assert ended.error is not None
    assert ended.error.kind is ErrorKind.REFUSED
    if response == {"decision": "refuse", "reason": "not that host"}:
        assert "The user refused this call: not that host." in ended.error.message


def test_edited_arguments_are_what_runs_and_what_the_history_says() -> None:
    told, call_id = waiting()
    edited = ARGUMENTS | {"url": "https://other.example/"}
    covers = {"tool": "fetch_url", "host": "other.example", "method": "POST"}
    answer: Json = {"decision": "session", "arguments": edited, "covers": covers}
    told.add(responds(call_id, answer))
    [request] = told.settle()
    assert isinstance(request, ev.ToolCallRequested)
    assert request.arguments == edited
    assert request.approved == approved_hash("fetch_url", edited, call(told, call_id).asked_at)
    assert {grant.match.host for grant in request.grants} == {"other.example"}
    assert call(told, call_id).edited


def test_answered_twice_the_first_counts() -> None:
    told, call_id = waiting()
    told.add(responds(call_id, {"decision": "refuse"}))
    told.add(responds(call_id, {"decision": "once"}))
    assert [type(one) for one in told.settle()] == [ev.ModelCallRequested]
    told, call_id = waiting()
    told.add(responds(call_id, {"decision": "once"}))
    told.add(responds(call_id, {"decision": "once"}))
    assert [type(one) for one in told.settle()] == [ev.ToolCallRequested]
    told.given(responds(call_id, {"decision": "refuse"}))
    assert call(told, call_id).status is CallStatus.REQUESTED


@pytest.mark.parametrize(
    "created", [{"begun_by": BegunBy("schedule", "s")}, {"parent_id": "s_0", "parent_call_id": "c"}]
)
def test_where_nobody_may_be_there_it_expires_as_refused(created: dict[str, Any]) -> None:
    told, call_id = waiting(**created)
    [timer] = timers(told.state)
    assert timer.call_id == call_id
    told.when(inputs.TimerDue("t", "call_expiry", CallId(call_id))).then_kinds(
        ev.ToolCallCancelled, ev.ModelCallRequested
    )
    ended = call(told, call_id)
    assert ended.error is not None
    assert "counts as refused" in ended.error.message
    told.given(responds(call_id, {"decision": "once"}))
    assert call(told, call_id).requested is None, "late"


def test_stop_ends_it_unrun() -> None:
    told, call_id = waiting()
    told.when(inputs.Interrupted()).then_kinds(ev.ToolCallCancelled, ev.BecameIdle)
    told.given(responds(call_id, {"decision": "once"}))
    assert call(told, call_id).requested is None
    assert every_call_is_paired(told)


def test_a_message_answers_no_approval() -> None:
    told, call_id = waiting()
    told.when(says("yes, do it")).then()
    assert call(told, call_id).status is CallStatus.PENDING


def test_an_engines_own_tool_waits_too() -> None:
    told = story().given(says())
    judged = PolicyJudgement(Verdict.ASK, "Rule 1 of the policy", 1, Match(tool="begin_task"))
    wanted = wants(told, "begin_task", arguments={"title": "t"}, runs_on=RunsOn.ENGINE, judged=judged)
    told.when(answers(told, calls=[wanted])).then_kinds(results.ToolCallPending, ev.Waiting)
    told.when(responds(wanted.call_id, {"decision": "once"})).then_kinds(
        results.ToolCallCompleted, ev.ModelCallRequested
    )


def test_calls_beside_it_go_on_and_one_that_writes_before_it_comes_first() -> None:
    told = story().given(says())
    first = wants(told, "set_state", 0, effect=Effect.RECORDED)
    asked, last = asking(told, 1), wants(told, "get_state", 2)
    told.when(answers(told, calls=[first, asked, last])).then_kinds(ev.ToolCallRequested)
    told.when(done(first.call_id)).then_kinds(results.ToolCallPending, ev.ToolCallRequested)
    told.when(done(last.call_id)).then_kinds(ev.Waiting)
    told.when(responds(asked.call_id, {"decision": "once"})).then_kinds(ev.ToolCallRequested)


def test_a_run_that_was_stopped_is_over_and_a_yes_is_for_the_next_run() -> None:
    told = story().given(says())
    code = wants(told, "run_sandbox_code", effect=Effect.EXTERNAL)
    told.given(answers(told, calls=[code]))
    told.when(in_its_run(told, code.call_id)).then_kinds(ev.Waiting)
    told.when(responds(code.call_id, {"decision": "once"})).then_kinds(ev.ModelCallRequested)
    ended = call(told, code.call_id)
    assert ended.error is not None
    assert (ended.status, ended.error.kind) == (CallStatus.FAILED, ErrorKind.APPROVAL_NEEDED)
    assert "make it again" in ended.error.message
    other = wants(told, "fetch_url", 0)
    again = [wants(told, "run_sandbox_code", index, effect=Effect.EXTERNAL) for index in (1, 2)]
    told.add(answers(told, calls=[other, *again]))
    requests = [one for one in told.settle() if isinstance(one, ev.ToolCallRequested)]
    assert [len(request.grants) for request in requests] == [0, 1, 0], "for the same call again alone"
    assert msgspec.to_builtins(requests[1].grants[0].match)["host"] == "api.example.com"


def test_what_code_asked_another_tool_for_is_allowed_once_for_exactly_that_in_the_next_run() -> None:
    told = story().given(says())
    code = wants(told, "run_sandbox_code", effect=Effect.EXTERNAL)
    told.given(answers(told, calls=[code]))
    asks: Json = {"tool": "shop__order", "arguments": {"item": "tea"}, "exact": "0f"}
    show: dict[str, Json] = {"kind": "approval", "covers": {"tool": "shop__order"}, "asks": asks}
    told.given(results.ToolCallPending(code.call_id, show, "r"), responds(code.call_id, {"decision": "once"}))
    same = approved_hash("run_sandbox_code", code.arguments, None)
    allowed = Grant(Match(tool="shop__order"), once=True, call=same, exact="0f")
    assert told.state.grants == (allowed,)
    directly = wants(told, "shop__order", 0, effect=Effect.EXTERNAL)
    other = wants(told, "run_sandbox_code", 1, effect=Effect.EXTERNAL, arguments={"code": "other"})
    again = wants(told, "run_sandbox_code", 2, effect=Effect.EXTERNAL)
    told.add(answers(told, calls=[directly, other, again]))
    requests = [one for one in told.settle() if isinstance(one, ev.ToolCallRequested)]
    assert [request.grants for request in requests] == [(), (), (allowed,)]
    assert not told.state.grants


def test_what_a_stopped_run_spent_counts() -> None:
    told = story().given(says())
    code = wants(told, "run_sandbox_code", effect=Effect.EXTERNAL)
    told.given(answers(told, calls=[code]))
    before = told.state.totals.tokens
    stopped = in_its_run(told, code.call_id)
    told.given(msgspec.structs.replace(stopped, usage=results.Usage(30, 10)))
    assert told.state.totals.tokens - before == 40


def test_refused_in_its_run_it_is_refused() -> None:
    told = story().given(says())
    code = wants(told, "run_sandbox_code", effect=Effect.EXTERNAL)
    told.given(answers(told, calls=[code]), in_its_run(told, code.call_id))
    told.given(responds(code.call_id, {"decision": "refuse"}))
    [ended] = all_calls(told.state)
    assert ended.error is not None
    assert ended.error.kind is ErrorKind.REFUSED
    assert told.state.grants == ()
