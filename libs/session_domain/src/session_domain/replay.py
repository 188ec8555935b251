"""Strict replay: today's engine over a recorded session, with no effects and no network."""

from collections.abc import Callable

import msgspec

from agent_contracts.errors import Failure
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.questions.queries import ReplayDifference, ReplayReport
from agent_contracts.session_events.decisions import ForkedFrom, ForkMade
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.port import Log
from session_domain.domain.decide import decide
from session_domain.domain.fold.evolve import passed_over
from session_domain.domain.rules.engine_calls import Decided
from session_domain.domain.state import SessionState
from session_domain.folding import fold_event

_FROM_OUTSIDE = (ForkedFrom, ForkMade)
"""Written by the engine at a person's wish, not called for by the state."""


async def replay(
    events: Log,
    session: SessionKey,
    decide_next: Callable[[SessionState], Decided | None] = decide,
) -> ReplayReport:
    """Fold the session; wherever the log holds a decision, `decide_next` must make the very same one.

    Where the log ends is no difference: the next decision may not have been appended yet. The report
    holds the first difference: its address, what the log holds and what was decided now.
    """
    state = SessionState(session.session_id)
    decisions = 0
    async for message in events.read(session.everything):
        try:
            recorded = event_of(message)
            if recorded is None:
                state = passed_over(state, message.sequence, message.part)
                continue
            if session_subjects.is_decision(recorded.subject) and not isinstance(
                recorded.event, _FROM_OUTSIDE
            ):
                decisions += 1
                decided = decide_next(state)
                if decided != recorded.event:
                    return _differs(state, decisions, recorded, decided)
            state = await fold_event(events, state, recorded)
        except Failure as failure:
            problem = ReplayDifference(str(message.address), problem=failure.message)
            return ReplayReport(session.session_id, state.position, decisions, problem)
    return ReplayReport(session.session_id, state.position, decisions)


def _differs(
    state: SessionState, decisions: int, recorded: RecordedEvent[SessionEvent], decided: Decided | None
) -> ReplayReport:
    now = None if decided is None else msgspec.to_builtins(decided)
    difference = ReplayDifference(str(recorded.address), msgspec.to_builtins(recorded.event), now)
    return ReplayReport(state.session_id, state.position, decisions, difference)
