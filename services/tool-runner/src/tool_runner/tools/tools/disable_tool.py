"""`disable_tool`."""

from agent_contracts.kinds.tool import TOOL
from agent_contracts.tool_spec import Lasting
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.definitions.arguments import Named, Switched
from tool_runner.definitions.operations import switch


@tool("disable_tool", family="tools", effect=RECORDED, lasting=Lasting.CALL)
async def disable_tool(args: Named, definitions: AgentDefinitions) -> Switched:
    """Offer a tool of yours no longer, without deleting it."""
    return await switch(TOOL, args, False, definitions)
