"""Lives of sessions that Hypothesis makes up: whatever can happen to one, in any order."""

from typing import Any, Literal

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import ModelFailure, ResolvedCall
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import RunsOn
from session_domain.domain.decide import decide
from session_domain.domain.evolve_results import CUT_AT_TOKEN_LIMIT
from session_domain.domain.state import CallStatus, Status
from session_domain.testing.story import (
    SESSION,
    ForkStory,
    Story,
    answers,
    asks,
    done,
    responds,
    says,
    story,
    wants,
)

NOBODYS = CallId("m999999-00")
"""A call that no model ever asked for."""
_LIMITS = st.sampled_from([200, 5000])
_YOUTHS = st.sampled_from([20, 60, 1000])
_TEXTS = st.sampled_from(["hello", "also", ""])
_TOOLS = ["look", "look", "ask_user", "ask_user", "unknown"]
_ENGINE_TOOLS = [
    "spawn_session",
    "fork_session",
    "wait_for_sessions",
    "begin_task",
    "end_task",
    "cancel_task",
    "report_result",
    "no_such_engine_tool",
]
_MODEL_FAILURES = [ModelFailure.CONTEXT_LENGTH, ModelFailure.CONTEXT_LENGTH, ModelFailure.OVERLOADED]
_ENDED: list[Literal["completed", "error", "token_limit_reached"]] = [
    "completed",
    "error",
    "token_limit_reached",
]


IN_ANY_ORDER = settings(
    max_examples=65,
    stateful_step_count=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
"""5,000 steps and some more, the same ones each time; other seeds are for the long run."""


class Life(RuleBasedStateMachine):
    """One session after another, each driven by everything that can come to it.

    Mostly somebody does what is to be done. In between facts come in any order, late, twice, or to the wrong
    call, and the engine lags behind. A fork is gone on with in place of the session that it was forked from;
    `ancestors` are those. Nothing ends a session that has fewer than `youth` events.
    """

    def __init__(self) -> None:
        super().__init__()
        self.story = story()
        self.ancestors: list[Story] = []
        self.asked: list[CallId] = []
        self.lagging = False
        self.youth = 0

    @initialize(of_a_parent=st.booleans(), token_limit=_LIMITS, youth=_YOUTHS)
    def begins(self, of_a_parent: bool, token_limit: int, youth: int) -> None:
        """A session comes into being."""
        self.youth = youth
        parent: dict[str, Any] = {"parent_id": SessionId("s_parent"), "depth": 2, "run_timeout_s": 120.0}
        self.story = story(token_limit, title=None, **(parent if of_a_parent else {}))
        self.ancestors, self.asked, self.lagging = [], [], False

    def happens(self, event: SessionEvent) -> None:
        """A fact; the engine decides on it, unless it lags behind."""
        self.story.add(event)
        if not self.lagging:
            self.settles()

    def settles(self) -> None:
        """Everything is decided that can be."""
        for decision in self.story.settle():
            self._note(decision)

    def _note(self, decision: object) -> None:
        if isinstance(decision, ev.ModelCallRequested):
            self.asked.append(decision.call_id)

    @property
    def may_end(self) -> bool:
        """Whether the session is old enough."""
        return len(self.story.recorded) > self.youth

    @property
    def is_over(self) -> bool:
        """Whether the session has ended and has nothing more to say."""
        return self.story.state.status.is_terminal and decide(self.story.state) is None

    def calls(self, *statuses: CallStatus) -> list[CallId]:
        """Its own calls in these states (any, if none is named), without those it was forked with."""
        own = [m for m in self.story.state.messages() if m.sequence > self.story.recorded[0].sequence]
        return sorted(c.call_id for m in own for c in m.tool_calls if not statuses or c.status in statuses)

    # The engine

    @rule()
    def the_engine_lags_behind(self) -> None:
        """From now on it decides only when it comes to it."""
        self.lagging = True

    @precondition(lambda self: self.lagging)
    @rule()
    def the_engine_catches_up(self) -> None:
        """And keeps up from now on."""
        self.lagging = False
        self.settles()

    @precondition(lambda self: decide(self.story.state) is not None)
    @rule()
    def the_engine_takes_one_step(self) -> None:
        """One decision."""
        decision = decide(self.story.state)
        assert decision is not None
        self._note(decision)
        self.story.add(decision)

    # What is to be done

    @rule(data=st.data())
    def it_goes_on(self, data: st.DataObject) -> None:
        """Whoever it waits for does what it waits for."""
        state = self.story.state
        if decide(state) is not None and not self.lagging:
            self.settles()
        elif state.model_call is not None:
            self.happens(self._answer(data))
        elif open_calls := [c for c in state.open_calls() if c.status is not CallStatus.PLANNED]:
            call = data.draw(st.sampled_from(open_calls))
            match call.status, call.tool:
                case CallStatus.REQUESTED, "ask_user":
                    self.happens(asks(call.call_id))
                case CallStatus.REQUESTED, _:
                    self.happens(done(call.call_id, "ok"))
                case _, "wait_for_sessions":
                    live = [child.child_id for child in state.children if child.is_live]
                    if live:
                        child = data.draw(st.sampled_from(live))
                        self.happens(_ends(child, "completed", state.last_sequence))
                    else:
                        self.settles()  # the engine lags behind what they reported
                case _:
                    self.happens(responds(call.call_id, "answer"))
        elif state.status is Status.TOKEN_LIMIT_REACHED:
            self.happens(inputs.Continued(token_limit=state.totals.tokens + 300))
        else:
            self.happens(says(data.draw(_TEXTS)))

    so_it_goes_on = rule(data=st.data())(lambda self, data: self.it_goes_on(data))
    and_it_goes_on = rule(data=st.data())(lambda self, data: self.it_goes_on(data))
    still_it_goes_on = rule(data=st.data())(lambda self, data: self.it_goes_on(data))

    # People, clocks and other services

    @rule(text=_TEXTS, who=st.sampled_from(["user", "user", "reminder", "mail"]))
    def somebody_says(self, text: str, who: str) -> None:
        """The user, a reminder or another service, whatever goes on."""
        match who:
            case "user":
                self.happens(says(text))
            case "reminder":
                self.happens(inputs.ReminderDue("r", text))
            case _:
                self.happens(inputs.Woken(who, text))

    @precondition(lambda self: self.story.state.status is not Status.IDLE or self.lagging)
    @rule()
    def the_user_stops_it(self) -> None:
        """Stop is pressed."""
        self.happens(inputs.Interrupted())

    @rule(more=st.integers(-100, 1000))
    def the_user_continues(self, more: int) -> None:
        """With another limit, not always a higher one."""
        self.happens(inputs.Continued(token_limit=max(1, self.story.state.totals.tokens + more)))

    @rule(
        data=st.data(),
        parts=st.sampled_from([("conversation",), ("conversation", "agent"), ("agent",)]),
    )
    def the_user_goes_back(self, data: st.DataObject, parts: tuple[Any, ...]) -> None:
        """To any event, one that a rollback hid included; or to one before the session."""
        sequence = data.draw(st.sampled_from([0, *(one.sequence for one in self.story.recorded)]))
        self.happens(inputs.RollbackAsked(to=sequence, parts=parts))

    @precondition(lambda self: self.may_end)
    @rule()
    def the_user_archives_it(self) -> None:
        """It is closed."""
        self.happens(inputs.Archived())

    @rule(data=st.data(), what=st.sampled_from(["answered", "expired", "timed_out", "renamed"]))
    def something_comes_that_nobody_waits_for(self, data: st.DataObject, what: str) -> None:
        """Mostly: now and then a call is named that is waited for."""
        call = data.draw(st.sampled_from([NOBODYS, *self.calls()]))
        match what:
            case "answered":
                self.happens(responds(call, "answer"))
            case "expired":
                self.happens(inputs.TimerDue(timer_id="t", purpose="call_expiry", call_id=call))
            case "timed_out":
                self.happens(inputs.TimerDue(timer_id="t", purpose="child_timeout", call_id=call))
            case _:
                self.happens(inputs.Renamed(title="renamed"))

    @rule(seconds=st.sampled_from([0.5, 60, -5]))
    def time_passes(self, seconds: float) -> None:
        """Or a clock is set back."""
        self.story.after(seconds)

    @rule(data=st.data())
    def a_question_expires(self, data: st.DataObject) -> None:
        """Nobody answered in time."""
        pending = self.calls(CallStatus.PENDING)
        if pending:
            call = data.draw(st.sampled_from(pending))
            self.happens(inputs.TimerDue(timer_id="t", purpose="call_expiry", call_id=call))

    @precondition(lambda self: self.may_end)
    @rule()
    def its_running_time_is_over(self) -> None:
        """The run time-out passes."""
        self.happens(inputs.TimerDue(timer_id="t", purpose="run_timeout"))

    @precondition(lambda self: self.story.state.children)
    @rule(data=st.data(), how=st.sampled_from(_ENDED), again=st.booleans())
    def a_child_ends(self, data: st.DataObject, how: Any, again: bool) -> None:
        """One of its own or a stranger's; `again`: the end that was told before is told once more."""
        children = self.story.state.children
        child = data.draw(st.sampled_from([SessionId("s_stranger"), *(one.child_id for one in children)]))
        known = self.story.state.child(child)
        at = known.ended_at if known and again else self.story.state.last_sequence
        self.happens(_ends(child, how, at))

    # The model

    def _answer(self, data: st.DataObject) -> results.ModelCallCompleted:
        """Text and any calls, right or wrong ones."""
        tools = data.draw(st.lists(st.sampled_from([*_TOOLS, *_TOOLS, *_ENGINE_TOOLS]), max_size=4))
        wanted = [self._wanted(tool, index) for index, tool in enumerate(tools)]
        answer = answers(self.story, "text", wanted, data.draw(st.sampled_from([0, 5, 10, 45, 60])))
        return msgspec.structs.replace(answer, context_window=data.draw(st.sampled_from([None, None, 50])))

    @precondition(lambda self: self.story.state.model_call is not None)
    @rule(tokens=st.integers(0, 200))
    def the_model_is_cut_off_at_the_limit(self, tokens: int) -> None:
        """In the middle of its answer."""
        answer = answers(self.story, "half a", (), tokens)
        self.happens(msgspec.structs.replace(answer, finish_reason=CUT_AT_TOKEN_LIMIT))

    @precondition(lambda self: self.asked)
    @rule(data=st.data(), failed=st.booleans())
    def a_late_answer_comes(self, data: st.DataObject, failed: bool) -> None:
        """Of a model call that is over, or that was rolled back."""
        current = self.story.state.model_call
        over = [call for call in self.asked if current is None or call != current.call_id]
        if over:
            self.happens(_late(data.draw(st.sampled_from(over)), failed))

    @precondition(lambda self: self.story.state.model_call is not None)
    @rule(kind=st.sampled_from(_MODEL_FAILURES))
    def the_model_fails(self, kind: ModelFailure) -> None:
        """After its attempts."""
        call = self.story.state.model_call
        assert call is not None
        if self.may_end or (kind is ModelFailure.CONTEXT_LENGTH and len(self.story.state.history) > 8):
            self.happens(results.ModelCallFailed(call.call_id, kind, "no answer", "m"))

    def _wanted(self, tool: str, index: int) -> ResolvedCall:
        if tool not in _ENGINE_TOOLS:
            error = ToolError(ErrorKind.UNKNOWN_TOOL, "no such tool") if tool == "unknown" else None
            return wants(self.story, tool, index, error=error)
        if tool == "report_result" and not self.may_end:
            tool = "begin_task"
        children: list[str] = [child.child_id for child in self.story.state.children]
        arguments: dict[str, dict[str, Any]] = {
            "wait_for_sessions": {"ids": children[-3:]},
            "begin_task": {"title": "t"},
            "end_task": {"summary": "s"},
            "cancel_task": {},
            "report_result": {"result": "found"},
        }
        given = arguments.get(tool, {"task": "look"})
        return wants(self.story, tool, index, runs_on=RunsOn.ENGINE, arguments=given)

    # The runners

    @rule(data=st.data(), how=st.sampled_from(["done", "done", "failed", "claimed"]))
    def a_tool_ends(self, data: st.DataObject, how: str) -> None:
        """One that runs, one that was cancelled, or one that has ended before."""
        known = self._sent()
        if known:
            call = data.draw(st.sampled_from(known))
            match how:
                case "done":
                    self.happens(done(call, "ok"))
                case "failed":
                    error = ToolError(ErrorKind.TIMEOUT, "too slow")
                    self.happens(results.ToolCallFailed(call, error, "r"))
                case _:
                    self.happens(results.CallClaimed(call, "r"))

    @rule(data=st.data())
    def a_tool_pauses(self, data: st.DataObject) -> None:
        """One that runs, or one that was cancelled or has ended already."""
        known = self._sent()
        if known:
            self.happens(asks(data.draw(st.sampled_from(known))))

    def _sent(self) -> list[CallId]:
        """The calls that runners were asked to run, rolled back ones included."""
        sent = [
            one.event.call_id for one in self.story.recorded if isinstance(one.event, ev.ToolCallRequested)
        ]
        open_calls = {call.call_id for call in self.story.state.open_calls()}
        return [call for call in sent if call in open_calls] or sent[-4:]

    # Other sessions

    @rule(data=st.data(), token_limit=_LIMITS)
    def it_is_forked(self, data: st.DataObject, token_limit: int) -> None:
        """The fork is gone on with from now on."""
        if len(self.ancestors) == 3:
            return
        at = data.draw(st.sampled_from([one.sequence for one in self.story.recorded]))
        child = SessionId(f"{SESSION}{len(self.ancestors)}")
        self.story.add(ev.ForkMade(child, at))
        self.ancestors.append(self.story)
        self.story = ForkStory(self.story, at, child, token_limit)
        self.asked, self.lagging = [], False
        self.settles()

    @precondition(lambda self: self.is_over)
    @rule(of_a_parent=st.booleans(), token_limit=_LIMITS, youth=_YOUTHS)
    def another_begins(self, of_a_parent: bool, token_limit: int, youth: int) -> None:
        """Nothing more can happen to this one."""
        self.is_told()
        self.begins(of_a_parent, token_limit, youth)

    def is_told(self) -> None:
        """The whole story is known: what is checked of it."""

    def teardown(self) -> None:
        """The last story is told too."""
        self.is_told()


def _ends(child: SessionId, how: Any, at: int) -> inputs.ChildFinished:
    return inputs.ChildFinished(child_id=child, status=how, result="r", tokens=5, at=at)


def _late(call_id: CallId, failed: bool) -> results.Result:
    if failed:
        return results.ModelCallFailed(call_id, ModelFailure.OVERLOADED, "busy", "m")
    usage = results.Usage(input=0, output=3)
    return results.ModelCallCompleted(call_id, "late", usage, "m", "0" * 64, 1)
