"""A session's stream without a server: as it would be stored, decided by the real `decide`."""

import msgspec

from agent_contracts.ids import AgentId, CallId, SessionId, new_id, tool_call_id
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import Envelope, RecordedEvent, encode, type_of
from agent_contracts.log.record.records import NewMessage, carrying
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import Effect, RunsOn
from bench.script import KILOBYTE
from foldline_testing.agent_platform.origins import origin_of
from session_domain.domain.decide import decide
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.messages import SessionToolCall
from session_domain.domain.state import SessionState

_AGENT = AgentId("default")
_TIME = "2026-01-31T12:34:56.000Z"


class Conversation:
    """One session that makes a model call and a tool call, in turn, for ever; a kilobyte each."""

    def __init__(self, session_id: SessionId, first: int = 1) -> None:
        self.recorded: list[RecordedEvent[SessionEvent]] = []
        self._state = SessionState(session_id)
        self._sequence = first - 1
        self._about = session_id
        self._add(inputs.Created(agent_id=_AGENT, token_limit=10**12, title="bench"))
        self._add(inputs.UserMessage(text="begin"))

    def grow(self, events: int) -> list[RecordedEvent[SessionEvent]]:
        """The stream, at least so long."""
        while len(self.recorded) < events:
            decision = decide(self._state)
            self._add(decision if decision is not None else self._result())
        return self.recorded

    def end(self, text: str) -> list[RecordedEvent[SessionEvent]]:
        """The stream, whose turn ends with these words."""
        while (decision := decide(self._state)) is not None or self._state.model_call is None:
            self._add(decision if decision is not None else self._result())
        answer = _answer(self._state.model_call.call_id, ())
        self._add(msgspec.structs.replace(answer, text=text))
        while (decision := decide(self._state)) is not None:
            self._add(decision)
        return self.recorded

    def _result(self) -> SessionEvent:
        if self._state.model_call is not None:
            call_id = self._state.model_call.call_id
            return _answer(call_id, (self.asked(call_id),))
        [call] = self._state.open_calls()
        return self.ran(call)

    def asked(self, call_id: CallId) -> results.ResolvedCall:
        """The call that an answer makes. No two are the same: a turn that goes round ends."""
        arguments: dict[str, Json] = {"bytes": 1000, "for": call_id}
        return results.ResolvedCall(
            tool_call_id(call_id, 0), "call_1", "selftest_big", arguments, RunsOn.TOOLS, Effect.PURE
        )

    def ran(self, call: SessionToolCall) -> results.ToolCallCompleted:
        """What came of it."""
        return results.ToolCallCompleted(
            call.call_id, {"ok": True, "out": KILOBYTE}, "runner_1", duration_ms=1
        )

    def _add(self, event: SessionEvent) -> None:
        self._sequence += 1
        decided = not isinstance(event, inputs.Input | results.Result)
        origin = origin_of(event)
        envelope = Envelope(
            id=new_id("e", self._sequence, b"0123456789"),
            type=type_of(event),
            source=origin.source,
            time=_TIME,
            actor=origin.actor,
            prev=self._state.last_sequence if decided else None,
        )
        subject = f"{SessionKey(_AGENT, self._about).prefix}.{_rest(event)}"
        recorded: RecordedEvent[SessionEvent] = RecordedEvent(self._sequence, subject, envelope, event)
        self._state = evolve(self._state, recorded)
        self.recorded.append(recorded)


def as_message(recorded: RecordedEvent[SessionEvent]) -> NewMessage:
    """The message with an event in it."""
    return carrying(recorded.envelope, encode(recorded.event), recorded.subject)


def _answer(call_id: CallId, calls: tuple[results.ResolvedCall, ...]) -> results.ModelCallCompleted:
    return results.ModelCallCompleted(
        call_id=call_id,
        text=KILOBYTE,
        usage=results.Usage(input=250, output=250),
        model="openai/bench",
        context="0" * 64,
        latency_ms=1,
        tool_calls=calls,
        finish_reason="tool_calls",
    )


def _rest(event: SessionEvent) -> str:
    kind = type_of(event).rsplit(".", 2)[1]
    match event:
        case ev.ModelCallRequested(call_id=call_id):
            return f"ev.{kind}.model.{call_id}"
        case ev.ToolCallRequested(call_id=call_id, runs_on=runs_on):
            return f"ev.{kind}.{runs_on.value}.{call_id}"
        case results.ModelCallCompleted(call_id=call_id) | results.ToolCallCompleted(call_id=call_id):
            return f"result.{call_id}"
        case inputs.Created() | inputs.UserMessage():
            return f"in.{kind}"
        case _:
            return f"ev.{kind}"
