"""`read_tool`: all of it."""

from agent_contracts.kinds.tool import TOOL
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, tool
from tool_runner.definitions.arguments import Named
from tool_runner.definitions.callables import Callable
from tool_runner.definitions.operations import read


@tool("read_tool", family="tools", effect=PURE)
async def read_tool(args: Named, definitions: AgentDefinitions) -> Callable:
    """Read a tool of yours whole, code and schema included."""
    return await read(TOOL, args, Callable, definitions)
