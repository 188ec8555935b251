"""Rewind: another way from an earlier point, and back to one."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from gateway.deps import MAX_SEQUENCE, SessionPath, Using
from gateway.http.rewind_requests import Fork, Rollback
from gateway.operations.asked import KeyHeader, asked
from gateway.operations.rewind import forks, rollbacks
from gateway.operations.rewind import preview as rollback_preview
from gateway.operations.rewind.views import Forked, RollbackPreview, RolledBack

router = APIRouter(tags=["rewind"])


@router.post("/sessions/{session_id}/fork", status_code=201, operation_id="forkSession")
async def fork_session(
    deps: Using, response: Response, session_id: SessionPath, body: Fork, key: KeyHeader = None
) -> Forked:
    """Begin a new session with this one's history up to an event; this one stays as it is."""
    session = await deps.directory.find(session_id)
    forked = await forks.fork(deps, session, body, asked(key, body, session_id))
    response.headers["Location"] = f"/api/v1/sessions/{forked.id}"
    return forked


@router.get("/sessions/{session_id}/rollback-preview", operation_id="previewRollback")
async def preview_rollback(
    deps: Using,
    session_id: SessionPath,
    to: Annotated[int, Query(ge=1, le=MAX_SEQUENCE, description="a log sequence")],
) -> RollbackPreview:
    """What a rollback would undo, and what it would leave out since others changed it too."""
    return await rollback_preview.preview(deps, await deps.directory.find(session_id), to)


@router.post("/sessions/{session_id}/rollback", operation_id="rollBackSession")
async def roll_back(
    deps: Using, session_id: SessionPath, body: Rollback, key: KeyHeader = None
) -> RolledBack:
    """Go back to an event, with the chosen parts. Nothing is deleted: a later event can be gone back to."""
    session = await deps.directory.find(session_id)
    return await rollbacks.roll_back(deps, session, body, asked(key, body, session_id))
