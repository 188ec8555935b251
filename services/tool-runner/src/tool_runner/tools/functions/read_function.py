"""`read_function`: all of it."""

from agent_contracts.kinds.function import FUNCTION
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, tool
from tool_runner.definitions.arguments import Named
from tool_runner.definitions.callables import Callable
from tool_runner.definitions.operations import read


@tool("read_function", family="functions", effect=PURE)
async def read_function(args: Named, definitions: AgentDefinitions) -> Callable:
    """Read a function of yours whole, code and schema included."""
    return await read(FUNCTION, args, Callable, definitions)
