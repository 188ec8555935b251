"""`file_insert_lines`: more lines."""

from typing import Annotated

from pydantic import Field

from agent_platform.log.storable_text import storable_text
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import AtVersion, WrittenFile, written
from tool_runner.agent.files.reading import FileTexts
from tool_runner.agent.files.text import with_lines_inserted


class FileInsertLines(AtVersion):
    """Where in which file, and what."""

    line: Annotated[int, Field(ge=1, description="They come before it; one more than there are is the end.")]
    text: Annotated[str, Field(min_length=1, description="One or more lines.")]


@tool("file_insert_lines", family="files", effect=RECORDED)
async def file_insert_lines(args: FileInsertLines, texts: FileTexts) -> WrittenFile:
    """Insert lines into a text file; all others stay, byte by byte."""
    text = storable_text(args.text)
    file = await texts.edit(
        args.ref, lambda before: with_lines_inserted(before, args.line, text), args.version
    )
    return written(file)
