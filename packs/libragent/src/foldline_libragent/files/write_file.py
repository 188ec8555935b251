"""`write_file`: write or add."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.tool_spec import CoreTool
from agent_tools.ports.running import OtherTools
from agent_tools.tool import RECORDED, Arguments, tool
from foldline_libragent.files.paths import file_path
from foldline_libragent.files.shapes import Path, WrittenFile
from foldline_libragent.running_core import ran


class WriteFile(Arguments):
    """Which file, and what."""

    path: Path
    content: Annotated[str, Field(description="Literal text.")]
    mode: Annotated[Literal["w", "a"], Field(description="w replaces, a adds at the end.")] = "w"


@tool("write_file", family="files", effect=RECORDED, alias_of=CoreTool("file_write_text", "files"))
async def write_file(args: WriteFile, tools: OtherTools) -> WrittenFile:
    """Write a text file of the workspace, or add to it. It is made if it isn't there, with its folders."""
    given = {"path": file_path(args.path), "text": args.content, "append": args.mode == "a"}
    return WrittenFile.model_validate(await ran(tools, "file_write_text", given, text="content"))
