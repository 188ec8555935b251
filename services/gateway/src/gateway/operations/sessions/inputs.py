"""Inputs into the log: appended once, however often they are asked for."""

from agent_contracts.api.sessions import InputReceipt
from agent_contracts.errors import Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.inputs import Input
from agent_domain.sessions.directory import KnownSession
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.log.quotas.daily import QUOTA_EXCEEDED
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock
from agent_platform.process.stop_points import stop_point
from gateway.operations.idempotency import IdempotentRequest, erased_answer
from gateway.service import DECLARATION

SOURCE = DECLARATION.source


class Inputs:
    """Writes what people (and programs in their name) ask for."""

    def __init__(self, log: Log, clock: Clock) -> None:
        self._log = log
        self._clock = clock

    async def append(
        self, owner: SessionKey, event: Input, request: IdempotentRequest, expect: Expect | None = None
    ) -> InputReceipt:
        """Append an input; for a repeat of the same key, answer as the first time.

        The log drops repeats within its duplicate window (1 h). `Rejected(kind="idempotency_mismatch")`
        if the first request had another body; `Conflict` if `expect` doesn't hold.
        """
        event_type = type_of(event)
        subject = owner.input(event_type)
        event_id = request.derived_id("e", owner.session_id, event_type) or self._clock.new_id("e")
        digest = None if request.key is None else request.digest
        origin = Origin(SOURCE, Actor.USER, traceparent=current_traceparent(), request=digest)
        message, envelope = event_message(event, subject, origin, self._clock, event_id)
        sequence = await self._log.append(message, expect)
        await stop_point("gateway.appended")
        if request.key is not None:
            stored = await self._log.get(sequence)
            if stored is None:  # the log remembers the key for an hour, and what it wrote was erased
                raise erased_answer()
            if stored.envelope is not None:
                request.check_same(stored.envelope.request)
        return InputReceipt(event_id=envelope.id, sequence=sequence)

    async def earlier(
        self, session: SessionKey, event: type[Input], request: IdempotentRequest
    ) -> InputReceipt | None:
        """The answer that this key got before, however long ago; None without one."""
        event_type = type_of(event)
        event_id = request.derived_id("e", session.session_id, event_type)
        if event_id is None:
            return None
        subject = session.input(event_type)
        async for message in self._log.read(subject):
            if message.envelope is not None and message.envelope.id == event_id:
                request.check_same(message.envelope.request)
                return InputReceipt(event_id=event_id, sequence=message.sequence)
        return None

    async def append_unless_refused(
        self, session: KnownSession, event: Input, request: IdempotentRequest, refusal: Rejected | None
    ) -> InputReceipt:
        """Append, unless a rule refuses it; a repeat gets its first answer in spite of the rule."""
        if refusal is None:
            try:
                return await self.append(session.key, event, request)
            except Rejected as refused:
                if refused.kind != QUOTA_EXCEEDED:
                    raise
                refusal = refused
        first = await self.earlier(session.key, type(event), request)
        if first is None:
            raise refusal
        return first
