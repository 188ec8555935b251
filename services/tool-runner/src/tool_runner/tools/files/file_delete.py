"""`file_delete`: a file goes."""

from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, Result, tool
from tool_runner.agent.file_arguments import AtVersion


class FileDelete(AtVersion):
    """Which file."""


class Deleted(Result):
    """Whether it was there."""

    deleted: bool


@tool("file_delete", family="files", effect=RECORDED)
async def file_delete(args: FileDelete, files: AgentFiles) -> Deleted:
    """Delete a file."""
    return Deleted(deleted=await files.delete(args.ref, args.version))
