"""What is hidden from a model whose context runs full, and what never is."""

import json
from typing import Any

import msgspec
import pytest

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import results
from agent_contracts.session_events.results import ResolvedCall, TaskStep, ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.shown import messages
from foldline_testing.session_domain.story import (
    Story,
    answers,
    call,
    current_call,
    done,
    every_call_is_paired,
    says,
    story,
    wants,
)
from session_domain.domain.state import Status


def full(told: Story, text: str = "", calls: tuple[ResolvedCall, ...] = (), used: int = 80) -> Any:
    """The model answers, having used this much of a window of 100 tokens."""
    return msgspec.structs.replace(answers(told, text, calls, tokens=used), context_window=100)


def long_talk(turns: int = 8, token_limit: int = 10_000) -> Story:
    """A conversation of two messages a turn."""
    told = story(token_limit)
    for number in range(turns):
        told.given(says(f"question {number}"))
        told.given(answers(told, f"answer {number}", tokens=1))
    return told


def contents(told: Story) -> list[str]:
    """What the model under way is shown."""
    return [str(message["content"]) for message in messages(told.state)]


def test_at_eighty_percent_the_agent_is_warned_then_older_messages_hide_behind_a_summary() -> None:
    told = long_talk()
    told.given(says("and now?"))
    told.when(full(told, "noted", (wants(told, "look"),))).then_kinds(ev.ToolCallRequested)
    first = told.state.history[0].sequence
    told.when(done(told.state.batch[0].call_id)).then_kinds(ev.ModelCallRequested)
    assert told.recorded[-1].event.purpose == "warning"  # type: ignore[union-attr]
    assert "notepad" in contents(told)[-1]
    told.when(answers(told, "ready")).then_kinds(ev.ModelCallRequested)
    assert told.recorded[-1].event.purpose == "summary"  # type: ignore[union-attr]
    kept = told.state.history[-11].sequence
    told.when(answers(told, "we talked")).then_kinds(ev.MessagesShadowed, ev.ModelCallRequested)
    assert told.recorded[-2].event == ev.MessagesShadowed(first=first, last=kept, summary="we talked")
    assert contents(told)[0].endswith("we talked")
    assert "question 0" not in contents(told)
    assert "question 7" in contents(told)


def test_below_eighty_percent_nothing_is_hidden() -> None:
    told = long_talk()
    told.given(says("and now?"))
    told.given(full(told, "fine", used=79))
    told.when(says("more")).then_kinds(ev.TurnStarted, ev.ModelCallRequested)
    assert not told.state.shadows


def test_an_unknown_window_hides_nothing() -> None:
    told = long_talk()
    told.given(says("and now?"))
    told.given(answers(told, "fine", tokens=5000))
    told.when(says("more")).then_kinds(ev.TurnStarted, ev.ModelCallRequested)


def test_the_newest_ten_messages_and_the_waiting_ones_stay() -> None:
    told = long_talk()
    told.given(says("and now?"))
    told.given(full(told, "fine"))
    told.given(says("queued"))
    told.given(answers(told, "ready"), says("also queued"))
    told.given(answers(told, "we talked"))
    assert [text for text in contents(told) if "queued" in text] == ["queued", "also queued"]
    assert len(contents(told)) == 1 + 10 + 2


def test_hidden_messages_stay_in_the_history_for_people() -> None:
    told = long_talk()
    before = [message.text for message in told.state.messages()]
    told.given(says("and now?"))
    told.given(full(told, "fine"))
    told.given(says("go on"))
    told.given(answers(told, "ready"))
    told.given(answers(told, "we talked"))
    assert [message.text for message in told.state.messages()][: len(before)] == before


def test_a_second_compaction_covers_the_first() -> None:
    told = long_talk()
    for round_ in ("first", "second"):
        told.given(says("and now?"))
        told.given(full(told, "fine"))
        told.given(says("go on"))
        told.given(answers(told, "ready"))
        told.given(answers(told, f"{round_} summary"))
        told.given(answers(told, "on we go"))
        for number in range(4):
            told.given(says(f"more {number}"))
            told.given(answers(told, f"yes {number}", tokens=1))
    told.given(says("x"))
    assert next(text for text in contents(told) if "summary" in text.lower()).endswith("second summary")
    assert not any("first summary" in text for text in contents(told))


def too_long(told: Story, left: int = 500, **more: Any) -> results.ModelCallFailed:
    """The provider refuses the request as too long; a shorter one takes what is `left` of 1,000 tokens."""
    kind = results.ModelFailure.CONTEXT_LENGTH
    overflow = results.Overflow(1_000, left, **more)
    return results.ModelCallFailed(current_call(told), kind, "too long", "m", overflow=overflow)


def purpose(told: Story) -> str:
    """What the model under way is asked for."""
    assert told.state.model_call is not None
    return told.state.model_call.purpose


def test_a_request_that_is_too_long_is_shortened_and_tried_again_twice_at_most() -> None:
    told = long_talk()
    told.given(says("and now?"))
    told.when(too_long(told)).then_kinds(ev.ModelCallRequested)
    assert purpose(told) == "summary"
    told.when(answers(told, "we talked")).then_kinds(ev.MessagesShadowed, ev.ModelCallRequested)
    assert len(contents(told)) == 3
    told.given(too_long(told))
    told.given(answers(told, "we talked"))
    assert contents(told)[1:] == ["and now?"]
    told.when(too_long(told)).then(ev.TurnFailed("context_length", "too long"))


def test_a_request_that_was_not_sent_since_it_could_not_fit_is_no_try() -> None:
    told = long_talk()
    told.given(says("and now?"))
    unsent = msgspec.structs.replace(too_long(told), attempts=0)
    told.when(unsent).then_kinds(ev.ModelCallRequested)
    told.given(answers(told, "we talked"))
    assert told.state.refusals == 0
    told.given(too_long(told))
    told.given(answers(told, "we talked"))
    assert told.state.refusals == 1


def test_a_summary_that_is_too_long_is_tried_again_with_a_part_of_the_messages() -> None:
    told = long_talk()
    told.given(says("and now?"))
    told.given(too_long(told))
    told.when(too_long(told)).then_kinds(ev.ModelCallRequested)
    assert purpose(told) == "summary"
    part = told.state.history[3].sequence
    in_part = msgspec.structs.replace(answers(told, "the beginning"), summarised=part)
    told.when(in_part).then_kinds(ev.MessagesShadowed, ev.ModelCallRequested)
    assert told.recorded[-2].event.last == part  # type: ignore[union-attr]
    assert purpose(told) == "summary"
    told.when(answers(told, "all of it")).then_kinds(ev.MessagesShadowed, ev.ModelCallRequested)
    assert purpose(told) == "turn"
    assert contents(told)[0].endswith("all of it")
    assert len(contents(told)) == 3


def test_a_summary_of_which_nothing_can_be_left_out_fails_the_turn() -> None:
    told = long_talk()
    told.given(says("and now?"))
    told.given(too_long(told))
    told.when(too_long(told, left=1_000)).then_kinds(ev.TurnFailed)
    assert told.state.status is Status.IDLE


def test_a_request_of_which_nothing_can_be_left_out_is_asked_once() -> None:
    told = story().given(says("hello"))
    told.when(too_long(told, left=1_000)).then(ev.TurnFailed("context_length", "too long"))


def test_a_large_result_is_cut_before_any_message_is_hidden() -> None:
    told = long_talk()
    told.given(says("fetch it"))
    told.given(answers(told, "", [wants(told, "look")]))
    call_id = told.state.batch[0].call_id
    told.given(done(call_id, "begin" + "x" * 4_000 + "end"))
    sequence = told.state.history[-1].sequence
    cut = results.CutText(sequence, 6, 4, BlobRef("0" * 64, 4_010), call_id, "f_1")
    told.when(too_long(told, left=300, cuts=(cut,), fits=True)).then_kinds(ev.ModelCallRequested)
    assert purpose(told) == "turn"
    assert not told.state.shadows
    shown = json.loads(contents(told)[-1])
    assert (shown["head"], shown["tail"], shown["file_id"]) == ('"begin', 'end"', "f_1")
    assert "read on with file_read_text" in shown["note"]


def test_a_long_message_of_the_user_is_cut_as_well() -> None:
    told = story().given(says("begin" + "x" * 4_000 + "end"))
    cut = results.CutText(told.state.history[0].sequence, 5, 3, BlobRef("0" * 64, 4_008), None, "f_1")
    told.when(too_long(told, cuts=(cut,), fits=True)).then_kinds(ev.ModelCallRequested)
    [shown] = contents(told)
    assert shown.startswith("begin\n\n[… ")
    assert shown.endswith(" …]\n\nend")
    assert "The whole message is file f_1" in shown


def test_a_warning_that_is_refused_as_too_long_leads_to_a_summary() -> None:
    told = long_talk()
    told.given(says("and now?"))
    told.given(full(told, "fine"))
    told.given(says("more"))
    assert purpose(told) == "warning"
    told.when(too_long(told)).then_kinds(ev.ModelCallRequested)
    assert purpose(told) == "summary"
    told.when(answers(told, "we talked")).then_kinds(ev.MessagesShadowed, ev.ModelCallRequested)
    assert contents(told)[-1] == "more"


def test_summaries_that_free_nothing_become_rarer_and_rarer() -> None:
    told = long_talk(token_limit=1_000_000)
    asked = []
    for number in range(200):
        told.given(says(f"again {number}"))
        while isinstance(told.recorded[-1].event, ev.ModelCallRequested):
            asked.append(told.recorded[-1].event.purpose)
            told.given(full(told, f"text {len(asked)}", used=95))
    assert asked.count("turn") == 200
    assert asked.count("summary") <= 7


def test_a_window_that_always_seems_full_costs_few_requests() -> None:
    told = long_talk()
    asked = []
    for number in range(20):
        told.given(says(f"again {number}"))
        while isinstance(told.recorded[-1].event, ev.ModelCallRequested):
            asked.append(told.recorded[-1].event.purpose)
            told.given(full(told, f"text {len(asked)}", used=95))
    answered = asked.count("turn")
    assert answered == 20
    assert len(asked) <= 1.5 * answered


def task_call(told: Story, tool: str, **arguments: Any) -> ResolvedCall:
    """The model under way wants a task tool."""
    return wants(told, tool, runs_on=RunsOn.ENGINE, arguments=arguments)


def test_a_task_hides_its_work_behind_its_summary() -> None:
    told = story().given(says())
    told.given(answers(told, "", [task_call(told, "begin_task", title="search")]))
    for number in range(2):
        told.given(answers(told, f"step {number}", [wants(told, "look")]))
        told.given(done(told.state.batch[0].call_id, f"found {number}"))
    ending = answers(told, "", [task_call(told, "end_task", summary="it is in the cellar")])
    told.when(ending).then_kinds(ev.MessagesShadowed, ToolCallCompleted, ev.ModelCallRequested)
    shown = contents(told)
    assert not any("step" in text or "found" in text for text in shown)
    assert any(text.endswith("search: it is in the cellar") for text in shown)
    assert told.state.tasks == ()
    assert every_call_is_paired(told)


def test_code_begins_and_ends_a_task_with_the_results_of_its_calls() -> None:
    told = story().given(says())
    told.given(answers(told, "", [wants(told, "run_sandbox_code")]))
    told.given(by_code(told, TaskStep(begins="search")))
    assert [task.title for task in told.state.tasks] == ["search"]
    for number in range(2):
        told.given(answers(told, f"step {number}", [wants(told, "look")]))
        told.given(done(told.state.batch[0].call_id, f"found {number}"))
    told.given(answers(told, "", [wants(told, "run_sandbox_code")]))
    ending = by_code(told, TaskStep(ends="it is in the cellar"))
    told.when(ending).then_kinds(ev.MessagesShadowed, ev.ModelCallRequested)
    shown = contents(told)
    assert not any("step" in text or "found" in text for text in shown)
    assert any(text.endswith("search: it is in the cellar") for text in shown)
    assert told.state.tasks == ()
    assert every_call_is_paired(told)


def test_code_may_end_several_tasks_at_once_the_innermost_first_also_when_it_fails() -> None:
    told = story().given(says())
    for title in ("outer", "inner"):
        told.given(answers(told, f"before {title}", [wants(told, "run_sandbox_code")]))
        told.given(by_code(told, TaskStep(begins=title)))
        told.given(answers(told, f"in {title}", [wants(told, "look")]))
        told.given(done(told.state.batch[0].call_id))
    told.given(answers(told, "", [wants(told, "run_sandbox_code")]))
    call_id, error = told.state.batch[0].call_id, ToolError(ErrorKind.REJECTED, "it threw later")
    steps = (TaskStep(ends="one"), TaskStep(ends="two"), TaskStep(ends="none is open"))
    ending = ToolCallFailed(call_id, error, "r", tasks=steps)
    told.when(ending).then_kinds(ev.MessagesShadowed, ev.MessagesShadowed, ev.ModelCallRequested)
    shown = contents(told)
    assert any(text.endswith("outer: two") for text in shown)
    assert not any("in inner" in text or "in outer" in text for text in shown)
    assert told.state.tasks == ()


def test_a_task_that_code_begins_and_ends_in_one_call_hides_nothing() -> None:
    told = story().given(says())
    told.given(answers(told, "", [wants(told, "run_sandbox_code")]))
    ending = by_code(told, TaskStep(begins="quick"), TaskStep(ends="done"))
    told.when(ending).then_kinds(ev.ModelCallRequested)
    assert told.state.tasks == ()


def by_code(told: Story, *steps: TaskStep) -> ToolCallCompleted:
    """The result of the call in hand, whose code began and ended these tasks."""
    return msgspec.structs.replace(done(told.state.batch[0].call_id), tasks=steps)


def test_a_cancelled_task_keeps_everything() -> None:
    told = story().given(says())
    told.given(answers(told, "", [task_call(told, "begin_task", title="search")]))
    told.given(answers(told, "step", [wants(told, "look")]))
    told.given(done(told.state.batch[0].call_id, "found"))
    told.given(answers(told, "", [task_call(told, "cancel_task")]))
    assert "step" in contents(told)
    assert told.state.tasks == ()


def test_a_task_inside_a_task_ends_first() -> None:
    told = story().given(says())
    for title in ("outer", "inner"):
        told.given(answers(told, "", [task_call(told, "begin_task", title=title)]))
    model_call = current_call(told)
    told.given(answers(told, "", [task_call(told, "end_task", summary="done")]))
    assert call(told, f"{model_call}-00").result == {"ended": "inner"}
    assert [task.title for task in told.state.tasks] == ["outer"]


def test_a_warned_agent_that_hides_enough_itself_is_asked_for_no_summary() -> None:
    told = story(10_000).given(says())
    told.given(answers(told, "", [task_call(told, "begin_task", title="search")], tokens=1))
    for number in range(12):
        told.given(answers(told, f"step {number}", [wants(told, "look")], tokens=1))
        told.given(done(told.state.batch[0].call_id, number))
    told.given(full(told, "full now", (wants(told, "look"),)))
    told.given(done(told.state.batch[0].call_id))
    assert told.state.compacting == "warned"
    told.given(answers(told, "", [task_call(told, "end_task", summary="nothing there")], tokens=1))
    assert told.state.model_call is not None
    assert told.state.model_call.purpose == "turn"
    told.when(answers(told, "on we go", tokens=1)).then(ev.BecameIdle())


@pytest.mark.parametrize("tool", ["end_task", "cancel_task"])
def test_without_a_task_there_is_none_to_end(tool: str) -> None:
    told = story().given(says())
    model_call = current_call(told)
    arguments = {"summary": "x"} if tool == "end_task" else {}
    told.given(answers(told, "", [task_call(told, tool, **arguments)]))
    error = call(told, f"{model_call}-00").error
    assert error is not None
    assert error.kind == "rejected"
