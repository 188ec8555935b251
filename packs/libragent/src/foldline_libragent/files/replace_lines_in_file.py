"""`replace_lines_in_file`: some lines anew, all at once."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from agent_contracts.errors import Rejected
from agent_contracts.tool_spec import CoreTool
from agent_domain.files.file import FileRef
from agent_tools.ports.files import NewLines, TextFiles
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.files.paths import file_path
from foldline_libragent.files.shapes import Path, WrittenFile, written


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
async def replace_lines_in_file(args: ReplaceLines, texts: TextFiles) -> WrittenFile:
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
