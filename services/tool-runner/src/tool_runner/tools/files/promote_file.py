"""`promote_file`: a file of a session becomes one of the agent."""

from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, tool
from tool_runner.agent.file_arguments import OfFile, WrittenFile, written


class PromoteFile(OfFile):
    """Which file."""


@tool("promote_file", family="files", effect=RECORDED)
async def promote_file(args: PromoteFile, files: AgentFiles) -> WrittenFile:
    """Make a file of this session one of the agent's, which all its sessions see."""
    return written(await files.promote(args.ref))
