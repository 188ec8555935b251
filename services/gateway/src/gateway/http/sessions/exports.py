"""A session as one file: out, and in."""

from typing import Annotated

from fastapi import Query, Request, Response

from agent_contracts.api.sessions import ImportedSession
from agent_contracts.sessions.session_file import MEDIA_TYPE, write
from gateway.http.wire.parameters import AgentFilter, SessionPath, Using
from gateway.http.wire.resource import resource
from gateway.operations.sessions.imports import Ids
from gateway.operations.spool import aside

router = resource("rewind")

_FILE = {"content": {MEDIA_TYPE: {"schema": {"type": "string", "description": "lines of JSON"}}}}


@router.get(
    "/sessions/{session_id}/export",
    operation_id="exportSession",
    response_class=Response,
    responses={200: {"description": "The file", **_FILE}},
)
async def export_session(operations: Using, session_id: SessionPath) -> Response:
    """The session as one file: events, blobs, and what it refers to of the sessions it was forked from.

    Blobs that were lost here are named in its last line; the header `Foldline-Lost-Blobs` says how many.
    """
    file = await operations.exports.file(session_id)
    headers = {"Content-Disposition": f'attachment; filename="{session_id}.foldline.jsonl"'}
    if file.lost:
        headers["Foldline-Lost-Blobs"] = str(len(file.lost))
    return Response(write(file), media_type=MEDIA_TYPE, headers=headers)


@router.post(
    "/sessions:import",
    status_code=201,
    operation_id="importSession",
    openapi_extra={"requestBody": {"required": True, **_FILE}},
)
async def import_session(
    operations: Using,
    request: Request,
    response: Response,
    agent_id: AgentFilter,
    ids: Annotated[
        Ids, Query(description="`keep`: refused if such a session exists. `new`: the sessions get other ids.")
    ] = "keep",
) -> ImportedSession:
    """Import an exported session. It is history: none of its calls runs again. A damaged file is refused."""
    with aside() as room:
        file = await room.keep(request.stream())
        imported = await operations.imports.take(file.file, ids, agent_id)
    response.headers["Location"] = f"/api/v1/sessions/{imported.id}"
    return imported
