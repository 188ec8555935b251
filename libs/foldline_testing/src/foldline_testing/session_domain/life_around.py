"""What comes to a session from outside: from people, clocks, other services and the runners."""

from typing import Any, Literal

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.thinking_choice import ThinkingChoice
from foldline_testing.session_domain.lived import TEXTS, Lived, child_ends
from foldline_testing.session_domain.story import (
    asks,
    done,
    responds,
    says,
)
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import Status

NOBODYS = CallId("m999999-00")
"""A call that no model ever asked for."""
_ENDED: list[Literal["completed", "error", "token_limit_reached"]] = [
    "completed",
    "error",
    "token_limit_reached",
]


class LifeAround(Lived):
    """Facts in any order: late, twice, or about the wrong call."""

    # People, clocks and other services

    @rule(text=TEXTS, who=st.sampled_from(["user", "user", "reminder", "outcome", "mail"]))
    def somebody_says(self, text: str, who: str) -> None:
        """The user, a reminder or another service, whatever goes on."""
        match who:
            case "user":
                self.happens(says(text))
            case "reminder":
                self.happens(inputs.ReminderDue("r", text))
            case "outcome":
                self.happens(inputs.OutcomeSettled(CallId("e_1-00"), happened=True, message=text))
            case _:
                self.happens(inputs.Woken(who, text, f"{who}-{len(text)}"))

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
        """To any event, one that a rewind hid included; or to one before the session."""
        sequence = data.draw(st.sampled_from([0, *(one.sequence for one in self.story.recorded)]))
        self.happens(inputs.RewindRequested(to=sequence, parts=parts))

    @precondition(lambda self: self.may_end)
    @rule()
    def the_user_archives_it(self) -> None:
        """It is closed."""
        self.happens(inputs.Archived())

    @precondition(lambda self: self.story.state.status is not Status.IDLE or self.lagging)
    @rule()
    def the_user_reopens_it(self) -> None:
        """Archived, about to be, or not at all."""
        self.happens(inputs.Reopened())

    @rule(data=st.data(), what=st.sampled_from(["answered", "expired", "timed_out", "renamed", "thinking"]))
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
            case "thinking":
                choice = data.draw(
                    st.sampled_from([None, ThinkingChoice("low"), ThinkingChoice(None, 2_048)])
                )
                self.happens(inputs.ThinkingChanged(choice))
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
    def a_childchild_ends(self, data: st.DataObject, how: Any, again: bool) -> None:
        """One of its own or a stranger's; `again`: the end that was told before is told once more."""
        children = self.story.state.children
        child = data.draw(st.sampled_from([SessionId("s_stranger"), *(one.child_id for one in children)]))
        known = self.story.state.child(child)
        at = known.ended_sequence if known and again else self.story.state.last_sequence
        self.happens(child_ends(child, how, at))

    # The runners

    @rule(data=st.data(), how=st.sampled_from(["done", "done", "failed", "claimed"]))
    def a_toolchild_ends(self, data: st.DataObject, how: str) -> None:
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
        """The calls that runners were asked to run, rewound ones included."""
        sent = [
            one.event.call_id for one in self.story.recorded if isinstance(one.event, ev.ToolCallRequested)
        ]
        open_calls = {call.call_id for call in self.story.state.open_calls()}
        return [call for call in sent if call in open_calls] or sent[-4:]
