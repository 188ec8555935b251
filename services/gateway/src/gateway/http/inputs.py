"""What else a person can tell a session: stop, go on, close, another title, an answer to its question."""

from fastapi import APIRouter

from agent_contracts.ids import CallId
from agent_contracts.session_events.inputs import Archived, Continued, Interrupted, Renamed
from gateway.deps import SessionPath, Using
from gateway.http.requests import Continue, PostToolResponse, Rename
from gateway.operations.asked import KeyHeader, asked
from gateway.operations.sessions.refusals import closed
from gateway.queries.views import Accepted

router = APIRouter(tags=["inputs"])


@router.post("/sessions/{session_id}/tool-responses", status_code=202, operation_id="postToolResponse")
async def post_tool_response(
    deps: Using, session_id: SessionPath, body: PostToolResponse, key: KeyHeader = None
) -> Accepted:
    """Answer a pending call. Only the first answer is taken."""
    session = await deps.directory.find(session_id)
    return await deps.answers.record(
        session, CallId(body.call_id), body.response, asked(key, body, session_id)
    )


@router.post("/sessions/{session_id}/interrupt", status_code=202, operation_id="interruptSession")
async def interrupt(deps: Using, session_id: SessionPath, key: KeyHeader = None) -> Accepted:
    """Stop what the session is doing; it becomes idle."""
    session = await deps.directory.find(session_id)
    request = asked(key, None, session_id)
    return await deps.inputs.append_unless_refused(
        session, Interrupted(), request, await closed(deps, session)
    )


@router.post("/sessions/{session_id}/archive", status_code=202, operation_id="archiveSession")
async def archive(deps: Using, session_id: SessionPath, key: KeyHeader = None) -> Accepted:
    """Close the session for good."""
    session = await deps.directory.find(session_id)
    request = asked(key, None, session_id)
    return await deps.inputs.append_unless_refused(session, Archived(), request, await closed(deps, session))


@router.post("/sessions/{session_id}/continue", status_code=202, operation_id="continueSession")
async def continue_(deps: Using, session_id: SessionPath, body: Continue, key: KeyHeader = None) -> Accepted:
    """Raise the token limit; a session that had reached its limit goes on."""
    session = await deps.directory.find(session_id)
    event = Continued(token_limit=body.token_limit)
    return await deps.inputs.append_unless_refused(
        session, event, asked(key, body, session_id), await closed(deps, session)
    )


@router.post("/sessions/{session_id}/title", status_code=202, operation_id="renameSession")
async def rename(deps: Using, session_id: SessionPath, body: Rename, key: KeyHeader = None) -> Accepted:
    """Give the session another title; a closed one too."""
    session = await deps.directory.find(session_id)
    event = Renamed(title=body.title)
    return await deps.inputs.append_unless_refused(session, event, asked(key, body, session_id), None)
