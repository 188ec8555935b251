"""Finds what a session waits for in vain, and records how that ended, so that it goes on.

A request has one ending, appended with expected sequence 0: what is put here never takes the place of a
result that came after all. Nothing is run again.
"""

from collections.abc import AsyncIterator

import msgspec
import structlog

from agent_contracts.errors import Conflict, ErrorKind, ToolError
from agent_contracts.event_sources import Actor
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import MODEL_CALLER_CONSUMER, consumer_of
from agent_contracts.moments import milliseconds_between
from agent_contracts.questions.queries import SessionWait, UnstickCommand, UnstickReport
from agent_contracts.session_events.inputs import ChildFinished
from agent_contracts.session_events.results import (
    ModelCallFailed,
    ModelFailure,
    Result,
    ToolCallFailed,
)
from agent_contracts.tool_spec import Effect, RunsOn
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import first_event
from agent_platform.log.port import Log
from agent_platform.log.result_offers import append_result
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock, rfc3339
from session_domain.domain.decide import decide
from session_domain.domain.messages import CallStatus, SessionToolCall
from session_domain.domain.state import ChildState, SessionState
from session_domain.sessions import SessionReader
from session_engine.handlers import Engine
from session_engine.repairing.work_progress import WorkProgress
from session_engine.service import DECLARATION

log = structlog.get_logger()

_UNSTICKING = "unsticking"
"""Who ended a call that no runner will, as its result says."""
_GONE = "its request was handled or given up, and left no result"
_WAITS = "its request is with {consumer}, or waits for it"


class SessionUnsticker:
    """Looks at one session, and acts where it is told to."""

    def __init__(
        self, events: Log, sessions: SessionReader, engine: Engine, work: WorkProgress, clock: Clock
    ) -> None:
        self._events = events
        self._sessions = sessions
        self._engine = engine
        self._work = work
        self._clock = clock

    async def look(self, session: SessionKey, command: UnstickCommand) -> UnstickReport:
        """What the session waits for. `LogCorrupt` if its events don't follow each other."""
        state = await self._sessions.newest(session)
        waits = [wait async for wait in self._waits(state, command)]
        if command.act:
            await self._engine.advance(session, state.last_sequence)  # sets timers that are missing, too
        return UnstickReport(session.session_id, state.status.value, tuple(waits))

    async def _waits(self, state: SessionState, command: UnstickCommand) -> AsyncIterator[SessionWait]:
        if (decision := decide(state)) is not None:
            due = type_of(decision)
            event = due if command.act else None
            yield SessionWait("decision", due, True, "no engine took up its last event", event)
        if state.model_call is not None:
            yield await self._model_call(state, command)
        for call in state.open_calls():
            if call.status is CallStatus.REQUESTED and call.requested is not None:
                yield await self._tool_call(state, call, command)
        for child in state.children:
            if child.is_there and not state.status.is_terminal:
                yield await self._child(state, child, command)

    async def _model_call(self, state: SessionState, command: UnstickCommand) -> SessionWait:
        assert state.model_call is not None
        call = state.model_call
        stuck, why = await self._judged(call.requested, MODEL_CALLER_CONSUMER, command)
        wait = SessionWait("model_call", call.call_id, stuck, why)
        if not stuck or not command.act:
            return wait
        failed = ModelCallFailed(
            call_id=call.call_id,
            kind=ModelFailure.DELIVERIES_EXHAUSTED,
            message=f"The call to the model was lost: {why}. Ask again.",
            model=state.model or "",
            attempts=0,
        )
        return await self._ended(state, wait, failed, call.requested)

    async def _tool_call(
        self, state: SessionState, call: SessionToolCall, command: UnstickCommand
    ) -> SessionWait:
        assert call.requested is not None
        consumer = None if call.runs_on is RunsOn.ENGINE else consumer_of(call.runs_on)
        stuck: bool | None = True
        why = f"nobody takes requests for {call.runs_on.value}"
        if consumer is not None:
            stuck, why = await self._judged(call.requested, consumer, command)
        wait = SessionWait("tool_call", call.call_id, stuck, why)
        if not stuck or not command.act:
            return wait
        claimed = await first_event(
            self._events,
            state.key.claims,
            after=call.requested,
            such_that=lambda one: one.event.call_id == call.call_id,
        )
        if claimed or call.effect is Effect.EXTERNAL_IDEMPOTENT:  # that one acts without a claim
            error = ToolError(
                ErrorKind.OUTCOME_UNKNOWN,
                f"it is not known whether {call.tool} did its work: {why}. It is not run again.",
            )
        else:
            error = ToolError(ErrorKind.INTERNAL, f"{call.tool} was lost: {why}. Call it again if needed.")
        failed = ToolCallFailed(call.call_id, error, _UNSTICKING)
        return await self._ended(state, wait, failed, call.requested)

    async def _child(self, state: SessionState, child: ChildState, command: UnstickCommand) -> SessionWait:
        of_child = state.key.sibling(child.child_id)
        found = await self._sessions.newest(of_child)
        if found.position and not (found.status.is_terminal or found.status.value == "token_limit_reached"):
            return SessionWait("child", child.child_id, False, f"it is {found.status.value}")
        why = "it ended, and nobody told" if found.position else "it is not in the log (any more)"
        wait = SessionWait("child", child.child_id, True, why)
        if not command.act:
            return wait
        if found.position:
            await self._engine.tell_end_of(found.key)
            return msgspec.structs.replace(wait, event=type_of(ChildFinished))
        finished = ChildFinished(child.child_id, "error", error=f"the sub-session is gone: {why}", at=1)
        message, _ = event_message(
            finished,
            state.key.input(type_of(finished)),
            Origin(DECLARATION.source, Actor.SERVICE, traceparent=current_traceparent()),
            self._clock,
            f"{child.child_id}.gone",
        )
        await self._events.append(message)
        return msgspec.structs.replace(wait, event=type_of(finished))

    async def _judged(
        self, requested: int, consumer: str, command: UnstickCommand
    ) -> tuple[bool | None, str]:
        """Whether a request can't be answered any more, and why that is thought."""
        asked = await self._events.get(requested)
        if asked is None:
            return True, "its request is not in the log (any more)"
        if asked.envelope is None:
            return True, "its request can't be read (any more)"
        age = milliseconds_between(asked.envelope.time, rfc3339(self._clock.now())) / 1000
        if age < command.older_than_s:
            return False, f"it was asked for {max(0, round(age))} s ago"
        floor = await self._work.acknowledged(consumer)
        if floor is None:
            return None, f"there is no consumer {consumer}: start its service"
        if requested <= floor or requested in command.given_up:
            return True, _GONE
        return None, _WAITS.format(consumer=consumer)

    async def _ended(self, state: SessionState, wait: SessionWait, event: Result, cause: int) -> SessionWait:
        origin = Origin(DECLARATION.source, Actor.SERVICE, cause, cause, current_traceparent())
        message, _ = event_message(event, state.key.results, origin, self._clock)
        try:
            await append_result(self._events, None, message, event.call_id, after=cause)
        except Conflict:
            return msgspec.structs.replace(wait, stuck=False, why="its result came meanwhile")
        log.warning("session.unstuck", session_id=state.session_id, what=wait.what, name=wait.name)
        return msgspec.structs.replace(wait, event=type_of(event))
