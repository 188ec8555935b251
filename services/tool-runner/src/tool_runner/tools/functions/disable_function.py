"""`disable_function`."""

from agent_contracts.kinds.function import FUNCTION
from agent_contracts.tool_spec import Lasting
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import RECORDED, tool
from tool_runner.definitions.arguments import Named, Switched
from tool_runner.definitions.operations import switch


@tool("disable_function", family="functions", effect=RECORDED, lasting=Lasting.CALL)
async def disable_function(args: Named, definitions: AgentDefinitions) -> Switched:
    """Let a function of yours be called no longer, without deleting it."""
    return await switch(FUNCTION, args, False, definitions)
