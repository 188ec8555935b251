"""The engine: whenever a session got an input or a result, append every decision that it calls for."""

import asyncio
from typing import Protocol
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache

from agent_contracts.errors import Conflict, LogCorrupt, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect, SkippedMessage, StoredMessage, read
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.union import SessionEvent
from agent_domain.rewinding.rewinds import Rewinds
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from agent_platform.process.stop_points import stop_point
from agent_platform.services.consuming.consumer import Delivery
from session_domain.domain.cancellations import told_to_stop
from session_domain.domain.records import awaits
from session_domain.domain.state import SessionState
from session_domain.sessions import WARM_SESSIONS, FoldedSessions, session_at
from session_engine.broken_sessions import end_broken
from session_engine.commit import Commit, OfferedEvent, commit
from session_engine.neighbours.neighbours import CONCERNS_OTHERS, Neighbours
from session_engine.service import DECLARATION
from session_engine.timers import SessionTimers

SOURCE = DECLARATION.source

log = structlog.get_logger()


class LivePublisher(Protocol):
    """Core NATS: told at once, to whoever listens, never stored."""

    async def publish(self, subject: str, data: bytes) -> None:
        """Send one message."""
        ...


class Engine:
    """Handles inputs and results. Any number may run: a decision is appended only if it saw everything."""

    def __init__(  # noqa: PLR0913 — what an engine works with
        self,
        events: Log,
        sessions: FoldedSessions,
        clock: Clock,
        live: LivePublisher,
        timers: SessionTimers,
        rewinds: Rewinds,
    ) -> None:
        self._neighbours = Neighbours(events, sessions, clock, rewinds)
        self._events = events
        self._sessions = sessions
        self._clock = clock
        self._live = live
        self._timers = timers
        self._turns: WeakValueDictionary[SessionId, asyncio.Lock] = WeakValueDictionary()
        self._settled: LRUCache[SessionKey, int] = LRUCache(WARM_SESSIONS)

    def preview(self, delivery: Delivery, number: int) -> bool:
        """Take note of an event. Whether it must be handled: claims and most decisions need not, nor does
        what was decided on here before it came."""
        self._sessions.saw(delivery, number)
        decided = self._decided_on(delivery.message)
        return not all(_calls_for_nothing(event.subject, decided) for event in delivery.events)

    async def handle(self, delivery: Delivery) -> None:
        """A record with an input or a result: decide until the session calls for nothing more. Harmless when
        repeated.

        A decision that concerns another session is acted on there. What isn't an event is passed over.
        """
        found = read(delivery.message)
        if isinstance(found, SkippedMessage):
            log.warning("message.skipped", subject=found.subject, kind=found.kind, problem=found.problem)
            return
        wanted = [event for event in delivery.events if not _calls_for_nothing(event.subject)]
        if any(not session_subjects.is_decision(event.subject) for event in wanted):
            await stop_point("engine.received")
            session = session_subjects.parse_session_subject(delivery.message.subject).key
            await self.advance(session, delivery.message.sequence)
        for event in wanted:
            if session_subjects.is_decision(event.subject):
                await stop_point("engine.neighbours")
                await self._neighbours.act(session_subjects.parse_session_subject(event.subject), event)

    async def take(self, result: OfferedEvent) -> StoredMessage | None:
        """Commit a result that a worker offers, with what follows from it: its record. None: it is for its
        worker to write, as where the session doesn't wait for it (any more)."""
        session = session_subjects.parse_session_subject(result.recorded.subject).key
        asked = result.recorded.envelope.causation or 0
        async with self._turns.setdefault(session.session_id, asyncio.Lock()):
            state = await self._sessions.covering(session, asked)
            while awaits(state, result.recorded.event):
                await stop_point("engine.offered")
                next_record = commit(state, asked, self._clock, result)
                assert next_record is not None
                try:
                    _, record = await self._append(state, next_record)
                    return record
                except Conflict:
                    state = await self._sessions.newest(session)
            return None

    async def advance(self, session: SessionKey, cause: int) -> None:
        """Append every decision that the session calls for, seen up to `cause`, which led to them."""
        async with self._turns.setdefault(session.session_id, asyncio.Lock()):
            try:
                await self._advance(session, cause)
            except LogCorrupt as corrupt:
                await end_broken(self._events, self._clock, (session, cause), corrupt, SOURCE)
                raise

    async def tell_end_of(self, session: SessionKey) -> None:
        """Act on what ended the session, elsewhere, as when it was decided: once more is harmless."""
        ends = [session.decision(type_of(one)) for one in (ev.Completed, ev.Failed, ev.TokenLimitHit)]
        found = [one for one in [await self._events.last(end) for end in ends] if one is not None]
        if found:
            newest = max(found, key=lambda one: one.sequence)
            await self._neighbours.act(session_subjects.parse_session_subject(newest.subject), newest)

    async def given_up(self, message: StoredMessage, reason: str) -> None:
        """An input that couldn't be handled: it stays in the log and is set aside as a dead letter."""
        log.error("input.given_up", sequence=message.sequence, subject=message.subject, reason=reason)

    async def _advance(self, session: SessionKey, cause: int) -> None:
        state = await self._sessions.covering(session, cause)
        while (next_record := commit(state, cause, self._clock)) is not None:
            try:
                state, _ = await self._append(state, next_record)
            except Conflict:
                decisions = [type(one.event).__name__ for one in next_record.events]
                log.info("decision.overtaken", session_id=session.session_id, decisions=decisions)
                state = await self._sessions.newest(session)
                continue
            cause = state.last_sequence
        await self._timers.set_for(state)
        self._sessions.settled(state)
        self._settled[session] = state.last_sequence

    def _decided_on(self, message: StoredMessage) -> bool:
        """Whether every decision that follows from a message is in the log, and its timers are set."""
        session = session_at(message.subject)
        return session is not None and self._settled.get(session, 0) >= message.sequence

    async def _append(self, before: SessionState, next_record: Commit) -> tuple[SessionState, StoredMessage]:
        """The session after its next record, and that as it is stored."""
        expect = Expect(before.key.everything, before.last_sequence)
        await stop_point("engine.deciding")
        try:
            with next_record.coming():
                sequence = await self._events.append(next_record.record, expect)
        except Rejected as refused:
            if refused.kind != "too_large" or len(next_record.events) == 1:
                raise
            next_record = next_record.first
            with next_record.coming():
                sequence = await self._events.append(next_record.record, expect)
        await stop_point("engine.decided")
        record, stored = next_record.stored(expect, sequence)
        state = before
        for one in stored:
            state = await self._sessions.fold(state, one)
        state = self._sessions.keep(state)
        for recorded in next_record.events:
            await self._tell(state, recorded.event)
        return state, record

    async def _tell(self, state: SessionState, event: SessionEvent) -> None:
        """Tell those who work for the session to stop early; their results would be ignored anyway."""
        stopped = told_to_stop(event)
        if stopped is not None:
            await self._live.publish(subjects.cancel_subject(state.session_id), stopped.encode())


def _calls_for_nothing(subject: str, decided: bool = False) -> bool:
    if session_at(subject) is None:
        return True
    if session_subjects.is_decision(subject):
        return session_subjects.parse_session_subject(subject).rest not in CONCERNS_OTHERS
    return decided or session_subjects.is_claim(subject)
