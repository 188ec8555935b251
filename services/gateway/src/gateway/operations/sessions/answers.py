"""Answers to pending tool calls: exactly one is accepted, however many come at once."""

from collections.abc import Callable
from typing import Any

import msgspec

from agent_contracts.api.sessions import InputReceipt
from agent_contracts.errors import Conflict, Rejected, Transient
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import Expect
from agent_contracts.session_events.decisions import ToolCallCancelled, Waiting
from agent_contracts.session_events.inputs import ToolResponse, UserMessage
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed, ToolCallPending
from agent_contracts.sessions.open_questions import ANSWERED_BY_WORDS, kind_of, question_answered_by_message
from agent_contracts.tool_spec import RunsOn
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.log.result_offers import request_of, result_of
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.sessions.inputs import Inputs

_ATTEMPTS = 20
_NEVER = 2**63


class _Waited(msgspec.Struct, frozen=True):
    """A call that a session waits for."""

    call_id: CallId
    shows: str | None
    status: str = "pending"


def _answered(answers: list[RecordedEvent[Any]], call_id: CallId, since: int = 0) -> bool:
    return any(answer.event.call_id == call_id and answer.sequence > since for answer in answers)


class AnsweringProgram(msgspec.Struct, frozen=True):
    """The program that answers for a person, and whether it may give the yes that a call needs."""

    name: str
    approves: bool = False


class CallAnswers:
    """Records answers. What it checks it reads from the log, so no projection has to have caught up."""

    def __init__(self, log: Log, directory: SessionDirectory, inputs: Inputs) -> None:
        self._log = log
        self._directory = directory
        self._inputs = inputs

    async def pending(self, session: KnownSession, call_id: CallId) -> ToolCallPending:
        """What the call waits for. `Rejected` as by `record`, if it doesn't wait."""
        answers = await self._read(session.key.input(type_of(ToolResponse)))
        pending = await self._pending(session, call_id, answers)
        if _answered(answers, call_id, since=pending.sequence):
            raise Rejected(f"Call {call_id} is over", kind="call_not_open")
        refusal = await self._directory.refusal(session)
        if refusal is not None:
            raise refusal
        return pending.event

    async def record(
        self,
        session: KnownSession,
        call_id: CallId,
        response: Callable[[ToolCallPending], Json],
        request: IdempotentRequest,
        by: AnsweringProgram | None = None,
    ) -> InputReceipt:
        """Append the answer, which `response` makes of what the call shows; a program gives it.

        `Rejected`: `call_not_open` (the session has no such call, or it waits no more), `already_answered`,
        `session_closed`, `invalid_request` (the response doesn't fit what was asked). Of two answers at the
        same moment the expectation on the session's answers lets one through; the other reads again and sees
        it.
        """
        subject = session.key.input(type_of(ToolResponse))
        for _ in range(_ATTEMPTS):
            newest = await self._log.last(subject)
            answers = await self._read(subject)
            last = newest.sequence if newest else 0
            try:
                pending = await self._pending(session, call_id, answers)
            except Rejected:
                if not _answered(answers, call_id):
                    raise
                pending = None
            if pending is None or _answered(answers, call_id, since=pending.sequence):
                first = await self._inputs.earlier(session.key, ToolResponse, request)
                if first is not None:
                    return first
                raise Rejected(f"Call {call_id} was answered before", kind="already_answered")
            refusal = await self._directory.refusal(session)
            if refusal is not None:
                raise refusal
            event = ToolResponse(
                call_id=call_id, response=response(pending.event), client=by.name if by else None
            )
            try:
                return await self._inputs.append(session.key, event, request, Expect(subject, last))
            except Conflict:
                continue
        raise Transient("Many answers are coming in at once; try again")

    async def _read(self, subject: str, after: int = 0) -> list[RecordedEvent[Any]]:
        """What can be read on a subject; a poisonous message there answers nothing and asks nothing."""
        return [recorded async for recorded in events(self._log.read(subject, after=after))]

    async def _pending(
        self, session: KnownSession, call_id: CallId, answers: list[RecordedEvent[Any]]
    ) -> RecordedEvent[ToolCallPending]:
        """What the call asked last. One that needed a yes to run may ask again for what its code sends."""
        asked = await request_of(self._log, session.key, call_id)
        since = asked.sequence if asked else 0  # the engine asks before it requests the call
        result = await result_of(self._log, session.key, call_id, after=since)
        if result is None and not asked:
            raise Rejected(f"Session {session.session_id} has no call {call_id}", kind="call_not_open")
        if result is None:
            raise Rejected(f"Call {call_id} has not asked anything yet", kind="call_not_open")
        event = result.event
        if not isinstance(event, ToolCallPending):
            raise Rejected(f"Call {call_id} is over and no longer asks for an answer", kind="call_not_open")
        cancelled = session.key.decision(type_of(ToolCallCancelled))
        for ending in await self._read(cancelled, after=result.sequence):
            if ending.event.call_id == call_id:
                reason = ending.event.kind.value
                raise Rejected(f"Call {call_id} was cancelled ({reason})", kind="call_not_open")
        if kind_of(event.show) in ANSWERED_BY_WORDS and await self._answered_by_message(
            session, call_id, result.sequence, answers
        ):
            raise Rejected(f"Call {call_id} was answered by a message", kind="already_answered")
        return result

    async def _answered_by_message(
        self, session: KnownSession, call_id: CallId, asked: int, answers: list[RecordedEvent[Any]]
    ) -> bool:
        """Whether a plain message answered the question: it does when the session waits for nothing else."""
        waiting = await self._read(session.key.decision(type_of(Waiting)), after=asked)
        if not waiting:
            return False  # it doesn't wait yet, so a message would have been queued
        newest = waiting[-1]
        if call_id not in newest.event.calls:
            return True  # it waits for other calls now, so this one has its answer
        messages = await self._read(session.key.input(type_of(UserMessage)), after=newest.sequence)
        if not messages:
            return False
        calls = await self._waited_for(session, newest.event.calls)
        ended = await self._ended(session, newest.sequence, answers)
        for message in messages:
            still_open = [call for call in calls if ended.get(call.call_id, _NEVER) > message.sequence]
            asked_for = question_answered_by_message("waiting_for_input", still_open)
            if asked_for is not None:
                return asked_for.call_id == call_id
        return False

    async def _waited_for(self, session: KnownSession, call_ids: tuple[CallId, ...]) -> list[_Waited]:
        """The calls, with what they show; those of the engine's own, and those that need a yes, show nothing
        here: no message answers them."""
        return [_Waited(call_id, await self._shown(session, call_id)) for call_id in call_ids]

    async def _shown(self, session: KnownSession, call_id: CallId) -> str | None:
        asked = await request_of(self._log, session.key, call_id)
        if asked is None:
            return None
        result = await result_of(self._log, session.key, call_id, after=asked.sequence)
        pending = result.event if result is not None else None
        return kind_of(pending.show) if isinstance(pending, ToolCallPending) else None

    async def _ended(
        self, session: KnownSession, since: int, answers: list[RecordedEvent[Any]]
    ) -> dict[CallId, int]:
        """When each call ended that did: by an answer, a cancellation, or a result of the engine's own."""
        endings = list(answers)
        endings += await self._read(session.key.decision(type_of(ToolCallCancelled)), after=since)
        for result in (ToolCallCompleted, ToolCallFailed):
            endings += await self._read(
                session.key.decision(type_of(result), RunsOn.ENGINE.value), after=since
            )
        found: dict[CallId, int] = {}
        for ending in endings:
            call_id = ending.event.call_id
            found[call_id] = min(found.get(call_id, _NEVER), ending.sequence)
        return found
