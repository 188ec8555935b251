"""Tools that make, find, move and delete files."""

import base64
import binascii
import tempfile
from typing import Annotated, BinaryIO, Self

from pydantic import Field, model_validator

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.files import LARGEST_FILE, FileScope, FileSource
from agent_contracts.tool_spec import LastingEffect
from agent_domain.files.file import File, FileContent, FileRef, StoredContent
from agent_domain.files.rules import taken
from agent_platform.entities.entity import EntityKey
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext
from agent_tools.free_paths import create_at_free_path
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.outside import AgentEgress, LastingChanges
from agent_tools.tool import EXTERNAL, PURE, RECORDED, Arguments, Result, tool
from egress.fetching import FetchRequest, FetchResponse
from tool_runner.agent.file_arguments import (
    AtVersion,
    NewScope,
    OfFile,
    WrittenFile,
    about,
    at_argument,
    written,
)
from tool_runner.agent.files.file_names import name_of


class FileCopy(AtVersion):
    """What is copied where."""

    version: Annotated[int | None, Field(ge=1, description="Copy this earlier one.")] = None
    new_path: Annotated[str, Field(description="Its path then.")]
    scope: NewScope = None


@tool("file_copy", family="files", effect=RECORDED)
async def file_copy(args: FileCopy, files: AgentFiles) -> WrittenFile:
    """Copy a file, or an earlier version of it, to another path."""
    file = await files.find(args.ref, args.version)
    content = FileContent(await files.read(file), file.source, file.media_type, made_from=file.file_id)
    with at_argument("/new_path"):
        return written(await files.create(args.new_path, content, args.scope))


class FileCreate(Arguments):
    """Where, and what is in it."""

    path: Annotated[str, Field(description="Such as reports/may.csv.")]
    text: Annotated[str | None, Field(description="Its content, as UTF-8.")] = None
    base64: Annotated[str | None, Field(description="Its content, for bytes.")] = None
    scope: NewScope = None

    @model_validator(mode="after")
    def _at_most_one(self) -> Self:
        if self.text is not None and self.base64 is not None:
            raise ValueError("give text or base64, not both")
        return self


@tool("file_create", family="files", effect=RECORDED)
async def file_create(args: FileCreate, files: AgentFiles) -> WrittenFile:
    """Make a file. A path that is taken is refused: file_write_text writes to a file that exists."""
    data = storable_text(args.text or "").encode() if args.base64 is None else _bytes(args.base64)
    return written(await files.create(args.path, FileContent(data), args.scope))


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        message = f"not Base64: {error}"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/base64") from error


class FileDelete(AtVersion):
    """Which file."""


class FileDeletion(Result):
    """Whether it was there."""

    deleted: bool


@tool("file_delete", family="files", effect=RECORDED, lasting=LastingEffect.RUN)
async def file_delete(
    args: FileDelete, files: AgentFiles, call: CallContext, lasting: LastingChanges
) -> FileDeletion:
    """Delete a file."""
    try:
        file = await files.find(args.ref)
    except Rejected as error:
        if error.kind != ErrorKind.NOT_FOUND:
            raise
    else:
        key = EntityKey(call.agent_id, EntityKind.FILE, file.file_id)
        await lasting.require(file_delete.spec, args.model_dump(exclude_unset=True), key)
    return FileDeletion(deleted=await files.delete(args.ref, args.version))


_WITHIN_S = 120.0


class FileDownload(Arguments):
    """From where to where."""

    url: Annotated[str, Field(min_length=1, description="On the public internet.")]
    path: Annotated[str | None, Field(description="By default the name that it has there.")] = None
    scope: NewScope = None


class DownloadedFile(WrittenFile):
    """The file, and where it came from after redirects."""

    media_type: str
    url: str


@tool("file_download", family="files", effect=EXTERNAL, timeout_s=_WITHIN_S + 30)
async def file_download(args: FileDownload, files: AgentFiles, egress: AgentEgress) -> DownloadedFile:
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
    return DownloadedFile(**about(file), media_type=file.media_type, url=answer.url)


async def _stored(files: AgentFiles, path: str, answer: FetchResponse, body: BinaryIO) -> StoredContent:
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


class FileInfo(OfFile):
    """Which file, and which version of it."""

    version: Annotated[int | None, Field(ge=1, description="An earlier one.")] = None


class KnownFile(Result):
    """A version of it. `source`: where its bytes came from; `made_from`: the file it was made of."""

    file_id: str
    path: str
    size: int
    media_type: str
    version: int
    scope: FileScope
    source: FileSource
    updated_at: str
    sha256: str
    made_from: str | None


@tool("file_info", family="files", effect=PURE)
async def file_info(args: FileInfo, files: AgentFiles, call: CallContext) -> KnownFile:
    """Tell a file's size, type, version and where it came from."""
    file = await files.find(args.ref, args.version)
    call.outside.bring(*file.outside)
    return KnownFile(
        file_id=file.file_id,
        path=file.path,
        size=file.size,
        media_type=file.media_type,
        version=file.version,
        scope=file.scope,
        source=file.source,
        updated_at=file.updated_at,
        sha256=file.blob,
        made_from=file.made_from,
    )


class FileList(Arguments):
    """Which of them."""

    prefix: Annotated[str, Field(description="Only paths that begin with it.")] = ""
    scope: Annotated[FileScope | None, Field(description="Only this session's, or the agent's.")] = None
    limit: Annotated[int, Field(ge=1, le=1000, description="At most so many.")] = 100
    offset: Annotated[int, Field(ge=0, description="Leave out so many.")] = 0


class ListedFile(Result):
    """One of them."""

    file_id: str
    path: str
    size: int
    media_type: str
    version: int
    scope: FileScope


class FileListing(Result):
    """A part of them by path; `total` is how many there are."""

    files: list[ListedFile]
    total: int


@tool("file_list", family="files", effect=PURE)
async def file_list(args: FileList, files: AgentFiles, call: CallContext) -> FileListing:
    """List files: those of this session, and those of the agent, which all its sessions have."""
    found = [file for file in await files.list() if file.path.startswith(args.prefix)]
    if args.scope is not None:
        found = [file for file in found if file.scope is args.scope]
    part = found[args.offset : args.offset + args.limit]
    call.outside.bring(*(source for file in part for source in file.outside))  # their names, too
    return FileListing(files=[_listed(file) for file in part], total=len(found))


def _listed(file: File) -> ListedFile:
    return ListedFile(
        file_id=file.file_id,
        path=file.path,
        size=file.size,
        media_type=file.media_type,
        version=file.version,
        scope=file.scope,
    )


class FileRename(AtVersion):
    """Which file, and its new path."""

    new_path: Annotated[str, Field(description="Its path then.")]


@tool("file_rename", family="files", effect=RECORDED)
async def file_rename(args: FileRename, files: AgentFiles) -> WrittenFile:
    """Give a file another path, which moves it. Its id stays."""
    with at_argument("/new_path"):
        return written(await files.rename(args.ref, args.new_path, args.version))


class PromoteFile(OfFile):
    """Which file."""


@tool("promote_file", family="files", effect=RECORDED)
async def promote_file(args: PromoteFile, files: AgentFiles) -> WrittenFile:
    """Make a file of this session one of the agent's, which all its sessions see."""
    return written(await files.promote(args.ref))
