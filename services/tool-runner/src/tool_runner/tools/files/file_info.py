"""`file_info`: all there is to know of a file but its content."""

from typing import Annotated

from pydantic import Field

from agent_contracts.files import FileScope, FileSource
from agent_tools.context import CallContext
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_arguments import OfFile


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
