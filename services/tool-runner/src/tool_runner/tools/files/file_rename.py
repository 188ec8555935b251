"""`file_rename`: another path."""

from typing import Annotated

from pydantic import Field

from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import AtVersion, WrittenFile, at_argument, written


class FileRename(AtVersion):
    """Which file, and its new path."""

    new_path: Annotated[str, Field(description="Its path then.")]


@tool("file_rename", family="files", effect=RECORDED)
async def file_rename(args: FileRename, files: AgentFiles) -> WrittenFile:
    """Give a file another path, which moves it. Its id stays."""
    with at_argument("/new_path"):
        return written(await files.rename(args.ref, args.new_path, args.version))
