"""`file_replace_lines`: other lines in place of some."""

from typing import Annotated

from pydantic import Field

from agent_platform.log.storable_text import storable_text
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import AtVersion, WrittenFile, written
from tool_runner.agent.files.reading import FileTexts
from tool_runner.agent.files.text import with_lines_replaced


class FileReplaceLines(AtVersion):
    """Which lines of which file, and what takes their place."""

    from_line: Annotated[int, Field(ge=1, description="The first that goes.")]
    to_line: Annotated[int, Field(ge=1, description="The last that goes.")]
    text: Annotated[str, Field(description="Any number of lines; empty deletes them.")]


@tool("file_replace_lines", family="files", effect=RECORDED)
async def file_replace_lines(args: FileReplaceLines, texts: FileTexts) -> WrittenFile:
    """Replace lines of a text file; all others stay, byte by byte. Give the version that you read, for
    line numbers move when others write."""
    text = storable_text(args.text)
    file = await texts.edit(
        args.ref,
        lambda before: with_lines_replaced(before, args.from_line, args.to_line, text),
        args.version,
    )
    return written(file)
