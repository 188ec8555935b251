"""Rewind: another way from an earlier point, and back to one."""

from fastapi import Response

from agent_contracts.api.rewinds import RewindSession, SessionRewindPreview, SessionRewound, address_of
from agent_contracts.api.sessions import Fork, ForkedSession
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import SessionPath, To, Using
from gateway.http.wire.resource import resource
from gateway.http.wire.rights import AskingProgram, refused
from gateway.operations.rewind.forks import NewFork
from gateway.operations.rewind.session_rewinds import WantedParts

router = resource("rewind")


@router.post("/sessions/{session_id}:fork", status_code=201, operation_id="forkSession")
async def fork_session(
    operations: Using,
    response: Response,
    session_id: SessionPath,
    body: Fork,
    program: AskingProgram,
    key: KeyHeader = None,
) -> ForkedSession:
    """Begin a new session with this one's history up to an event; this one stays as it is."""
    files = tuple(body.files)
    if program is not None and (files or body.message is not None):
        refused(program, "can't begin a fork with a message: fork, then say it there")
    new = NewFork(address_of(body.at), body.message, body.model, body.title, files)
    forked = await operations.forks.fork(session_id, new, asked(key, body, session_id))
    response.headers["Location"] = f"/api/v1/sessions/{forked.id}"
    return forked


@router.get("/sessions/{session_id}/rewind-preview", operation_id="previewSessionRewind")
async def preview_session_rewind(operations: Using, session_id: SessionPath, to: To) -> SessionRewindPreview:
    """Show what a rewind would undo, and what would stay because others changed it too."""
    return await operations.session_previews.preview(session_id, to)


@router.post("/sessions/{session_id}:rewind", operation_id="rewindSession")
async def rewind_session(
    operations: Using, session_id: SessionPath, body: RewindSession, key: KeyHeader = None
) -> SessionRewound:
    """Take the chosen parts back to an event. Nothing is deleted: you can rewind to a later event, too.
    A recorded request is carried out even if nobody waits for the answer; repeat it with the same key to see
    the result."""
    including = tuple(one.selection for one in body.including)
    wanted = WantedParts(address_of(body.to, "to"), tuple(body.parts), including)
    return await operations.session_rewinds.rewind(session_id, wanted, asked(key, body, session_id))
