"""Sessions: create, list, read."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from agent_contracts import subjects
from agent_contracts.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Conflict
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.session_events.inputs import Created, UserMessage
from agent_contracts.session_key import SessionKey
from agent_platform.log.decoding import decode
from agent_platform.log.port import Expect
from gateway.deps import AgentFilter, Deps, MinSequence, ParentFilter, SessionPath, Using
from gateway.http.problems import Kind, ProblemError
from gateway.http.requests import CreateSession
from gateway.operations.asked import KeyHeader, asked
from gateway.queries import cursors, sessions
from gateway.queries.checkpoint import wait_for
from gateway.queries.views import Session, Sessions, SessionStatus, Usage

router = APIRouter(tags=["sessions"])


@router.post("/sessions", status_code=201, operation_id="createSession")
async def create_session(
    deps: Using, response: Response, body: CreateSession | None = None, key: KeyHeader = None
) -> Session:
    """Begin a session, with a first message or without."""
    body = body or CreateSession()
    request = asked(key, body)
    session_id = SessionId(request.derived_id("s", "sessions") or deps.clock.new_id("s"))
    owner = SessionKey(AgentId(body.agent_id or DEFAULT_AGENT), session_id)
    await deps.agents.require(owner.agent_id)
    created = Created(
        agent_id=owner.agent_id,
        token_limit=body.token_limit or deps.settings.token_limit,
        title=body.title,
        model=body.model,
        child_timeout_s=deps.settings.child_timeout_s,
        child_depth=deps.settings.child_depth,
        child_count=deps.settings.child_count,
    )
    nothing_yet = Expect(subjects.any_agents_session_filter(session_id), 0)
    try:
        accepted = await deps.inputs.append(owner, created, request, nothing_yet)
    except Conflict:
        raise ProblemError(
            Kind.IDEMPOTENCY_MISMATCH, "this Idempotency-Key was used for another session; use a fresh key"
        ) from None
    first = last = accepted.sequence
    if body.message is not None:
        last = (await deps.inputs.append(owner, UserMessage(text=body.message), request)).sequence
    response.headers["Location"] = f"/api/v1/sessions/{session_id}"
    return await _as_created(deps, first, last)


async def _as_created(deps: Deps, first: int, last: int) -> Session:
    """The session as its first event made it, the same however often the request is repeated."""
    stored = await deps.log.get(first)
    if stored is None:
        raise ProblemError(Kind.INTERNAL, f"event {first} is missing right after it was stored")
    recorded = decode(stored)
    created: Created = recorded.event
    return Session(
        id=recorded.envelope.subject,
        agent_id=created.agent_id,
        title=created.title,
        status="idle",
        model=created.model,
        parent_id=created.parent_id,
        depth=created.depth,
        token_limit=created.token_limit,
        usage=Usage(input=0, output=0),
        error=None,
        created_at=recorded.envelope.time,
        updated_at=recorded.envelope.time,
        last_sequence=last,
        open_calls=[],
        children=[],
    )


@router.get("/sessions", operation_id="listSessions")
async def list_sessions(
    deps: Using,
    agent_id: AgentFilter,
    parent_id: ParentFilter,
    status: SessionStatus | None = None,
    q: Annotated[str | None, Query(max_length=200, description="in titles and messages")] = None,
    cursor: Annotated[str | None, Query(max_length=300)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    min_sequence: MinSequence = None,
) -> Sessions:
    """A page of sessions, newest first."""
    after = cursors.read(cursor) if cursor else None
    await wait_for(deps.database, min_sequence, deps.settings.projection_wait_s)
    async with deps.database.snapshot() as snapshot:
        wanted = sessions.Filter(agent_id=agent_id, status=status, parent_id=parent_id, q=q or None)
        return await sessions.page(snapshot, wanted, after, limit)


@router.get("/sessions/{session_id}", operation_id="getSession")
async def get_session(deps: Using, session_id: SessionPath, min_sequence: MinSequence = None) -> Session:
    """A session's status, usage, open calls and children."""
    known = await deps.directory.find(session_id)
    await wait_for(deps.database, max(min_sequence or 0, known.created), deps.settings.projection_wait_s)
    async with deps.database.snapshot() as snapshot:
        session = await sessions.one(snapshot, session_id)
    if session is None:
        raise ProblemError(
            Kind.UNAVAILABLE,
            f"session {session_id} is in the log but not in the projections; see `foldline doctor`",
        )
    return session
