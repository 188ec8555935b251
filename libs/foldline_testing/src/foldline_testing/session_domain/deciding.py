"""Decisions on a log: what the engine does for one session, without anything around it."""

import contextlib
from typing import Protocol

from agent_contracts.errors import Conflict, LogCorrupt
from agent_contracts.event_sources import ENGINE, Actor
from agent_contracts.log.record.records import Expect, event_of
from agent_contracts.log.record.session_subjects import SessionKey, is_decision, subject_of
from agent_contracts.log.subjects import cancel_subject
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, SystemClock
from session_domain.domain.cancellations import told_to_stop
from session_domain.domain.decide import decide
from session_domain.domain.rules.engine_calls import Decided
from session_domain.sessions import FoldedSessions


class Live(Protocol):
    """Where those who work for a session are told to stop."""

    async def publish(self, subject: str, data: bytes) -> None:
        """Tell whoever listens."""
        ...


async def decide_all(
    events: Log, sessions: FoldedSessions, clock: Clock, session: SessionKey, traceparent: str | None = None
) -> list[Decided]:
    """Append each decision that the session calls for, until it calls for none; what was appended."""
    appended: list[Decided] = []
    while True:
        state = await sessions.newest(session)
        decision = decide(state)
        if decision is None:
            return appended
        subject = subject_of(decision, session)
        origin = Origin(ENGINE, Actor.AGENT, state.last_sequence, state.last_sequence, traceparent)
        message, _ = event_message(decision, subject, origin, clock)
        with contextlib.suppress(Conflict):  # the session went on meanwhile
            await events.append(message, Expect(session.everything, state.last_sequence))
            appended.append(decision)


async def keep_deciding(events: Log, live: Live, session: SessionKey) -> None:
    """Stand in for the engine, for one session: decide after each input and result, until cancelled."""
    sessions = FoldedSessions(events)
    async for message in events.tail([session.everything], after=0):
        recorded = event_of(message)
        if recorded is None or is_decision(message.subject):
            continue
        traceparent = recorded.envelope.traceparent
        with contextlib.suppress(LogCorrupt):  # no decision follows on a log with a hole
            for decision in await decide_all(events, sessions, SystemClock(), session, traceparent):
                stopped = told_to_stop(decision)
                if stopped is not None:
                    await live.publish(cancel_subject(session.session_id), stopped.encode())
