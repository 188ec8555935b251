"""Rows of sessions that have sub-sessions, were forked, went back, or grew too long."""

import json
from typing import Any

import msgspec

from agent_contracts.ids import CallId, SessionId, child_session_id
from agent_contracts.log.address import Address, at_place
from agent_contracts.session_events import inputs
from agent_contracts.thinking_choice import ThinkingChoice
from agent_contracts.tool_spec import RunsOn
from foldline_testing.projector.projecting import MemoryTables
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import (
    SESSION,
    ForkStory,
    Story,
    answers,
    asks,
    current_call,
    done,
    says,
    story,
    wants,
)
from projections.segments import segments_of
from projections.session_tables import MESSAGES, MODEL_CALLS, SESSIONS, TOOL_CALLS


def tables(*told: Story) -> MemoryTables:
    """The rows of these sessions, each later than the one before."""
    found = MemoryTables()
    for one in told:
        found.fold(as_messages(one.recorded, one.state.session_id))
    return found


def session(told: Story, *before: Story) -> Any:
    """The session's row."""
    return tables(*before, told).rows(SESSIONS)[(told.state.session_id,)]


def records(row: Any) -> list[tuple[str, int, int | None]]:
    """The conversation's segments, by records: all that they hold is alone in its record."""
    return [
        (owner, at_place(after).sequence, None if up_to is None else at_place(up_to).sequence)
        for owner, after, up_to in segments_of(row.segments)
    ]


def turn(told: Story, text: str) -> int:
    """A whole turn; the sequence at its end."""
    told.given(says(text)).given(answers(told, f"re: {text}"))
    return told.state.last_sequence


def goes_back(told: Story, to: int) -> int:
    """The user goes back; the rewind's sequence."""
    told.given(inputs.RewindRequested(to=to, parts=("conversation",)))
    return told.state.last_sequence


def engine_call(told: Story, tool: str, **arguments: Any) -> Any:
    """The model under way wants one of the engine's tools."""
    return wants(told, tool, runs_on=RunsOn.ENGINE, arguments=arguments)


def calls(told: Story) -> list[tuple[str, str, Any]]:
    """Tool, status and result of each call."""
    return [
        (row.tool, row.status, json.loads(row.result) if row.result else None)
        for row in tables(told).rows(TOOL_CALLS).values()
    ]


def test_a_spawned_session_is_the_result_of_its_call() -> None:
    told = story().given(says())
    child = child_session_id(SESSION, CallId(f"{current_call(told)}-00"))
    told.given(answers(told, "", [engine_call(told, "spawn_session", task="look")]))
    assert calls(told) == [("spawn_session", "completed", {"id": child})]
    [row] = tables(told).rows(TOOL_CALLS).values()
    assert None not in (row.requested_place, row.result_place, row.finished_at)


def test_a_call_that_waits_for_sessions_is_pending_and_then_has_their_results() -> None:
    told = story().given(says())
    child = child_session_id(SESSION, CallId(f"{current_call(told)}-00"))
    told.given(answers(told, "", [engine_call(told, "spawn_session", task="look")]))
    told.given(answers(told, "", [engine_call(told, "wait_for_sessions", ids=[child])]))
    assert calls(told)[1] == ("wait_for_sessions", "pending", None)
    assert session(told).status == "waiting_for_input"
    told.given(inputs.ChildFinished(child_id=child, status="completed", result="found", at=900))
    assert calls(told)[1][1:] == (
        "completed",
        {"results": [{"id": child, "status": "completed", "result": "found"}]},
    )


def test_a_refused_call_of_the_engines_failed_without_having_been_requested() -> None:
    told = story().given(says())
    told.given(answers(told, "", [engine_call(told, "wait_for_sessions", ids=["s_stranger"])]))
    [row] = tables(told).rows(TOOL_CALLS).values()
    assert (row.status, row.requested_place) == ("failed", None)
    assert json.loads(row.error)["path"] == "/ids/0"


def test_an_expired_call_says_that_nobody_answered() -> None:
    told = story().given(says())
    call_id = CallId(f"{current_call(told)}-00")
    told.given(answers(told, "", [wants(told, "ask_user")])).given(asks(call_id))
    told.given(inputs.TimerDue(timer_id="t", purpose="call_expiry", call_id=call_id))
    [row] = tables(told).rows(TOOL_CALLS).values()
    assert row.status == "cancelled"
    assert json.loads(row.error)["kind"] == "expired"
    assert json.loads(row.error)["message"] == "nobody answered in time"


def test_a_rewind_leaves_out_what_came_after_and_keeps_its_rows() -> None:
    told = story()
    first = turn(told, "one")
    turn(told, "two")
    back = goes_back(told, first)
    row = session(told)
    assert records(row) == [(SESSION, 0, first), (SESSION, back, None)]
    assert row.status == "idle"
    assert len(tables(told).rows(MESSAGES)) == 4


def test_undoing_a_rewind_shows_again_what_it_had_hidden() -> None:
    told = story()
    first, second = turn(told, "one"), turn(told, "two")
    goes_back(told, first)
    turn(told, "three")
    undone = goes_back(told, second)
    assert records(session(told)) == [(SESSION, 0, second), (SESSION, undone, None)]


def test_a_rewind_into_a_turn_leads_before_the_call_that_was_open() -> None:
    told = story()
    turn(told, "one")
    told.given(says("two"))
    requested = told.state.last_sequence
    told.given(answers(told, "", [wants(told, "look")]))
    middle = told.state.last_sequence
    told.given(done(told.state.batch[0].call_id)).given(answers(told, "seen"))
    back = goes_back(told, middle)
    assert records(session(told)) == [(SESSION, 0, requested - 1), (SESSION, back, None)]


def test_a_model_call_that_a_rewind_cut_off_is_cancelled() -> None:
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    goes_back(told, first)
    assert [row.status for row in tables(told).rows(MODEL_CALLS).values()] == ["completed", "cancelled"]
    assert session(told).open_model_call is None


def test_going_back_to_a_reached_limit_means_that_it_is_reached() -> None:
    told = story(token_limit=15).given(says())
    told.given(answers(told, "", [wants(told, "look")], tokens=20))
    told.given(done(told.state.batch[0].call_id))
    limited = told.state.last_sequence
    told.given(inputs.Continued(token_limit=100))
    goes_back(told, limited)
    assert told.state.status == session(told).status == "token_limit_reached"


def test_a_fork_begins_with_the_others_messages_by_reference() -> None:
    told = story()
    first = turn(told, "one")
    turn(told, "two")
    fork = ForkStory(told, first, SessionId("s_fork"))
    turn(fork, "else")
    row = session(fork, told)
    assert (row.forked_from_id, row.forked_from_sequence, row.title) == (SESSION, first, "t")
    assert records(row) == [(SESSION, 0, first), ("s_fork", 0, None)]
    assert [key for key in tables(told, fork).rows(MESSAGES) if key[0] == "s_fork"] == [
        ("s_fork", Address(message.sequence).place) for message in fork.state.history[2:]
    ]


def test_a_fork_of_a_fork_leaves_out_what_had_been_rewound_by_then() -> None:
    told = story()
    first = turn(told, "one")
    turn(told, "two")
    back = goes_back(told, first)
    third = turn(told, "three")
    fork = ForkStory(told, third, SessionId("s_fork"))
    at = turn(fork, "four")
    turn(fork, "five")
    again = ForkStory(fork, at, SessionId("s_again"))
    assert records(session(again, told, fork)) == [
        (SESSION, 0, first),
        (SESSION, back, third),
        ("s_fork", 0, at),
        ("s_again", 0, None),
    ]


def test_a_fork_in_the_middle_of_a_turn_is_at_work() -> None:
    told = story().given(says())
    told.given(answers(told, "", [wants(told, "look")]))
    told.add(done(told.state.batch[0].call_id))
    fork = ForkStory(told, told.state.last_sequence, SessionId("s_fork"))
    assert session(fork, told).status == "running"


def test_a_summary_is_a_message_of_its_own_and_the_request_for_it_none() -> None:
    told = story(10_000)
    for number in range(8):
        told.given(says(f"question {number}")).given(answers(told, f"answer {number}", tokens=1))
    told.given(says("and now?"))
    full = answers(told, "", [wants(told, "look")], tokens=80)
    told.given(msgspec.structs.replace(full, context_window=100))
    told.given(done(told.state.batch[0].call_id))
    told.given(answers(told, "ready")).given(answers(told, "we talked"))
    purposes = [row.purpose for row in tables(told).rows(MODEL_CALLS).values()][-3:]
    assert purposes == ["warning", "summary", "turn"]
    messages = tables(told).rows(MESSAGES).values()
    said = [(row.role, json.loads(row.body)) for row in messages if row.text == "we talked"]
    [shadow] = told.state.shadows
    assert said == [("summary", {"first": shadow.first, "last": shadow.last, "reason": "compaction"})]


def test_ending_a_task_stands_in_for_what_was_said_during_it() -> None:
    told = story().given(says())
    told.given(answers(told, "", [engine_call(told, "begin_task", title="dig")]))
    told.given(answers(told, "", [wants(told, "look")]))
    told.given(done(told.state.batch[0].call_id, "a lot"))
    told.given(answers(told, "", [engine_call(told, "end_task", summary="dug")]))
    *_, ended = tables(told).rows(TOOL_CALLS).values()
    assert (ended.tool, ended.status, ended.requested_place is not None) == ("end_task", "completed", True)
    [summary] = [row for row in tables(told).rows(MESSAGES).values() if row.role == "summary"]
    assert (summary.text, json.loads(summary.body)["reason"]) == ("dig: dug", "task")


def test_how_much_the_model_thinks_goes_back_too_and_a_fork_begins_with_it() -> None:
    def thinks(told: Story, *before: Story) -> tuple[str | None, int | None]:
        row = session(told, *before)
        return row.thinking_effort, row.thinking_budget

    told = story(thinking=ThinkingChoice("low"))
    first = turn(told, "one")
    told.given(inputs.ThinkingChanged(ThinkingChoice("high", 8_192)))
    second = turn(told, "two")
    told.given(inputs.ThinkingChanged())
    assert thinks(told) == (None, None)
    assert thinks(ForkStory(told, second, SessionId("s_fork")), told) == ("high", 8_192)
    goes_back(told, second)
    assert thinks(told) == ("high", 8_192)
    goes_back(told, first)
    assert thinks(told) == ("low", None)
