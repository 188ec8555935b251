"""Sessions: create, list, read."""

from typing import Annotated

from fastapi import Query, Response

from agent_contracts.api.sessions import CreateSession, InputReceipt, Session, SessionSummary
from agent_contracts.api.wire import Page
from agent_contracts.session_events.inputs import Rating
from agent_contracts.sessions.session_view import SessionStatus
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import (
    LIMIT,
    AgentFilter,
    Cursor,
    MinSequence,
    ParentFilter,
    PrefixFilter,
    SessionPath,
    Using,
)
from gateway.http.wire.resource import resource
from gateway.http.wire.rights import AskingProgram, agent_for, name_of
from gateway.operations.sessions.creation import NewSession
from gateway.queries.sessions import SessionQuery

router = resource("sessions")


@router.post("/sessions", status_code=201, operation_id="createSession")
async def create_session(
    operations: Using,
    response: Response,
    program: AskingProgram,
    body: CreateSession | None = None,
    key: KeyHeader = None,
) -> Session:
    """Begin a session, with a first message or without."""
    body = body or CreateSession()
    new = NewSession(
        agent_id=agent_for(program, body.agent_id),
        message=body.message,
        model=body.model,
        thinking=None if body.thinking is None else body.thinking.choice(),
        token_limit=body.token_limit,
        title=body.title,
        files=tuple(body.files),
        client=name_of(program),
    )
    created = await operations.creation.create(new, asked(key, body))
    response.headers["Location"] = f"/api/v1/sessions/{created.id}"
    return created


@router.get("/sessions", operation_id="listSessions")
async def list_sessions(
    operations: Using,
    agent_id: AgentFilter,
    parent_id: ParentFilter,
    id_prefix: PrefixFilter,
    status: Annotated[SessionStatus | None, Query(description="Only sessions with this status.")] = None,
    q: Annotated[
        str | None,
        Query(
            max_length=200,
            description="Only sessions with these words in a title or a message, or in what people say of an "
            "answer that they rate. All words are needed, at most 20, in any order; quotes make a phrase. "
            "Parts of words are found; case and accents don't matter.",
        ),
    ] = None,
    rating: Annotated[
        Rating | None, Query(description="Only sessions with an answer that is rated so.")
    ] = None,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 50,
    min_sequence: MinSequence = None,
) -> Page[SessionSummary]:
    """A page of sessions, newest first."""
    wanted = SessionQuery(
        agent_id=agent_id,
        status=status,
        parent_id=parent_id,
        id_prefix=id_prefix,
        q=q or None,
        rating=rating,
    )
    return await operations.reading.sessions(wanted, cursor, limit, min_sequence)


@router.get("/sessions/{session_id}", operation_id="getSession")
async def get_session(
    operations: Using, session_id: SessionPath, min_sequence: MinSequence = None
) -> Session:
    """A session's status, usage, open calls and children."""
    return await operations.reading.session(session_id, min_sequence)


@router.delete("/sessions/{session_id}", status_code=202, operation_id="deleteSession")
async def delete_session(operations: Using, session_id: SessionPath, key: KeyHeader = None) -> InputReceipt:
    """Delete the session for ever, with its sub-sessions; one that runs is stopped.

    Nobody finds it any more at once (410). Its messages, calls, files, notepad, reminders and what models saw
    are then taken out of everything that is stored, but for what other sessions begin with, by a fork: that
    goes with the last of these. What it changed of its agent stays."""
    return await operations.erasing.erase(session_id, asked(key, None, session_id))
