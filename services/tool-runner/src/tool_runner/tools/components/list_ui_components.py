"""`list_ui_components`: what there is."""

from agent_contracts.kinds.component import COMPONENT
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, Result, tool
from tool_runner.definitions.arguments import Listed, Nothing
from tool_runner.definitions.operations import listed


class UiComponents(Result):
    """By name."""

    components: list[Listed]


@tool("list_ui_components", family="components", effect=PURE)
async def list_ui_components(args: Nothing, definitions: AgentDefinitions) -> UiComponents:
    """List your pages and components."""
    return UiComponents(components=await listed(COMPONENT, Listed, definitions))
