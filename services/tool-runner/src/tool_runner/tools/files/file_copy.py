"""`file_copy`: the same bytes under another path."""

from typing import Annotated

from pydantic import Field

from agent_domain.files.file import Content
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import AtVersion, NewScope, WrittenFile, at_argument, written


class FileCopy(AtVersion):
    """What is copied where."""

    version: Annotated[int | None, Field(ge=1, description="Copy this earlier one.")] = None
    new_path: Annotated[str, Field(description="Its path then.")]
    scope: NewScope = None


@tool("file_copy", family="files", effect=RECORDED)
async def file_copy(args: FileCopy, files: AgentFiles) -> WrittenFile:
    """Copy a file, or an earlier version of it, to another path."""
    file = await files.find(args.ref, args.version)
    content = Content(await files.read(file), file.source, file.media_type, made_from=file.file_id)
    with at_argument("/new_path"):
        return written(await files.create(args.new_path, content, args.scope))
