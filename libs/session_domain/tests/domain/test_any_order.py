"""Whatever comes, in any order: each call is paired, no state is stuck, `decide` reproduces the log."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.living import IN_ANY_ORDER, Life
from foldline_testing.session_domain.shown import messages
from foldline_testing.session_domain.story import Story, answers, cut, done, responds, says
from session_domain.domain.decide import decide
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import SessionState, Status
from session_domain.snapshot_pieces import in_pieces, joined, read_head

pytestmark = pytest.mark.long

_ASKED_FOR_BY_PEOPLE = (ev.ForkedFrom, ev.ForkMade)


class AnySession(Life):
    """Every state that a session can come to, and every state on the way there."""

    @rule(data=st.data())
    def the_engine_crashes(self, data: st.DataObject) -> None:
        """Its state is lost: another goes on from a snapshot of any time, or from the log alone."""
        points = [recorded.sequence for recorded in self.story.recorded]
        at = data.draw(st.sampled_from([0, *points]))
        state = through_a_snapshot(self.story.at(at)) if at else SessionState(self.story.state.session_id)
        for recorded in self.story.recorded:
            if recorded.sequence > at:
                state = self.story.next(state, recorded)
        assert state == self.story.state
        self.story.state = state

    @invariant()
    def a_settled_session_waits_for_somebody(self) -> None:
        state = self.story.state
        if decide(state) is None:
            check_that_it_waits_for_somebody(state)

    @invariant()
    def somebody_can_always_move_it(self) -> None:
        told = self.story.another_way()
        everybody_answers(told)
        check_that_it_waits_for_somebody(told.state)
        if told.state.status is Status.TOKEN_LIMIT_REACHED:
            told.given(inputs.Continued(token_limit=told.state.totals.tokens + 1_000))
            everybody_answers(told)
        if not told.state.status.is_terminal:
            assert told.state.status == "idle"
            told.given(says("go on"))
            assert told.state.model_call or told.state.status is Status.TOKEN_LIMIT_REACHED

    @invariant()
    def a_provider_never_sees_an_unpaired_call(self) -> None:
        if self.story.state.model_call is None:
            return
        expected: list[str] = []
        for message in messages(self.story.state):
            if message["role"] == "tool":
                assert message["tool_call_id"] == expected.pop(0)
            else:
                assert not expected, "a call has no result where the provider looks for it"
                calls = message.get("tool_calls", [])
                expected = [call["id"] for call in calls]
        assert not expected

    @invariant()
    def its_running_time_is_counted_while_it_runs_and_only_then(self) -> None:
        state = self.story.state
        assert (state.running_since is not None) is (state.status is Status.RUNNING)

    @invariant()
    def a_snapshot_holds_everything(self) -> None:
        assert through_a_snapshot(self.story.state) == self.story.state

    def is_told(self) -> None:
        """The whole log again: the same state, and at each decision the same decision."""
        again = self.story.begun_anew()
        for recorded in self.story.recorded:
            if recorded.envelope.prev is not None and not isinstance(recorded.event, _ASKED_FOR_BY_PEOPLE):
                assert decide(again.state) == recorded.event
            again.fold(recorded)
        assert again.state == self.story.state


def through_a_snapshot(state: SessionState) -> SessionState:
    saved = in_pieces(state, "e")
    return joined(read_head(saved.head), saved.new)


def everybody_answers(told: Story) -> None:
    """The engine, the model, the runners, the children and the user do their part until none has one."""
    for _ in range(50):
        told.settle()
        state = told.state
        if state.status is Status.TOKEN_LIMIT_REACHED:
            return
        if state.model_call is not None:
            told.add(answers(told, "text", tokens=1))
            continue
        if state.cut_call is not None:
            told.add(cut(state.cut_call.call_id))
            continue
        calls = state.open_calls()
        if not calls:
            return
        call = calls[0]
        if call.status is CallStatus.REQUESTED:
            told.add(done(call.call_id))
        elif call.runs_on is not RunsOn.ENGINE:
            told.add(responds(call.call_id, "answer"))
        else:
            live = next(child for child in state.children if child.is_live)
            told.add(inputs.ChildFinished(child_id=live.child_id, status="completed", at=10**9))
    raise AssertionError(f"nobody moves it: {told.state}")


def check_that_it_waits_for_somebody(state: SessionState) -> None:
    """That a session for which there is nothing to decide waits for something that can come."""
    requested = [call for call in state.open_calls() if call.status is CallStatus.REQUESTED]
    pending = [call for call in state.open_calls() if call.status is CallStatus.PENDING]
    waits_for = {child for call in pending for child in call.arguments.get("ids", ())}
    match state.status:
        case Status.RUNNING:
            assert state.model_call or state.cut_call or requested, "running, but nobody works on it"
        case Status.WAITING_FOR_INPUT:
            assert pending, "waiting, but for nothing"
            assert not requested
            assert state.model_call is None
        case Status.IDLE:
            failed = state.failed_turn  # what it knew then it reads when the turn goes on
            unread = [one for one in state.queue if failed is None or one.sequence > failed.asked]
            assert not unread, "idle with a message that nobody reads"
            assert not state.open_calls()
            assert state.model_call is None
        case Status.TOKEN_LIMIT_REACHED:
            assert not state.open_calls()
            assert state.model_call is None
        case Status.COMPLETED | Status.ERROR:
            assert not state.open_calls()
            assert not state.refused
            assert state.model_call is None
    for call in pending:
        if call.tool == "wait_for_sessions":
            known = [state.child(child) for child in call.arguments["ids"]]
            assert any(child and child.is_live for child in known), "it waits for sessions that have ended"
    assert all(state.child(child) for child in waits_for)


@pytest.mark.timeout(600)
def test_whatever_comes_in_2_000_steps() -> None:
    run_state_machine_as_test(AnySession, settings=settings(IN_ANY_ORDER, max_examples=40))


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_whatever_comes_in_200_000_steps() -> None:
    many = settings(IN_ANY_ORDER, max_examples=1_000, stateful_step_count=200, derandomize=False)
    run_state_machine_as_test(AnySession, settings=many)
