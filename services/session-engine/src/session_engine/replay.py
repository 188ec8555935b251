"""Strict replay: today's engine over a recorded session, with no effects and no network."""

from collections.abc import AsyncIterable, Callable
from typing import get_args

import msgspec

from agent_contracts.codec import Recorded, decode_message
from agent_contracts.errors import Failure
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.queries import ReplayReport
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.port import StoredMessage
from session_engine.domain.decide import decide
from session_engine.domain.evolve import evolve
from session_engine.domain.state import Session

_DECISIONS = get_args(Decision)


async def replay(
    session_id: SessionId,
    stored: AsyncIterable[StoredMessage],
    decide_next: Callable[[Session], Decision | None] = decide,
) -> ReplayReport:
    """Fold the session; wherever the log holds a decision, `decide_next` must make the very same one.

    Where the log ends is no difference: the next decision may not have been appended yet. The report
    holds the first difference: its sequence, what the log holds and what was decided now.
    """
    state = Session(session_id)
    decisions = 0
    async for message in stored:
        try:
            recorded = decode_message(message.sequence, message.subject, message.headers, message.data)
            if isinstance(recorded.event, _DECISIONS):
                decisions += 1
                decided = decide_next(state)
                if decided != recorded.event:
                    return _differs(state, decisions, recorded, decided)
            state = evolve(state, recorded)
        except Failure as failure:
            problem = {"sequence": message.sequence, "problem": failure.message}
            return ReplayReport(session_id, state.position, decisions, problem)
    return ReplayReport(session_id, state.position, decisions)


def _differs(
    state: Session, decisions: int, recorded: Recorded[SessionEvent], decided: Decision | None
) -> ReplayReport:
    difference = {
        "sequence": recorded.sequence,
        "recorded": _json(recorded.event),
        "decided": _json(decided) if decided is not None else None,
    }
    return ReplayReport(state.session_id, state.position, decisions, difference)


def _json(event: msgspec.Struct) -> Json:
    return msgspec.to_builtins(event)
