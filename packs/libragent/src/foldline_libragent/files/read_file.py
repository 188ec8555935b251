"""`read_file`: what a file says."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import CoreTool
from agent_domain.files.file import FileRef
from agent_tools.ports.files import AgentFiles, TextFiles
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_libragent.files.paths import file_path
from foldline_libragent.files.shapes import Path


class ReadFile(Arguments):
    """Which file, and which lines of it."""

    path: Path
    start_line: Annotated[int | None, Field(ge=1, description="From 1.")] = None
    end_line: Annotated[int | None, Field(ge=1, description="Included.")] = None


class FileLines(Result):
    """The lines from `start_line` to `end_line`, of `total_lines` that there are."""

    path: str
    content: str
    start_line: int
    end_line: int
    total_lines: int
    version: int


@tool("read_file", family="files", effect=PURE, timeout_s=60, alias_of=CoreTool("file_read_text", "files"))
async def read_file(args: ReadFile, files: AgentFiles, texts: TextFiles) -> FileLines:
    """Read a file of the workspace, whole or some lines of it."""
    file = await files.find(FileRef(path=file_path(args.path)))
    lines = (await texts.read(file)).splitlines(keepends=True)
    first, last = args.start_line or 1, min(args.end_line or len(lines), len(lines))
    if first > max(len(lines), 1) or (args.end_line is not None and args.end_line < first):
        message = f"there is no line from {first} to {args.end_line or last}: it has {len(lines)}"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/start_line")
    return FileLines(
        path=file.path,
        content="".join(lines[first - 1 : last]),
        start_line=first,
        end_line=last,
        total_lines=len(lines),
        version=file.version,
    )
