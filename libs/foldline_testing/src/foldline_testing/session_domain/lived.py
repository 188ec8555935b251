"""A session that things happen to, and the engine that keeps up with them or lags behind."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from agent_contracts.ids import CallId, SessionId
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.union import SessionEvent
from foldline_testing.session_domain.story import (
    Story,
    story,
)
from session_domain.domain.decide import decide
from session_domain.domain.messages import CallStatus

LIMITS = st.sampled_from([200, 5000])
"""Token limits."""
YOUTHS = st.sampled_from([20, 60, 1000])
"""How many events a session has before anything ends it."""
TEXTS = st.sampled_from(["hello", "also", ""])
"""What people say."""


class Lived(RuleBasedStateMachine):
    """One session, and the engine that decides on what happens to it, at once or later.

    `ancestors` are the sessions that it was forked from. Nothing ends a session that has fewer than `youth`
    events.
    """

    def __init__(self) -> None:
        super().__init__()
        self.story = story()
        self.ancestors: list[Story] = []
        self.asked: list[CallId] = []
        self.lagging = False
        self.youth = 0

    @initialize(of_a_parent=st.booleans(), token_limit=LIMITS, youth=YOUTHS)
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

    def is_told(self) -> None:
        """The whole story is known: what is checked of it."""

    def teardown(self) -> None:
        """The last story is told too."""
        self.is_told()


def child_ends(child: SessionId, how: Any, at: int) -> inputs.ChildFinished:
    """A sub-session has ended like this, as of event `at` of its parent."""
    return inputs.ChildFinished(child_id=child, status=how, result="r", tokens=5, at=at)
