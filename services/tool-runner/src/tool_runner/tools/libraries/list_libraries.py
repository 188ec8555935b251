"""`list_libraries`: what there is."""

from agent_contracts.kinds.library import LIBRARY
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, Result, tool
from tool_runner.definitions.arguments import Listed, Nothing
from tool_runner.definitions.operations import listed


class Libraries(Result):
    """By name."""

    libraries: list[Listed]


@tool("list_libraries", family="libraries", effect=PURE)
async def list_libraries(args: Nothing, definitions: AgentDefinitions) -> Libraries:
    """List your libraries."""
    return Libraries(libraries=await listed(LIBRARY, Listed, definitions))
