"""Files in, and their bytes out."""

import re
from contextlib import aclosing
from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse

from agent_contracts.api.files import StoredFile
from agent_contracts.api.problems import Kind
from agent_contracts.api.wire import MAX_SEQUENCE, Page
from agent_contracts.files import LARGEST_FILE, FileScope
from gateway.http.pages import app_frame
from gateway.http.wire.file_parameters import FilePath, IfMatch, entity_tag
from gateway.http.wire.idempotency import KeyHeader
from gateway.http.wire.parameters import Using
from gateway.http.wire.problems import ProblemError, response
from gateway.http.wire.ranges import wanted
from gateway.http.wire.resource import resource
from gateway.http.wire.rights import AskingProgram, check_chat
from gateway.http.wire.streamed import all_pieces
from gateway.http.wire.upload_form import upload_form
from gateway.operations.files.contents import FileContents
from gateway.operations.files.files import FileOfAgent
from gateway.operations.files.uploads import too_large
from gateway.operations.spool import aside

router = resource("files")

_FORM = {
    "type": "object",
    "properties": {
        "file": {"type": "array", "items": {"type": "string", "format": "binary"}},
        "path": {
            "type": "string",
            "description": "the file's path; the folder of several, or of one where it ends with `/`",
        },
        "scope": {"type": "string", "enum": ["session", "agent"]},
        "session_id": {"type": "string"},
        "agent_id": {"type": "string"},
        "extract": {"type": "boolean", "description": "zip archives: store their files instead"},
    },
    "required": ["file"],
}
BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_TYPE = re.compile(r"[\w.+-]{1,127}/[\w.+-]{1,127}(; ?charset=[\w-]{1,40})?", re.ASCII)
_UNKNOWN = "application/octet-stream"
"""For what a tool wrote that is no media type: it may say anything."""
_SANDBOX = "sandbox; default-src 'none'"
"""Whatever a file says: opened by itself, it has no origin, runs nothing and loads nothing."""

VersionQuery = Annotated[
    int | None,
    Query(ge=1, le=MAX_SEQUENCE, description="The bytes of this version. Left out: the current ones."),
]


@router.post(
    "/files",
    status_code=201,
    operation_id="uploadFiles",
    openapi_extra={"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}},
)
async def upload(
    operations: Using, request: Request, program: AskingProgram, key: KeyHeader = None
) -> Page[StoredFile]:
    """Store files, each a part `file`, under the relative paths that they are sent with. A path that is taken
    gets its next version. Without a scope they are the session's, the agent's where no session is named.

    All is checked before anything is stored. If it fails half-way all the same, the problem's `stored` lists
    what was stored.

    A program can send files to a session, and to nothing that other sessions see.
    """
    with aside() as room:
        form = await upload_form(request, room)
        lasts = form.to.scope is FileScope.AGENT
        await check_chat(program, None if lasts else form.to.session_id, operations.directory)
        return await operations.uploads.take(form.files, form.to, room, key)


@router.get(
    "/files/{file_id}/content",
    operation_id="getFileContent",
    response_class=Response,
    responses={
        200: {"description": "The bytes; 206 for a `Range`, 304 for an `If-None-Match`", "content": BYTES}
    },
)
async def get_content(
    operations: Using, request: Request, file_id: FilePath, version: VersionQuery = None
) -> Response:
    """A file's bytes, also one range of them. The entity tag is their SHA-256. Never shown as a page."""
    return await _answer(operations.contents, request, file_id, version)


@router.put(
    "/files/{file_id}/content",
    operation_id="putFileContent",
    openapi_extra={"requestBody": {"required": True, "content": BYTES}},
)
async def put_content(
    operations: Using,
    request: Request,
    file_id: FilePath,
    expected: IfMatch,
    key: KeyHeader = None,
) -> StoredFile:
    """Make these bytes the file's next version. The bytes that it has already make none."""
    which = FileOfAgent((await operations.contents.find(file_id)).agent_id, file_id)
    with aside() as room:
        room.begin()
        size = 0
        async with aclosing(request.stream()) as pieces:
            async for piece in pieces:
                size += len(piece)
                if size > LARGEST_FILE:
                    raise too_large(file_id)
                room.write(piece)
        return await operations.files.write(which, room.end(), expected, key)


@router.head("/files/{file_id}/content", include_in_schema=False)
async def head_content(
    operations: Using, request: Request, file_id: FilePath, version: VersionQuery = None
) -> Response:
    """The headers of `get_content`."""
    return await _answer(operations.contents, request, file_id, version)


@router.get(
    "/files/{file_id}/app",
    operation_id="getApp",
    response_class=Response,
    responses={200: {"description": "The page", "content": {"text/html": {"schema": {"type": "string"}}}}},
)
async def get_app(operations: Using, file_id: FilePath) -> Response:
    """An app of an MCP server (a file of HTML), to be run in a frame without an origin and the net."""
    found = await operations.contents.find(file_id, None)
    if found.file.media_type != "text/html" or found.file.size > app_frame.LARGEST:
        raise ProblemError(Kind.NOT_FOUND, "This file is no app of an MCP server")
    async with aclosing(operations.contents.read(found.file)) as pieces:
        html = b"".join([piece async for piece in pieces])
    return Response(
        app_frame.document(html), headers=app_frame.HEADERS, media_type="text/html; charset=utf-8"
    )


async def _answer(contents: FileContents, request: Request, file_id: str, version: int | None) -> Response:
    file = (await contents.find(file_id, version)).file
    tag = entity_tag(file)
    asked = wanted(request.headers, file.size, tag)
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Accept-Ranges": "bytes"}
    if asked.status == 416:
        refused = ProblemError(
            Kind.RANGE_NOT_SATISFIABLE, f"The file has {file.size:,} bytes, and none of those asked for"
        )
        return response(refused, {**headers, "Content-Range": f"bytes */{file.size}"})
    headers["Content-Security-Policy"] = _SANDBOX
    if asked.status == 304:
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = file.media_type if _TYPE.fullmatch(file.media_type) else _UNKNOWN
    headers["Content-Length"] = str(asked.end - asked.start)
    headers["Content-Disposition"] = _attachment(file.path.rpartition("/")[2])
    if asked.status == 206:
        headers["Content-Range"] = f"bytes {asked.start}-{asked.end - 1}/{file.size}"
    if request.method == "HEAD":
        return Response(status_code=asked.status, headers=headers)
    pieces = contents.read(file, asked.start, asked.end)
    first = await anext(pieces, b"")  # what can't be read is a problem as long as nothing was sent
    return StreamingResponse(all_pieces(first, pieces), status_code=asked.status, headers=headers)


def _attachment(name: str) -> str:
    """As RFC 6266 says: the name itself, and one in ASCII for those who don't know how to read it."""
    plain = "".join(char if char.isascii() and char not in '"\\%' else "_" for char in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
