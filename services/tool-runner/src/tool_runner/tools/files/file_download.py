"""`file_download`: a file from the web."""

import tempfile
from typing import Annotated, BinaryIO

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.files import LARGEST_FILE, FileScope
from agent_domain.files.file import FileRef, Stored
from agent_domain.files.rules import taken
from agent_tools.free_paths import create_at_free_path
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.outside import AgentEgress
from agent_tools.tool import EXTERNAL, Arguments, tool
from egress.fetching import FetchRequest, FetchResponse
from tool_runner.agent.file_arguments import NewScope, WrittenFile, about
from tool_runner.agent.files.naming import name_of

_WITHIN_S = 120.0


class FileDownload(Arguments):
    """From where to where."""

    url: Annotated[str, Field(min_length=1, description="On the public internet.")]
    path: Annotated[str | None, Field(description="By default the name that it has there.")] = None
    scope: NewScope = None


class Downloaded(WrittenFile):
    """The file, and where it came from after redirects."""

    media_type: str
    url: str


@tool("file_download", family="files", effect=EXTERNAL, timeout_s=_WITHIN_S + 30)
async def file_download(args: FileDownload, files: AgentFiles, egress: AgentEgress) -> Downloaded:
    """Download a file, of up to 50 MB, and keep it."""
    if args.path is not None:
        await _require_free(args, files)
    with tempfile.TemporaryFile() as body:
        request = FetchRequest(args.url, limit=LARGEST_FILE, timeout_s=_WITHIN_S, into=body)
        answer = await egress.fetch(request)
        path = args.path or name_of(answer)
        content = await _stored(files, path, answer, body)
    if args.path is not None:
        file = await files.create(path, content, args.scope)
    else:
        file = await create_at_free_path(files, path, content, args.scope)
    return Downloaded(**about(file), media_type=file.media_type, url=answer.url)


async def _stored(files: AgentFiles, path: str, answer: FetchResponse, body: BinaryIO) -> Stored:
    if not answer.ok:
        raise Transient(f"{answer.url} answered with status {answer.status}", kind=ErrorKind.UPSTREAM)
    if answer.truncated:
        message = f"{answer.url} has more than {LARGEST_FILE // 10**6} MB, the most that a file may have"
        raise Rejected(message, kind=ErrorKind.TOO_LARGE)
    return await files.store(path, body, "web")


async def _require_free(args: FileDownload, files: AgentFiles) -> None:
    """Before something large is fetched in vain."""
    try:
        found = await files.find(FileRef(path=args.path))
    except Rejected as error:
        if error.kind != ErrorKind.NOT_FOUND:
            raise
        return
    if found.scope is (args.scope or FileScope.SESSION):
        raise taken(found.file_id, found.path)
