"""Decisions on a log: what the engine does for one session, without anything around it."""

from agent_contracts.envelope import Actor
from agent_contracts.session_key import SessionKey
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Expect, Log
from agent_platform.process.clock import Clock
from session_domain.domain.decide import decide
from session_domain.domain.engine_tools import Decided
from session_domain.event_subjects import subject_of
from session_domain.sessions import Sessions


async def decide_all(events: Log, sessions: Sessions, clock: Clock, session: SessionKey) -> list[Decided]:
    """Append each decision that the session calls for, until it calls for none; what was appended."""
    appended: list[Decided] = []
    while True:
        state = await sessions.newest(session)
        decision = decide(state)
        if decision is None:
            return appended
        subject = subject_of(decision, session)
        origin = Origin("/test", Actor.AGENT, state.last_sequence, state.last_sequence)
        message, _ = event_message(decision, subject, session.session_id, origin, clock)
        whole_session = session.everything
        await events.append(message, Expect(whole_session, state.last_sequence))
        appended.append(decision)
