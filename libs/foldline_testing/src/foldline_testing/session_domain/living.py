"""Lives of sessions that Hypothesis makes up: whatever can happen to one, in any order."""

from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import ModelFailure, ResolvedCall, TaskStep
from agent_contracts.tool_spec import RunsOn
from foldline_testing.session_domain.life_around import LifeAround
from foldline_testing.session_domain.lived import LIMITS, TEXTS, YOUTHS, child_ends
from foldline_testing.session_domain.story import (
    SESSION,
    ForkStory,
    answers,
    asks,
    cut,
    done,
    fails,
    responds,
    says,
    wants,
)
from session_domain.domain.decide import decide
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import Status

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
_TASKS = st.lists(st.sampled_from([TaskStep(begins="a task"), TaskStep(ends="a summary")]), max_size=3)
"""Tasks that code began and ended while it ran, in whatever order."""
_MODEL_FAILURES = [ModelFailure.CONTEXT_LENGTH, ModelFailure.CONTEXT_LENGTH, ModelFailure.OVERLOADED]


IN_ANY_ORDER = settings(
    max_examples=65,
    stateful_step_count=100,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
"""5,000 steps and some more, the same ones each time; other seeds are for the long run."""


class Life(LifeAround):
    """One session after another, each driven by everything that can come to it.

    Mostly somebody does what is to be done. In between facts come in any order, late, twice, or to the wrong
    call, and the engine lags behind. A fork is gone on with in place of the session that it was forked from.
    """

    # What is to be done

    @rule(data=st.data())
    def it_goes_on(self, data: st.DataObject) -> None:
        """Whoever it waits for does what it waits for."""
        state = self.story.state
        if decide(state) is not None and not self.lagging:
            self.settles()
        elif state.model_call is not None:
            self.happens(self._answer(data))
        elif state.cut_call is not None:
            self.happens(cut(state.cut_call.call_id, "half a", 5))
        elif open_calls := [c for c in state.open_calls() if c.status is not CallStatus.PLANNED]:
            call = data.draw(st.sampled_from(open_calls))
            match call.status, call.tool:
                case CallStatus.REQUESTED, "ask_user":
                    self.happens(asks(call.call_id))
                case CallStatus.REQUESTED, _:
                    tasks = tuple(data.draw(_TASKS)) if call.tool == "look" else ()
                    self.happens(msgspec.structs.replace(done(call.call_id, "ok"), tasks=tasks))
                case _, "wait_for_sessions":
                    live = [child.child_id for child in state.children if child.is_live]
                    if live:
                        child = data.draw(st.sampled_from(live))
                        self.happens(child_ends(child, "completed", state.last_sequence))
                    else:
                        self.settles()  # the engine lags behind what they reported
                case _:
                    self.happens(responds(call.call_id, "answer"))
        elif state.status is Status.TOKEN_LIMIT_REACHED:
            self.happens(inputs.Continued(token_limit=state.totals.tokens + 300))
        else:
            self.happens(says(data.draw(TEXTS)))

    so_it_goes_on = rule(data=st.data())(lambda self, data: self.it_goes_on(data))
    and_it_goes_on = rule(data=st.data())(lambda self, data: self.it_goes_on(data))
    still_it_goes_on = rule(data=st.data())(lambda self, data: self.it_goes_on(data))

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
        self.happens(msgspec.structs.replace(answer, finish_reason=None, cut="token_limit"))

    @precondition(lambda self: self.story.state.cut_call is not None)
    @rule(tokens=st.integers(0, 200), text=st.sampled_from(["", "half a"]))
    def what_a_stopped_model_had_said_comes(self, tokens: int, text: str) -> None:
        """Some time after it was stopped."""
        call = self.story.state.cut_call
        assert call is not None
        self.happens(cut(call.call_id, text, tokens))

    @precondition(lambda self: self.asked)
    @rule(data=st.data(), failed=st.booleans())
    def a_late_answer_comes(self, data: st.DataObject, failed: bool) -> None:
        """Of a model call that is over, or that was rewound."""
        current = self.story.state.model_call
        over = [call for call in self.asked if current is None or call != current.call_id]
        if over:
            self.happens(_late(data.draw(st.sampled_from(over)), failed))

    @precondition(lambda self: self.story.state.model_call is not None)
    @rule(kind=st.sampled_from(_MODEL_FAILURES), retryable=st.booleans())
    def the_model_fails(self, kind: ModelFailure, retryable: bool) -> None:
        """After its attempts. That ends a sub-session which does not wait for another try."""
        if self.may_end or retryable or self.story.state.parent_id is None:
            self.happens(fails(self.story, kind, retryable=retryable))

    @precondition(lambda self: self.asked)
    @rule(data=st.data(), asked_for=st.booleans())
    def a_failed_turn_is_to_go_on(self, data: st.DataObject, asked_for: bool) -> None:
        """A person says so, or a timer: mostly that of another failure, or of none."""
        due = inputs.TimerDue("t", "retry", data.draw(st.sampled_from([*self.asked[:3], self.asked[-1]])))
        self.happens(inputs.RetryAsked() if asked_for else due)

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

    # Other sessions

    @rule(data=st.data(), token_limit=LIMITS)
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
    @rule(of_a_parent=st.booleans(), token_limit=LIMITS, youth=YOUTHS)
    def another_begins(self, of_a_parent: bool, token_limit: int, youth: int) -> None:
        """Nothing more can happen to this one."""
        self.is_told()
        self.begins(of_a_parent, token_limit, youth)


def _late(call_id: CallId, failed: bool) -> results.Result:
    if failed:
        return results.ModelCallFailed(call_id, ModelFailure.OVERLOADED, "busy", "m")
    usage = results.Usage(input=0, output=3)
    return results.ModelCallCompleted(call_id, "late", usage, "m", "0" * 64, 1)
