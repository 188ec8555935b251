"""Rollback and fork in the fold."""

import msgspec

from agent_contracts.codec import Recorded
from agent_contracts.envelope import Envelope
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from session_engine.domain.decide import decide
from session_engine.domain.rewind import adopt
from session_engine.domain.state import Session, Status
from session_engine.testing.story import Story, answers, current_call, done, says, story, wants


def asked_to_go_back(to: int) -> inputs.RollbackAsked:
    """The user wants the conversation back as it was at `to`."""
    return inputs.RollbackAsked(to=to, parts=("conversation",))


def turn(told: Story, text: str) -> int:
    """A whole turn; the sequence at its end."""
    told.given(says(text))
    told.given(answers(told, f"re: {text}"))
    return told.state.last_sequence


def texts(state: Session) -> list[str]:
    """What was said."""
    return [message.text for message in state.messages()]


def test_going_back_forgets_what_was_said_since_but_not_what_was_spent():
    told = story()
    first = turn(told, "one")
    turn(told, "two")
    told.when(asked_to_go_back(first)).then(ev.RolledBack(to=first))
    assert texts(told.state) == ["one", "re: one"]
    assert told.state.totals.output == 20
    assert told.state.status is Status.IDLE


def test_a_rollback_can_itself_be_rolled_back():
    told = story()
    first = turn(told, "one")
    second = turn(told, "two")
    told.given(asked_to_go_back(first))
    told.when(asked_to_go_back(second)).then(ev.RolledBack(to=second))
    assert texts(told.state) == ["one", "re: one", "two", "re: two"]


def test_the_conversation_goes_on_from_where_it_went_back_to():
    told = story()
    first = turn(told, "one")
    turn(told, "two")
    told.given(asked_to_go_back(first))
    turn(told, "three")
    assert texts(told.state) == ["one", "re: one", "three", "re: three"]


def test_between_a_call_and_its_result_the_nearest_earlier_point_counts():
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
    assert first < told.state.rest_at


def test_going_back_in_the_middle_of_a_turn_stops_its_calls_first():
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    told.given(answers(told, "", [wants(told, "look")]))
    told.when(asked_to_go_back(first)).then_kinds(ev.ToolCallCancelled, ev.RolledBack)
    assert texts(told.state) == ["one", "re: one"]


def test_going_back_cuts_off_a_model_call_whose_late_answer_is_ignored():
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    late = answers(told, "too late")
    told.when(asked_to_go_back(first)).then(ev.RolledBack(to=first))
    told.when(late).then()
    assert texts(told.state) == ["one", "re: one"]


def test_a_session_that_ended_does_not_go_back():
    told = story()
    first = turn(told, "one")
    told.given(inputs.Archived())
    told.when(asked_to_go_back(first)).then_kinds(ev.InputRefused)


def test_call_ids_are_never_used_twice_even_after_going_back():
    told = story()
    first = turn(told, "one")
    told.given(says("two"))
    before = current_call(told)
    told.given(answers(told, "x"), asked_to_go_back(first), says("two again"))
    assert current_call(told) != before


def test_a_fork_begins_with_the_others_history_and_its_own_limits():
    told = story()
    turn(told, "one")
    child = Session(SessionId("s_child"), position=1, last_sequence=1000, agent_id=AgentId("default"))
    envelope = Envelope("e", "t", "/s", "s_child", "2026-01-31T12:34:56.000Z")
    event = ev.ForkedFrom(AgentId("default"), told.state.session_id, told.state.last_sequence)
    forked = adopt(child, Recorded(1001, "ses.default.1.s_child.ev.forked_from", envelope, event), told.state)
    assert texts(forked) == ["one", "re: one"]
    assert (forked.totals.tokens, forked.position, forked.title) == (0, 2, "t")
    assert decide(forked) is None
    asked = msgspec.structs.replace(forked, queue=(told.state.history[0],))
    assert decide(asked) == ev.TurnStarted()
