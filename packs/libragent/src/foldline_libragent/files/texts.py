"""Tools that read, search and write texts."""

import glob
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import CoreTool
from agent_domain.files.file import FileRef
from agent_tools.ports.files import AgentFiles, NewLines, TextFiles
from agent_tools.ports.running import OtherTools
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool
from foldline_libragent.files.paths import file_path, folder_path, require_folder
from foldline_libragent.files.shapes import Folder, LibragentWrittenFile, Path, written
from foldline_libragent.running_core import ran

MOST = 100


class Grep(Arguments):
    """What to look for, and in what."""

    pattern: Annotated[str, Field(min_length=1, max_length=1_000, description="A regular expression.")]
    path: Folder = None
    input: Annotated[str | None, Field(max_length=1_000_000, description="A text instead of files.")] = None
    ignore_case: bool = False
    line_numbers: bool = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.path is not None and self.input is not None:
            raise ValueError("give path or input, not both")
        return self


class GrepResult(Result):
    """The lines as grep prints them, `count` of them. `truncated`: there may be more; `skipped` are files
    that could not be searched, or not all of them, each with why."""

    output: str
    count: int
    truncated: bool
    skipped: list[str]


@tool("grep", family="files", effect=PURE, timeout_s=150, alias_of=CoreTool("file_search", "files"))
async def grep(args: Grep, files: AgentFiles, texts: TextFiles, tools: OtherTools) -> GrepResult:
    """Search the lines of files of the workspace, or of a text, by a regular expression."""
    if args.input is not None:
        try:
            found = await texts.search(args.input, args.pattern, ignore_case=args.ignore_case, most=MOST + 1)
        except Rejected as refused:
            refused.path = "/pattern"
            raise
        lines = [f"{one.number}:{one.text}" if args.line_numbers else one.text for one in found[:MOST]]
        return GrepResult(output="\n".join(lines), count=len(lines), truncated=len(found) > MOST, skipped=[])
    searched: dict[str, Any] = await ran(
        tools,
        "file_search",
        {
            "query": args.pattern,
            "regex": True,
            "ignore_case": args.ignore_case,
            "paths": await _patterns(args.path, files),
        },
        query="pattern",
    )
    lines = [_printed(one, numbers=args.line_numbers) for one in searched["matches"]]
    return GrepResult(
        output="\n".join(lines),
        count=len(lines),
        truncated=searched["truncated"],
        skipped=[
            *(f"{one['path']}: {one['why']}" for one in searched["skipped"]),
            *(
                f"{one['path']}: only its text was searched, without {one['what']}"
                for one in searched["left_out"]
            ),
        ],
    )


async def _patterns(path: str | None, files: AgentFiles) -> list[Any]:
    where, known = folder_path(path), await files.list()
    if not where:
        return []
    if any(file.path == where for file in known):
        return [glob.escape(where)]
    require_folder(known, where)
    return [f"{glob.escape(where)}/*"]


def _printed(match: dict[str, Any], *, numbers: bool) -> str:
    return ":".join([match["path"], *([str(match["line"])] if numbers else []), match["text"]])


class LibragentReadFile(Arguments):
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
async def read_file(args: LibragentReadFile, files: AgentFiles, texts: TextFiles) -> FileLines:
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


class Replacement(Arguments):
    """Lines, as the file is now, and what stands there then."""

    start_line: Annotated[int, Field(ge=1, description="From 1.")]
    end_line: Annotated[int | None, Field(ge=1, description="Included; else this line alone.")] = None
    new_content: Annotated[str, Field(description="Empty removes the lines.")]

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.end_line is not None and self.end_line < self.start_line:
            raise ValueError("end_line comes before start_line")
        return self


class ReplaceLines(Arguments):
    """In which file, and which lines."""

    path: Path
    replacements: Annotated[list[Replacement], Field(min_length=1, max_length=500)]


@tool(
    "replace_lines_in_file",
    family="files",
    effect=RECORDED,
    timeout_s=60,
    alias_of=CoreTool("file_replace_lines", "files"),
)
async def replace_lines_in_file(args: ReplaceLines, texts: TextFiles) -> LibragentWrittenFile:
    """Replace lines of a text file. All line numbers are those of the file before."""
    lines = [
        NewLines(one.start_line, one.end_line or one.start_line, one.new_content) for one in args.replacements
    ]
    try:
        return written(await texts.replace(FileRef(path=file_path(args.path)), lines))
    except Rejected as refused:
        if refused.path in ("/from_line", "/to_line"):
            refused.path = "/replacements"
        raise


class LibragentWriteFile(Arguments):
    """Which file, and what."""

    path: Path
    content: Annotated[str, Field(description="Literal text.")]
    mode: Annotated[Literal["w", "a"], Field(description="w replaces, a adds at the end.")] = "w"


@tool("write_file", family="files", effect=RECORDED, alias_of=CoreTool("file_write_text", "files"))
async def write_file(args: LibragentWriteFile, tools: OtherTools) -> LibragentWrittenFile:
    """Write a text file of the workspace, or add to it. It is made if it isn't there, with its folders."""
    given = {"path": file_path(args.path), "text": args.content, "append": args.mode == "a"}
    return LibragentWrittenFile.model_validate(await ran(tools, "file_write_text", given, text="content"))
