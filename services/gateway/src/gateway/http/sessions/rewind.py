"""Rewind: another way from an earlier point, and back to one."""

from fastapi import Response

from gateway.http.sessions.rewind_requests import Fork, Rollback
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import SessionPath, To, Using
from gateway.http.wire.resource import resource
from gateway.operations.rewind.forks import FileVersion, Forked, NewFork
from gateway.operations.rewind.previews import RollbackPreview
from gateway.operations.rewind.rollbacks import Back, RolledBack

router = resource("rewind")


@router.post("/sessions/{session_id}/fork", status_code=201, operation_id="forkSession")
async def fork_session(
    operations: Using, response: Response, session_id: SessionPath, body: Fork, key: KeyHeader = None
) -> Forked:
    """Begin a new session with this one's history up to an event; this one stays as it is."""
    files = tuple(FileVersion(one.file_id, one.version) for one in body.files)
    new = NewFork(body.at, body.message, body.model, body.title, files)
    forked = await operations.forks.fork(session_id, new, asked(key, body, session_id))
    response.headers["Location"] = f"/api/v1/sessions/{forked.id}"
    return forked


@router.get("/sessions/{session_id}/rollback-preview", operation_id="previewRollback")
async def preview_rollback(
    operations: Using,
    session_id: SessionPath,
    to: To,
) -> RollbackPreview:
    """What a rollback would undo, and what it would leave out since others changed it too."""
    return await operations.previews.preview(session_id, to)


@router.post("/sessions/{session_id}/rollback", operation_id="rollBackSession")
async def roll_back(
    operations: Using, session_id: SessionPath, body: Rollback, key: KeyHeader = None
) -> RolledBack:
    """Go back to an event, with the chosen parts. Nothing is deleted: a later event can be gone back to."""
    wanted = Back(
        to=body.to,
        parts=tuple(body.parts),
        include=frozenset((one.kind, one.name) for one in body.include),
        include_database=body.include_database,
    )
    return await operations.rollbacks.roll_back(session_id, wanted, asked(key, body, session_id))
