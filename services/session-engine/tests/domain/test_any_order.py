"""Whatever comes, in any order: each call is paired, no state is stuck, `decide` reproduces the log."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.session_events import inputs, results
from session_engine.domain.decide import decide
from session_engine.domain.prompt import messages
from session_engine.domain.state import CallStatus, Session, Status
from session_engine.testing.story import (
    SESSION,
    answers,
    asks,
    current_call,
    done,
    responds,
    says,
    story,
    wants,
)

TOOLS = ["look", "ask_user", "unknown"]


class AnySession(RuleBasedStateMachine):
    """Inputs, results, late results and duplicates against the domain; an engine that may lag behind."""

    def __init__(self) -> None:
        super().__init__()
        self.story = story(token_limit=400)

    def calls(self, status: CallStatus) -> list[str]:
        return sorted(c.call_id for c in self.story.state.all_calls() if c.status is status)

    @rule()
    def engine_settles(self) -> None:
        self.story.settle()

    @rule()
    def engine_takes_one_step(self) -> None:
        decision = decide(self.story.state)
        if decision is not None:
            self.story.add(decision)

    @rule(text=st.sampled_from(["hello", "also", ""]))
    def user_says(self, text: str) -> None:
        self.story.add(says(text))

    @rule()
    def user_stops(self) -> None:
        self.story.add(inputs.Interrupted())

    @rule(limit=st.integers(100, 1000))
    def user_continues(self, limit: int) -> None:
        self.story.add(inputs.Continued(token_limit=self.story.state.token_limit + limit))

    @precondition(lambda self: self.story.state.model_call is not None)
    @rule(
        tools=st.lists(st.sampled_from(["look", "ask_user", "unknown"]), max_size=3),
        tokens=st.integers(0, 90),
    )
    def model_answers(self, tools: list[str], tokens: int) -> None:
        error = ToolError(ErrorKind.UNKNOWN_TOOL, "no such tool")
        calls = [
            wants(self.story, tool, index, error=error if tool == "unknown" else None)
            for index, tool in enumerate(tools)
        ]
        answer = answers(self.story, "text", calls, tokens)
        self.story.add(answer)

    @rule(data=st.data())
    def tool_finishes(self, data: st.DataObject) -> None:
        known = self.calls(CallStatus.REQUESTED) + self.calls(CallStatus.CANCELLED)
        if known:
            self.story.add(done(data.draw(st.sampled_from(known)), "ok"))

    @rule(data=st.data())
    def tool_pauses(self, data: st.DataObject) -> None:
        running = self.calls(CallStatus.REQUESTED)
        if running:
            self.story.add(asks(data.draw(st.sampled_from(running))))

    @rule(data=st.data())
    def somebody_responds(self, data: st.DataObject) -> None:
        known = sorted(call.call_id for call in self.story.state.all_calls())
        if known:
            self.story.add(responds(data.draw(st.sampled_from(known)), "answer"))

    @precondition(lambda self: self.story.state.model_call is not None and len(self.story.recorded) > 30)
    @rule()
    def model_fails(self) -> None:
        self.story.add(
            results.ModelCallFailed(
                call_id=current_call(self.story),
                kind=results.ModelFailure.OVERLOADED,
                message="busy",
                model="m",
            )
        )

    @precondition(lambda self: len(self.story.recorded) > 40)
    @rule()
    def user_archives(self) -> None:
        self.story.add(inputs.Archived())

    @invariant()
    def a_settled_session_waits_for_somebody(self) -> None:
        state = self.story.state
        if decide(state) is not None:
            return
        requested = [call for call in state.open_calls() if call.status is CallStatus.REQUESTED]
        pending = [call for call in state.open_calls() if call.status is CallStatus.PENDING]
        match state.status:
            case Status.RUNNING:
                assert state.model_call or requested, "running, but nobody works on it"
            case Status.WAITING_FOR_INPUT:
                assert pending, "waiting, but for nothing"
            case Status.IDLE:
                assert not state.queue, "idle with a message nobody reads"
                assert not state.open_calls()
            case Status.COMPLETED | Status.ERROR:
                assert not state.open_calls()
                assert not state.refused

    @invariant()
    def a_provider_never_sees_an_unpaired_call(self) -> None:
        if self.story.state.model_call is None:
            return
        shown = messages(self.story.state)
        asked = [call["id"] for message in shown for call in message.get("tool_calls", [])]
        answered = [message["tool_call_id"] for message in shown if message["role"] == "tool"]
        assert asked == answered

    @invariant()
    def its_running_time_is_counted_while_it_runs_and_only_then(self) -> None:
        state = self.story.state
        assert (state.running_since is not None) is (state.status is Status.RUNNING)

    def teardown(self) -> None:
        """The whole log again: the same state, and at each decision the same decision."""
        state = Session(SESSION)
        for recorded in self.story.recorded:
            if recorded.envelope.prev is not None:
                assert decide(state) == recorded.event
            state = self.story.next(state, recorded)
        assert state == self.story.state


AnySession.TestCase.settings = settings(
    max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestAnySession = AnySession.TestCase
