"""`file_list`: which files there are."""

from typing import Annotated

from pydantic import Field

from agent_contracts.files import FileScope
from agent_domain.files.file import File
from agent_tools.context import CallContext
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, Arguments, Result, tool


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


class Listed(Result):
    """A part of them by path; `total` is how many there are."""

    files: list[ListedFile]
    total: int


@tool("file_list", family="files", effect=PURE)
async def file_list(args: FileList, files: AgentFiles, call: CallContext) -> Listed:
    """List files: those of this session, and those of the agent, which all its sessions have."""
    found = [file for file in await files.list() if file.path.startswith(args.prefix)]
    if args.scope is not None:
        found = [file for file in found if file.scope is args.scope]
    part = found[args.offset : args.offset + args.limit]
    call.outside.bring(*(source for file in part for source in file.outside))  # their names, too
    return Listed(files=[_listed(file) for file in part], total=len(found))


def _listed(file: File) -> ListedFile:
    return ListedFile(
        file_id=file.file_id,
        path=file.path,
        size=file.size,
        media_type=file.media_type,
        version=file.version,
        scope=file.scope,
    )
