"""`file_read_text`: what a file says."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.files.file import File
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, Result, tool
from tool_runner.agent.file_arguments import OfFile
from tool_runner.agent.files.reading import FileText, FileTexts, part_of
from tool_runner.agent.files.text import PlainText


class FileReadText(OfFile):
    """Which file, and which part of it."""

    from_line: Annotated[int | None, Field(ge=1, description="From 1.")] = None
    to_line: Annotated[int | None, Field(ge=1, description="Included.")] = None
    offset: Annotated[int, Field(ge=0, description="next_offset of the part before.")] = 0
    max_chars: Annotated[int, Field(ge=1, le=200_000, description="About.")] = 20_000
    source: Annotated[bool, Field(description="HTML as it stands.")] = False


class ReadText(Result):
    """The text, or the part of it that begins at line `from_line`; `lines` is how many all of it has.

    `left_out` says what the file holds, but no part of its text, and how to see it. `encoding` is null for
    what was taken out of a document. With `truncated`, `next_offset` is where the next part begins.
    """

    file_id: str
    path: str
    version: int
    left_out: list[str]
    text: str
    encoding: str | None
    from_line: int
    lines: int
    truncated: bool
    next_offset: int | None = None


@tool("file_read_text", family="files", effect=PURE, timeout_s=60)
async def file_read_text(args: FileReadText, files: AgentFiles, texts: FileTexts) -> ReadText:
    """Read a file's text, whole or in part. PDFs, documents and sheets, too."""
    file = await files.find(args.ref)
    found = await texts.read(file, source=args.source)
    if args.from_line is None and args.to_line is None:
        return _read(file, found, args.offset, args.max_chars, len(found.text))
    if args.offset:
        message = "give lines or an offset, not both"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/offset")
    lines = PlainText(found.text).lines
    first, last = args.from_line or 1, args.to_line or len(lines)
    if first > max(len(lines), 1):
        message = f"it has {len(lines)} lines"
        raise Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path="/from_line")
    begin = sum(map(len, lines[: first - 1]))
    return _read(file, found, begin, args.max_chars, begin + sum(map(len, lines[first - 1 : last])))


def _read(file: File, found: FileText, offset: int, most: int, end: int) -> ReadText:
    text, more = part_of(found.text[:end], offset, most)
    return ReadText(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        left_out=list(found.left_out),
        text=text,
        encoding=found.encoding,
        from_line=len(PlainText(found.text[:offset]).lines) + 1,
        lines=len(PlainText(found.text).lines),
        truncated=more is not None,
        next_offset=more,
    )
