"""What each event makes of the rows. No database: the mapping is pure."""

import json
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from agent_contracts.api.calls import CallAccounting
from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.address import Address, at_place
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.inputs import Rating
from agent_contracts.session_events.results import CallClaimed, Resume, Usage
from agent_contracts.sessions.session_view import TokensUsed
from foldline_testing.projector.projecting import MemoryTables
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import (
    SENT,
    SESSION,
    Story,
    answers,
    asks,
    current_call,
    cut,
    done,
    fails,
    responds,
    says,
    story,
    wants,
)
from projections.log_tables import EVENTS
from projections.project.event_place import EventPlace, reaching
from projections.project.usage_json import usage_in
from projections.session_tables import MESSAGES, MODEL_CALLS, SESSIONS, TOOL_CALLS
from projections.table import ProjectedTable


def tables(told: Story) -> MemoryTables:
    return MemoryTables().fold(as_messages(told.recorded, SESSION))


def rows(told: Story, table: ProjectedTable[Any]) -> list[Any]:
    return list(tables(told).rows(table).values())


def session(told: Story) -> Any:
    return tables(told).rows(SESSIONS)[(SESSION,)]


def asked(*tools: str) -> Story:
    """A session whose model asked for tools."""
    told = story().given(says("hello"))
    return told.given(answers(told, "", [wants(told, tool, index) for index, tool in enumerate(tools)]))


def call(told: Story, index: int = 0) -> Any:
    return rows(told, TOOL_CALLS)[index]


def accounting_of(row: Any) -> CallAccounting:
    return msgspec.json.decode(row.accounting, type=CallAccounting)


def test_a_created_session_is_idle_and_has_no_tokens() -> None:
    row = session(story(token_limit=500))
    assert (row.status, row.token_limit, row.last_sequence) == ("idle", 500, 3)
    assert usage_in(row.usage) == Usage(0, 0)


def test_a_session_keeps_what_began_it() -> None:
    told = story(begun_by=inputs.BegunBy("schedule", "t_1"))
    assert json.loads(session(told).begun_by) == {"what": "schedule", "name": "t_1"}
    assert session(story()).begun_by is None


def test_a_user_message_is_a_message_and_starts_a_turn() -> None:
    told = story().given(says("hello"))
    [message] = rows(told, MESSAGES)
    assert (message.role, message.text, json.loads(message.body)) == ("user", "hello", {"files": []})
    assert session(told).status == "running"


def test_an_answer_is_a_message_with_its_usage_and_the_session_counts_it() -> None:
    told = story().given(says())
    model_call = current_call(told)
    told.given(answers(told, "hi", tokens=7))
    _, message = rows(told, MESSAGES)
    body = json.loads(message.body)
    assert (message.role, message.text, message.model_call_id) == ("assistant", "hi", model_call)
    spent = {"input": 0, "output": 7, "cached_input": 0, "cache_written": 0}
    assert body["usage"] == {**spent, "counted": False, "cost_micros": None, "tokens": 7}
    row = session(told)
    assert (row.status, usage_in(row.usage).output, row.open_model_call) == ("idle", 7, None)


def test_model_calls_are_numbered_in_their_session() -> None:
    told = asked("look")
    told.given(done(call(told).call_id))
    numbers = [(row.number, row.status) for row in rows(told, MODEL_CALLS)]
    assert numbers == [(1, "completed"), (2, "requested")]


def test_the_calls_of_an_answer_stand_under_its_message_in_order() -> None:
    told = asked("look", "see")
    _, message = rows(told, MESSAGES)
    calls = rows(told, TOOL_CALLS)
    assert [row.call_id for row in calls] == json.loads(message.body)["tool_calls"]
    assert [(row.position, row.message_place) for row in calls] == [
        (0, message.place),
        (1, message.place),
    ]


def test_a_call_that_could_not_be_resolved_has_failed_at_once_with_all_four_fields() -> None:
    told = story().given(says())
    error = ToolError(ErrorKind.UNKNOWN_TOOL, "no such tool")
    told.given(answers(told, "", [wants(told, "nope", error=error)]))
    row = call(told)
    assert row.status == "failed"
    assert row.finished_at is not None
    assert json.loads(row.error) == {
        "kind": "unknown_tool",
        "message": "no such tool",
        "path": None,
        "retryable": False,
    }


def test_a_call_goes_from_requested_over_running_to_completed() -> None:
    told = asked("look")
    requested = call(told)
    asked_at = Address(told.recorded[-1].sequence)
    assert (requested.status, requested.requested_place) == ("requested", asked_at.place)
    told.add(CallClaimed(call_id=requested.call_id, runner="r1"))
    assert call(told).status == "running"
    excerpt = Excerpt("a", "z", BlobRef("0" * 64, 10))
    told.add(
        results.ToolCallCompleted(
            call_id=requested.call_id, result=None, runner="r1", duration_ms=5, attempt=2, excerpt=excerpt
        )
    )
    row = call(told)
    assert (row.status, row.result) == ("completed", "null")
    assert accounting_of(row) == CallAccounting(duration_ms=5, attempt=2)
    assert json.loads(row.excerpt)["blob"]["size"] == 10


def test_a_failed_call_keeps_its_error() -> None:
    told = asked("look")
    error = ToolError(ErrorKind.INVALID_ARGUMENTS, "no", path="/a", retryable=True)
    told.given(results.ToolCallFailed(call_id=call(told).call_id, error=error, runner="r"))
    assert json.loads(call(told).error)["path"] == "/a"


def test_the_first_ending_of_a_call_counts() -> None:
    told = asked("look")
    call_id = call(told).call_id
    told.given(inputs.Interrupted())
    cancelled = call(told)
    told.add(done(call_id, "too late"))
    assert cancelled.status == "cancelled"
    assert json.loads(cancelled.error)["kind"] == "cancelled"
    assert call(told) == cancelled
    assert session(told).status == "idle"


def test_a_pending_call_is_shown_and_its_answer_is_its_result() -> None:
    told = asked("ask_user")
    call_id = call(told).call_id
    told.given(asks(call_id))
    assert (call(told).status, json.loads(call(told).show)["question"]) == ("pending", "Which city?")
    assert (session(told).status, json.loads(session(told).waiting_calls)) == ("waiting_for_input", [call_id])
    told.given(responds(call_id, {"answer": "Oslo", "from_options": False}))
    row = call(told)
    assert row.status == "completed"
    assert row.result == row.answer == '{"answer":"Oslo","from_options":false}'
    assert session(told).status == "running"


@pytest.mark.parametrize(
    ("kind", "at"), [("mcp_input", None), ("approval", None), ("mcp_task", "2026-01-01T00:00:05.000Z")]
)
def test_a_call_that_goes_on_is_asked_for_again_and_its_answer_is_not_its_result(
    kind: str, at: str | None
) -> None:
    told = asked("trips__book")
    call_id = call(told).call_id
    pending = results.ToolCallPending(call_id, {"kind": kind, "round": 1}, "m", resume=Resume(at=at))
    told.given(pending)
    assert (session(told).status, json.loads(session(told).waiting_calls)) == ("waiting_for_input", [call_id])
    first = call(told).requested_place
    goes_on = (
        inputs.TimerDue("t", "call_resumes", call_id) if at else responds(call_id, {"action": "decline"})
    )
    told.given(goes_on)
    row = call(told)
    assert (row.status, row.result) == ("requested", None)
    assert row.answer == (None if at else '{"action":"decline"}')
    assert row.requested_place > first
    assert (session(told).status, session(told).waiting_calls) == ("running", "[]")
    told.given(done(call_id, "booked"))
    assert (call(told).status, call(told).result) == ("completed", '"booked"')


def test_a_call_that_goes_on_ends_by_an_error_before_it_is_answered_and_any_other_does_not() -> None:
    gone = ToolError(ErrorKind.UPSTREAM, "gone")
    for kind, status in (("approval", "failed"), ("ask", "pending")):
        told = asked("trips__book")
        call_id = call(told).call_id
        resume = Resume() if kind == "approval" else None
        told.given(results.ToolCallPending(call_id, {"kind": kind, "round": 1}, "m", resume=resume))
        told.given(results.ToolCallFailed(call_id, gone, "m_2"))
        assert call(told).status == status


def test_what_a_run_spent_that_waits_for_a_yes_is_its_calls() -> None:
    told = asked("run_sandbox_code")
    told.given(results.ToolCallPending(call(told).call_id, {"kind": "approval"}, "r", usage=Usage(30, 10)))
    assert accounting_of(call(told)).usage == TokensUsed.of(Usage(30, 10))
    assert usage_in(session(told).usage).output >= 10


def test_a_second_answer_changes_nothing() -> None:
    told = asked("ask_user")
    call_id = call(told).call_id
    told.given(asks(call_id), responds(call_id, "first"), responds(call_id, "second"))
    assert call(told).result == '"first"'


def test_a_message_to_a_session_that_waits_for_one_question_answers_it() -> None:
    told = asked("ask_user")
    told.given(asks(call(told).call_id), says("Oslo"))
    assert json.loads(call(told).result) == {"answer": "Oslo", "from_options": False}
    assert [row.text for row in rows(told, MESSAGES)] == ["hello", "", "Oslo"]


def test_an_answer_has_the_files_that_came_with_it() -> None:
    told = asked("ask_user")
    told.given(asks(call(told).call_id), says("these", SENT))
    file = {"file_id": "f_1", "path": "reports/a.csv", "media_type": "text/csv", "size": 1234}
    assert json.loads(call(told).result) == {"answer": "these", "from_options": False, "files": [file]}


def test_a_message_to_a_session_that_waits_for_two_questions_answers_none() -> None:
    told = asked("ask_user", "ask_user")
    first, second = (row.call_id for row in rows(told, TOOL_CALLS))
    told.given(asks(first), asks(second), says("Oslo"))
    assert [row.status for row in rows(told, TOOL_CALLS)] == ["pending", "pending"]


def test_what_was_said_before_an_interruption_is_a_message_and_costs_tokens() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(inputs.Interrupted(), says("go on"))
    told.given(cut(call, "Once upon", tokens=9))
    stopped, _ = rows(told, MODEL_CALLS)
    assert (stopped.status, stopped.text, stopped.cut) == ("cancelled", "Once upon", "stopped")
    assert json.loads(stopped.usage)["output"] == 9
    assert usage_in(session(told).usage).output == 9
    _, _, message = rows(told, MESSAGES)
    assert (message.text, json.loads(message.body)["incomplete"]) == ("Once upon", "stopped")


def test_an_answer_that_its_server_broke_off_has_the_servers_words() -> None:
    told = story().given(says())
    half = cut(current_call(told), "Once upon", reason="failed")
    told.given(msgspec.structs.replace(half, cut_words="Upstream went away."))
    body = json.loads(rows(told, MESSAGES)[-1].body)
    assert (body["incomplete"], body["cut_words"]) == ("failed", "Upstream went away.")


def test_an_answer_says_what_its_model_does_not_take() -> None:
    told = story().given(says())
    adapted = ("without_field stream_options", "no_tools")
    told.given(msgspec.structs.replace(answers(told, "Well."), adapted=adapted))
    assert json.loads(rows(told, MESSAGES)[-1].body)["adapted"] == ["no_tools"]


def test_a_call_that_was_stopped_before_it_said_anything_leaves_no_message() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(inputs.Interrupted(), cut(call, "", tokens=9))
    assert [row.role for row in rows(told, MESSAGES)] == ["user"]
    assert session(told).cut_model_call is None


def test_what_a_sub_session_is_asked_by_foldline_is_a_message_with_its_source() -> None:
    told = story(parent_id="s_parent", depth=1).given(says())
    told.given(answers(told, "I looked."))
    asked = rows(told, MESSAGES)[-1]
    assert (asked.role, json.loads(asked.body)["source"]) == ("user", "foldline")


def test_archiving_cuts_the_model_off() -> None:
    told = story().given(says(), inputs.Archived())
    [model_call] = rows(told, MODEL_CALLS)
    assert (model_call.status, session(told).status) == ("cancelled", "completed")


def test_a_failed_model_call_fails_the_turn_with_a_message_for_people() -> None:
    told = story().given(says())
    told.given(fails(told, results.ModelFailure.AUTHENTICATION, message="bad key"))
    row = session(told)
    failed_sequence = told.recorded[-1].sequence
    assert (row.status, row.error_kind) == ("idle", None)
    assert json.loads(row.failed_turn or "") == {
        "failed_sequence": failed_sequence,
        "asked": told.recorded[-3].sequence,
        "retrying": False,
        "kind": "authentication",
        "message": "bad key",
        "retryable": True,
        "retry_at": "2026-01-31T12:35:26.000Z",
        "setting": None,
    }
    [model_call] = rows(told, MODEL_CALLS)
    assert json.loads(model_call.error) == {"kind": "authentication", "message": "bad key"}
    *_, message = rows(told, MESSAGES)
    assert (message.role, message.text, json.loads(message.body)) == (
        "error",
        "bad key",
        {"kind": "authentication"},
    )
    told.given(inputs.Interrupted())
    assert json.loads(session(told).failed_turn or "")["retry_at"] is None
    told.given(inputs.RetryAsked())
    assert (session(told).status, session(told).failed_turn) == ("running", None)


def test_a_session_is_active_when_somebody_speaks_not_when_it_fails_and_tries_again() -> None:
    told = story().given(says())
    told.given(fails(told, results.ModelFailure.OVERLOADED, message="busy"), inputs.RetryAsked())
    called = answers(told, "", [wants(told, "get_state")])
    said = answers(told, "Here it is.")
    quiet = [*(one.event for one in told.recorded[2:]), called]
    row = session(told)
    times = [row.created_at + timedelta(seconds=second) for second in range(20)]
    for event, time in zip(quiet, times, strict=False):
        moved = reaching(EventPlace(row.agent_id, SESSION, Address(9), time), row, event)
        assert (moved.active_at, moved.updated_at) == (row.active_at, time), event
    for event in (says("again"), said, ev.Waiting(())):
        assert (
            reaching(EventPlace(row.agent_id, SESSION, Address(9), times[-1]), row, event).active_at
            == times[-1]
        )


def test_a_sub_session_whose_turn_can_only_fail_ends_in_error() -> None:
    told = story(parent_id=SessionId("s_parent"), depth=1).given(says())
    told.given(fails(told, message="bad key", retryable=False))
    row = session(told)
    assert (row.status, row.error_kind, row.error_message) == ("error", "overloaded", "bad key")
    assert row.failed_turn is None


def test_a_message_that_came_too_late_is_marked_as_refused() -> None:
    told = story().given(inputs.Archived(), says("anyone?"))
    [message] = rows(told, MESSAGES)
    assert "refused" in json.loads(message.body)


def test_continuing_a_limited_session_makes_it_run_again() -> None:
    told = story(token_limit=10).given(says())
    told.given(answers(told, "", [wants(told, "look")], tokens=20))
    told.given(done(call(told).call_id))
    assert session(told).status == "token_limit_reached"
    told.add(inputs.Continued(token_limit=100))
    assert (session(told).status, session(told).token_limit) == ("running", 100)


@pytest.mark.parametrize("event", [inputs.Renamed(title="new"), ev.Titled(title="new")])
def test_a_session_can_get_another_title(event: inputs.Renamed | ev.Titled) -> None:
    told = story()
    told.add(event)
    assert session(told).title == "new"


def test_the_newest_rating_of_an_answer_counts_until_it_is_taken_back() -> None:
    told = story().given(says("hello"))
    told.given(answers(told, "Bergen"))
    question, answer = rows(told, MESSAGES)

    def rated(*ratings: tuple[int, Rating | None, str | None]) -> list[tuple[str | None, str | None]]:
        for place, rating, text in ratings:
            told.given(inputs.Feedback(str(at_place(place)), rating, text))
        return [(row.rating, row.rating_text) for row in rows(told, MESSAGES)]

    nothing = (None, None)
    assert rated((answer.place, "up", None)) == [nothing, ("up", None)]
    assert rated((answer.place, "down", "Wrong city")) == [nothing, ("down", "Wrong city")]
    assert rated((question.place, "up", None), (999, "up", None)) == [nothing, ("down", "Wrong city")]
    assert rated((answer.place, None, None)) == [nothing, nothing]


def test_batches_of_any_size_make_the_same_rows() -> None:
    told = asked("look", "ask_user")
    first, second = (row.call_id for row in rows(told, TOOL_CALLS))
    told.given(done(first), asks(second), says("Oslo"), inputs.Archived())
    one_by_one = MemoryTables()
    for message in as_messages(told.recorded, SESSION):
        one_by_one.fold([message])
    for table in (EVENTS, SESSIONS, MESSAGES, TOOL_CALLS, MODEL_CALLS):
        assert one_by_one.rows(table) == tables(told).rows(table)


def test_usage_of_every_call_adds_up() -> None:
    told = story().given(says())
    answer = results.ModelCallCompleted(
        call_id=CallId(current_call(told)),
        text="x",
        usage=Usage(input=5, output=3, cached_input=2, cache_written=1, cost_micros=30),
        model="m",
        context="0" * 64,
        latency_ms=1,
    )
    told.given(answer)
    row = session(told)
    assert usage_in(row.usage) == Usage(5, 3, 2, 1, cost_micros=30)
    [call] = rows(told, MODEL_CALLS)
    assert json.loads(call.usage or "") == {
        "input": 5,
        "output": 3,
        "cached_input": 2,
        "cache_written": 1,
        "counted": False,
        "cost_micros": 30,
        "tokens": 8,
    }


def test_what_tools_ask_models_for_adds_up_too() -> None:
    told = asked("look")
    before = session(told)
    [call] = rows(told, TOOL_CALLS)
    spent = Usage(input=50, output=4, cached_input=9, cost_micros=12)
    told.given(msgspec.structs.replace(done(call.call_id), usage=spent))
    row = session(told)
    assert usage_in(row.usage) == usage_in(before.usage) + spent
    [call] = rows(told, TOOL_CALLS)
    assert accounting_of(call).usage == TokensUsed.of(spent)


def test_a_call_that_paused_counts_what_all_its_runs_asked_models_for() -> None:
    told = asked("look")
    before = session(told)
    show = {"kind": "approval", "round": 1}
    paused = results.ToolCallPending(call(told).call_id, show, "r", resume=Resume(), usage=Usage(30, 10))
    told.given(paused)
    told.given(responds(paused.call_id, {"decision": "once"}))
    told.given(msgspec.structs.replace(done(paused.call_id), usage=Usage(3, 1), attempt=2))
    assert call(told).status == "completed"
    assert accounting_of(call(told)) == CallAccounting(
        duration_ms=1, attempt=2, usage=TokensUsed.of(Usage(33, 11))
    )
    assert usage_in(session(told).usage) == usage_in(before.usage) + Usage(33, 11)
