"""`delete_library`."""

from agent_contracts.kinds.library import LIBRARY
from agent_contracts.tool_spec import Lasting
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.definitions.arguments import Deletion, Named
from tool_runner.definitions.operations import delete


@tool("delete_library", family="libraries", effect=RECORDED, lasting=Lasting.CALL)
async def delete_library(args: Named, definitions: AgentDefinitions) -> Deletion:
    """Delete a library of yours. Gives {"deleted": false} if there is none; that is not an error."""
    return await delete(LIBRARY, args, definitions)
