"""A session's folded state, at any event."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Response

from agent_contracts.queries import SESSION_STATE, SessionStateQuery
from gateway.deps import MAX_SEQUENCE, SessionPath, Using
from gateway.queries.views import SessionState

router = APIRouter(tags=["state"])


@router.get("/sessions/{session_id}/state", operation_id="getState", response_model=SessionState)
async def get_state(
    deps: Using,
    session_id: SessionPath,
    at: Annotated[
        int | None, Query(ge=1, le=MAX_SEQUENCE, description="fold up to this log sequence; else up to now")
    ] = None,
) -> Response:
    """The session folded by the engine itself."""
    await deps.directory.find(session_id)
    shown = await deps.questions.ask(SESSION_STATE, SessionStateQuery(session_id=session_id, at=at))
    return Response(msgspec.json.encode(shown), media_type="application/json")
