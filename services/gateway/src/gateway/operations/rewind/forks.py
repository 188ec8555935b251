"""Forks: made by the session engine, shown as they began."""

from agent_contracts.codec import type_of
from agent_contracts.envelope import REQUEST_DIGEST
from agent_contracts.ids import SessionId
from agent_contracts.queries import FORK, ForkCommand
from agent_contracts.session_events.decisions import ForkedFrom
from agent_contracts.session_events.inputs import Created
from agent_contracts.session_key import SessionKey
from agent_contracts.session_view import SessionView
from agent_platform.log.decoding import decode
from agent_platform.log.port import StoredMessage
from gateway.deps import Deps
from gateway.http.problems import Kind, ProblemError
from gateway.http.rewind_requests import Fork
from gateway.operations.asked import Asked
from gateway.operations.rewind.safe_points import safe_point, state_at
from gateway.operations.rewind.views import Forked
from gateway.operations.sessions.directory import KnownSession
from gateway.queries.views import Usage


async def fork(deps: Deps, session: KnownSession, wanted: Fork, request: Asked) -> Forked:
    """Make a fork; the same one for a repeat of the same key. A closed session can be forked too."""
    await deps.agents.require(session.agent_id)
    await safe_point(deps, session.session_id, wanted.at)
    child = SessionId(request.derived_id("s", session.session_id, "forks") or deps.clock.new_id("s"))
    command = ForkCommand(
        session_id=session.session_id,
        child_id=child,
        at=wanted.at,
        message=wanted.message,
        model=wanted.model,
        title=wanted.title,
        request=None if request.key is None else request.digest,
    )
    await deps.questions.ask(FORK, command)
    created = await _stored(deps, SessionKey(session.agent_id, child).input(type_of(Created)))
    if request.key is not None:
        request.check_same(created.headers.get(REQUEST_DIGEST))
    head = await _stored(deps, SessionKey(session.agent_id, child).decision(type_of(ForkedFrom)))
    began = await state_at(deps, child, head.sequence)
    last = head.sequence + (0 if wanted.message is None else 1)
    return _forked(began, created, last)


def goes_on(state: SessionView) -> bool:
    """Whether a fork made where this state rests would ask the model again by itself."""
    if state.queue:
        return True
    if state.status != "running" or not state.messages:
        return False
    last = state.messages[-1]
    return last.role == "user" or bool(last.tool_calls)


async def _stored(deps: Deps, subject: str) -> StoredMessage:
    stored = await deps.log.last(subject)
    if stored is None:
        raise ProblemError(Kind.INTERNAL, f"the fork was made, but nothing is stored at {subject}")
    return stored


def _forked(began: SessionView, created: StoredMessage, last_sequence: int) -> Forked:
    time = decode(created).envelope.time
    origin = began.forked_from
    if origin is None:
        raise ProblemError(Kind.INTERNAL, f"the fork {began.session_id} does not say where it comes from")
    return Forked(
        id=began.session_id,
        agent_id=began.agent_id,
        title=began.title,
        status=began.status,
        model=began.model,
        parent_id=began.parent_id,
        depth=began.depth,
        token_limit=began.token_limit,
        usage=Usage(input=0, output=0),
        error=None,
        created_at=time,
        updated_at=time,
        last_sequence=last_sequence,
        open_calls=[],
        children=[],
        forked_from=origin.session_id,
        at=origin.at,
    )
