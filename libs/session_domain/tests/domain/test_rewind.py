"""Rewind and fork in the fold."""

import msgspec

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import Envelope, RecordedEvent
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.thinking_choice import ThinkingChoice
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.shown import messages
from foldline_testing.session_domain.story import (
    ForkStory,
    Story,
    answers,
    current_call,
    done,
    says,
    story,
    wants,
)
from session_domain.domain.decide import decide
from session_domain.domain.fold.rewind import adopt
from session_domain.domain.state import SessionState, Status


def asked_to_go_back(to: int) -> inputs.RewindRequested:
    """The user wants the conversation back as it was at `to`."""
    return inputs.RewindRequested(to=to, parts=("conversation",))


def went_back(told: Story, to: int, *parts: inputs.RewindPart) -> ev.Rewound:
    """The decision that the newest request for this leads to."""
    wanted = parts or ("conversation",)
    found = [
        one.sequence
        for one in told.recorded
        if isinstance(one.event, inputs.RewindRequested) and (one.event.to, one.event.parts) == (to, wanted)
    ]
    return ev.Rewound(to, found[-1], wanted)


def turn(told: Story, text: str) -> int:
    """A whole turn; the sequence at its end."""
    told.given(says(text))
    told.given(answers(told, f"re: {text}"))
    return told.state.last_sequence


def texts(state: SessionState) -> list[str]:
    """What was said."""
    return [message.text for message in state.messages()]


def test_going_back_forgets_what_was_said_since_but_not_what_was_spent() -> None:
    told = story()
    first = turn(told, "one")
    turn(told, "two")
    told.when(asked_to_go_back(first)).then(went_back(told, first))
    assert texts(told.state) == ["one", "re: one"]
    assert told.state.totals.output == 20
    assert told.state.status is Status.IDLE


def test_a_rewind_can_itself_be_rewound() -> None:
    told = story()
    first = turn(told, "one")
    second = turn(told, "two")
    told.given(asked_to_go_back(first))
    told.when(asked_to_go_back(second)).then(went_back(told, second))
    assert texts(told.state) == ["one", "re: one", "two", "re: two"]


def test_the_conversation_goes_on_from_where_it_went_back_to() -> None:
    told = story()
    first = turn(told, "one")
    turn(told, "two")
    told.given(asked_to_go_back(first))
    turn(told, "three")
    assert texts(told.state) == ["one", "re: one", "three", "re: three"]


def test_the_model_thinks_again_as_much_as_it_did_then() -> None:
    low, high = ThinkingChoice("low"), ThinkingChoice("high", 8_192)
    told = story(thinking=low)
    first = turn(told, "one")
    told.given(inputs.ThinkingChanged(high))
    second = turn(told, "two")
    told.given(inputs.ThinkingChanged())
    seen = [told.state.thinking, ForkStory(told, second, SessionId("s_fork")).state.thinking]
    for to in (second, first):
        told.given(asked_to_go_back(to))
        seen.append(told.state.thinking)
    assert seen == [None, high, high, low]


def test_between_a_call_and_its_result_the_nearest_earlier_point_counts() -> None:
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    told.given(answers(told, "", [wants(told, "look")]))
    middle = told.state.last_sequence
    told.given(done(told.state.batch[0].call_id))
    told.given(answers(told, "seen"))
    told.given(asked_to_go_back(middle))
    assert told.state.history[-1].role == "user"
    assert texts(told.state)[:2] == ["one", "re: one"]
    assert first < told.state.rest_sequence


def test_going_back_in_the_middle_of_a_turn_stops_its_calls_first() -> None:
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    told.given(answers(told, "", [wants(told, "look")]))
    told.when(asked_to_go_back(first)).then_kinds(ev.ToolCallCancelled, ev.Rewound)
    assert texts(told.state) == ["one", "re: one"]


def test_going_back_cuts_off_a_model_call_whose_late_answer_is_ignored() -> None:
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    late = answers(told, "too late")
    told.when(asked_to_go_back(first)).then(went_back(told, first))
    told.when(late).then()
    assert texts(told.state) == ["one", "re: one"]


def test_a_session_that_ended_does_not_go_back() -> None:
    told = story()
    first = turn(told, "one")
    told.given(inputs.Archived())
    told.when(asked_to_go_back(first)).then_kinds(ev.InputRefused)


def test_call_ids_are_never_used_twice_even_after_going_back() -> None:
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    before = current_call(told)
    told.given(answers(told, "x"), asked_to_go_back(first), says("two again"))
    assert current_call(told) != before


def test_what_a_task_hid_is_shown_again_and_the_task_is_open_again() -> None:
    told = story()
    told.given(says("one"))
    told.given(
        answers(told, "", [wants(told, "begin_task", arguments={"title": "t"}, runs_on=RunsOn.ENGINE)])
    )
    told.given(answers(told, "inside"))
    inside = told.state.last_sequence
    told.given(says("two"))
    told.given(
        answers(told, "", [wants(told, "end_task", arguments={"summary": "s"}, runs_on=RunsOn.ENGINE)])
    )
    assert told.state.shadows
    after = told.state.rest_sequence
    told.given(asked_to_go_back(inside))
    assert (told.state.shadows, [task.title for task in told.state.tasks]) == ((), ["t"])
    told.given(asked_to_go_back(after))
    assert (len(told.state.shadows), told.state.tasks) == (1, ())


def test_going_back_while_older_messages_are_being_hidden_leaves_nothing_half_done() -> None:
    told = story()
    first = turn(told, "one")
    turn(told, "two")
    told.given(says("three"))
    too_long = results.ModelCallFailed(
        current_call(told),
        results.ModelFailure.CONTEXT_LENGTH,
        "too long",
        "m",
        overflow=results.Overflow(1_000, 500),
    )
    told.given(too_long)
    assert told.state.compacting == "summarised"
    told.given(asked_to_go_back(first), says("two again"))
    assert told.state.model_call is not None
    assert told.state.model_call.purpose == "turn"
    told.when(answers(told, "fine")).then(ev.BecameIdle())


def test_a_fork_of_a_session_with_hidden_messages_hides_them_too() -> None:
    told = story()
    told.given(says("one"))
    begin = wants(told, "begin_task", runs_on=RunsOn.ENGINE, arguments={"title": "t"})
    told.given(answers(told, "", [begin]))
    told.given(answers(told, "inside"), says("two"))
    end = wants(told, "end_task", runs_on=RunsOn.ENGINE, arguments={"summary": "s"})
    told.given(answers(told, "", [end]))
    told.given(answers(told, "done"))
    forked = ForkStory(told, told.state.last_sequence, SessionId("s_2"))
    forked.given(says("go on"))
    shown = [message["content"] for message in messages(forked.state)]
    told.given(says("go on"))
    assert shown == [message["content"] for message in messages(told.state)]
    assert "inside" not in shown


def test_only_the_agent_going_back_is_told_in_the_log_and_stops_nothing() -> None:
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    told.when(inputs.RewindRequested(to=first, parts=("agent",))).then(went_back(told, first, "agent"))
    assert told.state.model_call is not None
    told.when(answers(told, "re: two")).then(ev.BecameIdle())
    assert texts(told.state) == ["one", "re: one", "two", "re: two"]


def test_what_a_session_made_can_go_back_even_when_it_has_ended() -> None:
    told = story()
    first = turn(told, "one")
    told.given(inputs.Archived())
    told.when(inputs.RewindRequested(to=first, parts=("agent",))).then(went_back(told, first, "agent"))
    assert told.state.status is Status.COMPLETED


def test_rewinds_that_are_asked_for_at_once_are_made_one_after_another() -> None:
    told = story()
    first = turn(told, "one")
    second = turn(told, "two")
    agent = inputs.RewindRequested(to=first, parts=("agent",))
    told.when(agent, asked_to_go_back(second), asked_to_go_back(first)).then(
        went_back(told, first, "agent"), went_back(told, second), went_back(told, first)
    )
    assert texts(told.state) == ["one", "re: one"]


def test_a_model_that_fails_while_the_session_goes_back_ends_nothing() -> None:
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    failed = results.ModelCallFailed(current_call(told), results.ModelFailure.OVERLOADED, "busy", "m")
    told.when(asked_to_go_back(first), failed).then(went_back(told, first))
    assert told.state.status is Status.IDLE


def test_a_fork_begins_with_the_others_history_and_its_own_limits() -> None:
    told = story()
    turn(told, "one")
    child = SessionState(SessionId("s_child"), position=1, last_sequence=1000, agent_id=AgentId("default"))
    envelope = Envelope("e", "t", "/s", "2026-01-31T12:34:56.000Z")
    event = ev.ForkedFrom(AgentId("default"), told.state.session_id, told.state.last_sequence)
    forked = adopt(
        child, RecordedEvent(1001, "ses.default.1.s_child.ev.forked_from", envelope, event), told.state
    )
    assert texts(forked) == ["one", "re: one"]
    assert (forked.totals.tokens, forked.position, forked.title) == (0, 2, "t")
    assert decide(forked) is None
    asked = msgspec.structs.replace(forked, queue=(told.state.history[0],))
    assert decide(asked) == ev.TurnStarted()
