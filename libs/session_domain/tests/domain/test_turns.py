"""A turn: from the message through model and tools back to idle."""

import msgspec
import pytest

from agent_contracts.errors import ErrorKind, LogCorrupt, ToolError
from agent_contracts.ids import AgentId, CallId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from foldline_testing.session_domain.shown import messages
from foldline_testing.session_domain.story import (
    SENT,
    SESSION,
    all_calls,
    answers,
    asks,
    current_call,
    done,
    every_call_is_paired,
    responds,
    says,
    story,
    wants,
)
from foldline_testing.session_domain.story import (
    call as call_of,
)
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import SessionState, Status


def test_a_new_session_is_idle_and_calls_for_nothing() -> None:
    told = story()
    assert told.settle() == []
    assert told.state.status is Status.IDLE


def test_a_message_starts_a_turn_and_joins_the_model_call() -> None:
    told = story()
    told.when(says()).then(
        ev.TurnStarted(), ev.ModelCallRequested(call_id=CallId("m000003"), joins=(told.recorded[1].sequence,))
    )
    assert told.state.status is Status.RUNNING
    assert [message.text for message in told.state.history] == ["hello"]


def test_an_untitled_session_takes_its_title_from_the_first_line_of_its_first_message() -> None:
    told = story()
    told.state = msgspec.structs.replace(told.state, title=None)
    told.when(says("Plan a trip\nto Oslo")).then_kinds(ev.TurnStarted, ev.Titled, ev.ModelCallRequested)
    assert told.state.title == "Plan a trip"


def test_a_text_answer_ends_the_turn() -> None:
    told = story().given(says())
    told.when(answers(told, "hi")).then(ev.BecameIdle())
    assert told.state.status is Status.IDLE


def test_an_empty_answer_ends_the_turn_too() -> None:
    told = story().given(says())
    told.when(answers(told, "")).then(ev.BecameIdle())


def test_three_tool_calls_are_requested_in_order_and_the_model_hears_when_all_are_done() -> None:
    told = story().given(says())
    call = current_call(told)
    told.when(answers(told, "", [wants(told, f"tool_{i}", i) for i in range(3)])).then_kinds(
        *[ev.ToolCallRequested] * 3
    )
    told.when(done(f"{call}-02")).then()
    told.when(done(f"{call}-00")).then()
    told.when(done(f"{call}-01")).then_kinds(ev.ModelCallRequested)
    assert every_call_is_paired(told)


def test_a_call_that_could_not_be_resolved_is_over_at_once_and_the_model_hears_the_error() -> None:
    told = story().given(says())
    error = ToolError(ErrorKind.UNKNOWN_TOOL, "there is no tool 'fly'")
    told.when(answers(told, "", [wants(told, "fly", error=error)])).then_kinds(ev.ModelCallRequested)
    assert [call.error for call in all_calls(told.state)] == [error]


def test_text_and_calls_together_keep_both() -> None:
    told = story().given(says())
    told.when(answers(told, "let me look", [wants(told, "look")])).then_kinds(ev.ToolCallRequested)
    assert told.state.history[-1].text == "let me look"


def test_the_same_provider_call_id_in_every_turn_confuses_nothing() -> None:
    told = story().given(says())
    first = current_call(told)
    told.given(answers(told, "", [wants(told, "look")]), done(f"{first}-00", "one"))
    second = current_call(told)
    told.given(answers(told, "", [wants(told, "look")]), done(f"{second}-00", "two"))
    assert [call.result for call in all_calls(told.state)].count("one") == 1
    assert {call.result for call in all_calls(told.state)} == {"one", "two"}


def test_a_message_while_running_is_queued_and_joins_the_next_model_call_in_order() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "look")]))
    told.when(says("first"), says("second")).then()
    told.when(done(f"{call}-00")).then_kinds(ev.ModelCallRequested)
    assert [message.text for message in told.state.history if message.role == "user"] == [
        "hello",
        "first",
        "second",
    ]


def test_a_message_that_comes_with_the_answer_keeps_the_turn_going() -> None:
    told = story().given(says())
    told.when(says("wait, also"), answers(told, "hi")).then_kinds(ev.ModelCallRequested)


def test_a_message_to_an_ended_session_is_recorded_as_refused() -> None:
    told = story().given(inputs.Archived())
    told.when(says()).then(
        ev.InputRefused(input=told.recorded[-2].sequence, reason="the session is completed")
    )


def test_the_token_limit_stops_the_session_before_the_next_model_call_and_continue_resumes_it() -> None:
    told = story(token_limit=50).given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "look")], tokens=60))
    told.when(done(f"{call}-00")).then(ev.TokenLimitHit(used=60, limit=50))
    told.when(inputs.Continued(token_limit=500)).then_kinds(ev.ModelCallRequested)


def test_a_pausing_call_makes_the_session_wait_and_its_answer_resumes_it() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "ask_user")]))
    told.when(asks(f"{call}-00")).then(ev.Waiting(calls=(CallId(f"{call}-00"),)))
    told.when(responds(f"{call}-00", {"answer": "Oslo", "from_options": True})).then_kinds(
        ev.ModelCallRequested
    )
    assert call_of(told, f"{call}-00").result == {"answer": "Oslo", "from_options": True}


def test_a_second_answer_to_a_call_changes_nothing() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "ask_user")]), asks(f"{call}-00"), responds(f"{call}-00", 1))
    told.when(responds(f"{call}-00", 2)).then()
    assert call_of(told, f"{call}-00").result == 1


def test_a_message_to_a_waiting_session_answers_its_only_question() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "ask_user")]), asks(f"{call}-00"))
    told.when(says("Oslo")).then_kinds(ev.ModelCallRequested)
    assert call_of(told, f"{call}-00").result == {"answer": "Oslo", "from_options": False}


def test_files_that_come_with_an_answer_stand_in_it() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "ask_user")]), asks(f"{call}-00"))
    told.when(says("", SENT)).then_kinds(ev.ModelCallRequested)
    file = {"file_id": "f_1", "path": "reports/a.csv", "media_type": "text/csv", "size": 1234}
    assert call_of(told, f"{call}-00").result == {"answer": "", "from_options": False, "files": [file]}


@pytest.mark.parametrize(("text", "beginning"), [("Look at these", "Look at these\n\n"), ("", ""), (" ", "")])
def test_a_model_is_told_which_files_came_with_a_message(text: str, beginning: str) -> None:
    told = story().given(says(text, SENT, msgspec.structs.replace(SENT, file_id="f_2", path="b.png")))
    assert messages(told.state) == [
        {
            "role": "user",
            "content": f"{beginning}[Foldline] The user sent file f_1: reports/a.csv (text/csv, 1234 bytes)\n"
            "[Foldline] The user sent file f_2: b.png (text/csv, 1234 bytes)",
        }
    ]


def test_with_two_open_questions_a_message_is_queued_and_both_stay_open() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(
        answers(told, "", [wants(told, "ask_user", 0), wants(told, "ask_user", 1)]),
        asks(f"{call}-00"),
        asks(f"{call}-01"),
    )
    told.when(says("Oslo")).then()
    assert len(told.state.open_calls()) == 2
    told.given(responds(f"{call}-00", 1))
    told.when(responds(f"{call}-01", 2)).then_kinds(ev.ModelCallRequested)
    assert told.state.history[-1].text == "Oslo"


def test_a_pausing_call_beside_others_waits_until_the_others_are_done() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "ask_user", 0), wants(told, "look", 1)]))
    told.when(asks(f"{call}-00")).then()
    told.when(done(f"{call}-01")).then_kinds(ev.Waiting)


def test_stop_cancels_the_running_tools_and_leaves_idle() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "look", 0), wants(told, "look", 1)]), done(f"{call}-00"))
    told.when(inputs.Interrupted()).then(
        ev.ToolCallCancelled(call_id=CallId(f"{call}-01")), ev.BecameIdle(reason="interrupted")
    )
    assert every_call_is_paired(told)


def test_stop_while_waiting_cancels_the_question() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "ask_user")]), asks(f"{call}-00"))
    told.when(inputs.Interrupted()).then_kinds(ev.ToolCallCancelled, ev.BecameIdle)
    told.when(responds(f"{call}-00", "late")).then()


def test_stop_on_an_idle_session_does_nothing() -> None:
    story().when(inputs.Interrupted()).then()


def test_a_result_after_the_cancellation_is_ignored() -> None:
    told = story().given(says())
    call = current_call(told)
    told.given(answers(told, "", [wants(told, "look")]), inputs.Interrupted())
    told.when(done(f"{call}-00", "late")).then()
    assert call_of(told, f"{call}-00").status is CallStatus.CANCELLED


def test_archiving_a_session_at_work_cancels_what_is_open_and_completes() -> None:
    told = story().given(says())
    told.given(answers(told, "", [wants(told, "look")]))
    told.when(inputs.Archived()).then_kinds(ev.ToolCallCancelled, ev.Completed)
    assert told.state.status is Status.COMPLETED


def test_a_hole_before_a_decision_is_seen() -> None:
    told = story().given(says())
    created, _lost, turn_started, *_ = told.recorded
    state = evolve(SessionState(SESSION), created)
    with pytest.raises(LogCorrupt, match="the event before it here"):
        evolve(state, turn_started)


def test_a_result_before_its_request_counts_for_nothing() -> None:
    told = story().given(says())
    call = current_call(told)
    told.add(answers(told, "", [wants(told, "look")]))
    told.add(done(f"{call}-00"))
    requested = told.settle()
    assert isinstance(requested[0], ev.ToolCallRequested)
    assert told.state.call(CallId(f"{call}-00")).status is CallStatus.REQUESTED  # type: ignore[union-attr]


def test_a_second_creation_is_passed_over_and_the_next_decision_comes_after_it() -> None:
    told = story().given(says())
    before = told.state
    told.add(inputs.Created(agent_id=AgentId("default"), token_limit=1))
    moved = msgspec.structs.replace(before, last_sequence=told.state.last_sequence)
    assert told.state == moved
    told.given(answers(told, "Hello"))
    assert told.state.status is Status.IDLE


def test_what_comes_before_the_creation_is_passed_over() -> None:
    first, *rest = story().given(says()).recorded
    early = msgspec.structs.replace(rest[0], sequence=1)
    state = evolve(SessionState(SESSION), early)
    assert (state.position, state.last_sequence) == (0, 1)
    assert evolve(state, first).position == 1


def test_what_a_tool_asks_models_for_counts_toward_the_limit_also_where_it_failed() -> None:
    told = story(token_limit=1000).given(says())
    first, second = wants(told, "llm_generate"), wants(told, "llm_generate", 1)
    told.given(answers(told, calls=(first, second)))
    used = told.state.totals.tokens
    spent = results.Usage(input=200, output=30)
    told.given(msgspec.structs.replace(done(first.call_id), usage=spent))
    assert told.state.totals.tokens == used + 230
    failed = results.ToolCallFailed(
        call_id=second.call_id,
        error=ToolError(ErrorKind.UPSTREAM, "no"),
        runner="r",
        usage=results.Usage(input=900, output=0),
    )
    told.when(failed).then(ev.TokenLimitHit(used=used + 1130, limit=1000))
