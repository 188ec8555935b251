"""Given / when / then over the pure domain: events in, the decisions that follow out."""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, Self, get_args

import msgspec

from agent_contracts.files import SentFile
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.codec import Envelope, RecordedEvent, type_of
from agent_contracts.log.record.session_subjects import ENGINE_AS_RUNNER
from agent_contracts.moments import later_by
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.results import ModelFailure, ResolvedCall, Usage
from agent_contracts.session_events.union import SessionEvent
from foldline_testing.agent_platform.origins import origin_of
from session_domain.domain.decide import decide
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.fold.rewind import adopt
from session_domain.domain.messages import SessionToolCall
from session_domain.domain.rules.engine_calls import Decided
from session_domain.domain.state import SessionState

SESSION = SessionId("s_1")
_DECISIONS = get_args(Decision)


class Story:
    """A session's stream as it grows: facts come from the test, decisions from `decide`."""

    def __init__(
        self,
        token_limit: int = 100_000,
        session_id: SessionId = SESSION,
        begins_after: int = 0,
        **created: Any,
    ) -> None:
        self.state = SessionState(session_id)
        self.now = "2026-01-31T12:34:56.000Z"
        self._begins_after = begins_after
        self.recorded: list[RecordedEvent[SessionEvent]] = []
        self._folds: list[SessionState] = []
        given = {"title": "t"} | created
        self.add(inputs.Created(agent_id=AgentId("default"), token_limit=token_limit, **given))

    def add(self, event: SessionEvent) -> None:
        """Append one event as the log would, and fold it. Sequences leave gaps: other sessions write too."""
        sequence = (self.recorded[-1].sequence if self.recorded else self._begins_after) + 3
        decided = isinstance(event, _DECISIONS) or getattr(event, "runner", None) == ENGINE_AS_RUNNER
        prev = self.state.last_sequence if decided else None
        origin = origin_of(event)
        envelope = Envelope(f"e{sequence}", type_of(event), origin.source, self.now, origin.actor, prev=prev)
        part = "ev" if decided else "in"
        self.fold(RecordedEvent(sequence, f"ses.default.0.{SESSION}.{part}.x", envelope, event))

    def fold(self, recorded: RecordedEvent[SessionEvent]) -> None:
        """One more event as it is, of another telling of this story."""
        self.state = self.next(self.state, recorded)
        self.recorded.append(recorded)
        self._folds.append(self.state)

    def after(self, seconds: float) -> Story:
        """Time passes: what comes now comes so much later (or, if negative, by a clock that was set back)."""
        self.now = later_by(self.now, round(seconds * 1000))
        return self

    def at(self, sequence: int) -> SessionState:
        """The session folded up to and including `sequence`."""
        folded = bisect_right(self.recorded, sequence, key=lambda recorded: recorded.sequence)
        return self._folds[folded - 1] if folded else SessionState(self.state.session_id)

    def begun_anew(self) -> Self:
        """The same session before its first event."""
        anew = copy.copy(self)
        anew.state, anew.recorded, anew._folds = SessionState(self.state.session_id), [], []
        return anew

    def another_way(self) -> Self:
        """A copy that goes its own way from here; this one stays as it is."""
        other = copy.copy(self)
        other.recorded, other._folds = list(self.recorded), list(self._folds)
        return other

    def next(self, state: SessionState, recorded: RecordedEvent[SessionEvent]) -> SessionState:
        """`state` after one more of this story's events."""
        if isinstance(recorded.event, ev.Rewound) and recorded.event.conversation:
            past = self.at(recorded.event.to)
            return adopt(state, recorded, past if past.is_at_rest else self.at(past.rest_sequence))
        return evolve(state, recorded)

    def settle(self) -> list[Decided]:
        """Append what `decide` calls for until it calls for nothing; the decisions made."""
        made: list[Decided] = []
        while (decision := decide(self.state)) is not None:
            assert len(made) < 100, f"decide never settles: {made[-3:]}"
            made.append(decision)
            self.add(decision)
        return made

    def given(self, *events: SessionEvent) -> Story:
        """Facts that came before, with the decisions they led to."""
        for event in events:
            self.add(event)
            self.settle()
        return self

    def when(self, *events: SessionEvent) -> Then:
        """Facts that come now, one after another before anyone decides."""
        for event in events:
            self.add(event)
        return Then(self, self.settle())


class ForkStory(Story):
    """A session whose history, and title, begins with another's, as that was at `at`."""

    def __init__(self, origin: Story, at: int, session_id: SessionId, token_limit: int = 100_000) -> None:
        self._origin = origin
        super().__init__(token_limit, session_id, origin.recorded[-1].sequence, title=None)
        self.add(ev.ForkedFrom(AgentId("default"), origin.state.session_id, at))

    def next(self, state: SessionState, recorded: RecordedEvent[SessionEvent]) -> SessionState:
        """`state` after one more event: the first own one but `created` brings the origin's past."""
        if not isinstance(recorded.event, ev.ForkedFrom):
            return super().next(state, recorded)
        past = self._origin.at(recorded.event.at)
        return adopt(state, recorded, past if past.is_at_rest else self._origin.at(past.rest_sequence))


class Then:
    """What was decided."""

    def __init__(self, story: Story, decisions: Sequence[Decided]) -> None:
        self.story = story
        self.decisions = decisions

    def then(self, *expected: Decided) -> Story:
        """Exactly these decisions, in order."""
        assert list(self.decisions) == list(expected)
        return self.story

    def then_kinds(self, *kinds: type[msgspec.Struct]) -> Story:
        """Decisions of exactly these types, in order."""
        assert [type(decision) for decision in self.decisions] == list(kinds)
        return self.story


def story(token_limit: int = 100_000, **created: Any) -> Story:
    """A fresh, titled session; `created` are more fields of its first event."""
    return Story(token_limit, **created)


SENT = SentFile("f_1", "reports/a.csv", "text/csv", 1234, 1, "ab" * 32)


def says(text: str = "hello", *files: SentFile) -> inputs.UserMessage:
    """The user says something, or sends files."""
    return inputs.UserMessage(text=text, files=files)


class Told(Protocol):
    """A session that is told further."""

    @property
    def state(self) -> SessionState:
        """How it stands."""
        ...


def current_call(told: Told) -> CallId:
    """The id of the model call under way."""
    assert told.state.model_call is not None
    return told.state.model_call.call_id


def answers(
    told: Told, text: str = "", calls: Iterable[ResolvedCall] = (), tokens: int = 10
) -> results.ModelCallCompleted:
    """The model under way answers; `tokens` are its output tokens."""
    asked = told.state.model_call
    assert asked is not None
    return results.ModelCallCompleted(
        call_id=asked.call_id,
        text=text,
        usage=Usage(input=0, output=tokens),
        model="m",
        context="0" * 64,
        latency_ms=1,
        tool_calls=tuple(calls),
        purpose=asked.purpose,
    )


def cut(
    call_id: CallId, text: str = "half a", tokens: int = 5, reason: results.CutReason = "stopped"
) -> results.ModelCallCompleted:
    """What a model call had streamed when it was broken off."""
    return results.ModelCallCompleted(
        call_id=call_id,
        text=text,
        usage=Usage(input=0, output=tokens, counted=True),
        model="m",
        context="0" * 64,
        latency_ms=1,
        finish_reason=None,
        cut=reason,
    )


def wants(told: Told, tool: str, index: int = 0, **changes: object) -> ResolvedCall:
    """The model under way wants a tool."""
    plain = ResolvedCall(
        call_id=CallId(f"{current_call(told)}-{index:02d}"),
        provider_id="call_1",
        tool=tool,
        arguments={"a": 1},
    )
    return msgspec.structs.replace(plain, **changes)


def done(call_id: str, result: object = None) -> results.ToolCallCompleted:
    """A tool's result."""
    return results.ToolCallCompleted(call_id=CallId(call_id), result=result, runner="r", duration_ms=1)


def fails(told: Told, kind: ModelFailure = ModelFailure.OVERLOADED, **more: Any) -> results.ModelCallFailed:
    """The model under way gives no answer, for a reason that may pass; `more` says otherwise."""
    failed = results.ModelCallFailed(current_call(told), kind, "busy", "m", retryable=True)
    return msgspec.structs.replace(failed, **more)


def asks(
    call_id: str, question: str = "Which city?", expires_at: str | None = None
) -> results.ToolCallPending:
    """`ask_user` waits for its answer."""
    show = {"kind": "ask_user", "question": question, "options": None}
    return results.ToolCallPending(call_id=CallId(call_id), show=show, runner="r", expires_at=expires_at)


def responds(call_id: str, response: object) -> inputs.ToolResponse:
    """Somebody answers a pausing call."""
    return inputs.ToolResponse(call_id=CallId(call_id), response=response)


def all_calls(state: SessionState) -> list[SessionToolCall]:
    """Every call of a session, in order."""
    return [call for message in state.messages() for call in message.tool_calls]


def every_call_is_paired(told: Story) -> bool:
    """Whether each call of the history has its one ending."""
    return all(call.status.is_final for call in all_calls(told.state))


def call(told: Story, call_id: str) -> SessionToolCall:
    """A call of the session, open or long over."""
    return next(one for one in all_calls(told.state) if one.call_id == call_id)
