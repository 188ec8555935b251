"""Where one can go back to: never between a call and its results."""

import msgspec

from agent_contracts.ids import SessionId
from agent_contracts.queries import SESSION_STATE, SessionStateQuery
from agent_contracts.session_view import SessionView
from gateway.deps import Deps
from gateway.http.problems import Kind, ProblemError


class SafePoint(msgspec.Struct, frozen=True):
    """An event that one can go back to, and the session's fold at the event that was asked for."""

    at: int
    asked_for: SessionView


async def state_at(deps: Deps, session_id: SessionId, at: int | None = None) -> SessionView:
    """The session folded up to event `at` (now, if None); `not_found` if it began after it."""
    answer = await deps.questions.ask(SESSION_STATE, SessionStateQuery(session_id=session_id, at=at))
    return msgspec.convert(answer, SessionView)


async def safe_point(deps: Deps, session_id: SessionId, at: int) -> SafePoint:
    """`at` itself, or the last event before it at which no call of the session was open.

    An `invalid_request` problem if the log hasn't come that far.
    """
    newest = await deps.log.last_sequence()
    if at > newest:
        raise ProblemError(Kind.INVALID_REQUEST, f"there is no event {at} yet: the newest is {newest}")
    state = await state_at(deps, session_id, at)
    rests = state.rest_at == state.last_sequence
    return SafePoint(at if rests else state.rest_at, state)
