"""`list_tools`: what there is."""

from agent_contracts.kinds.tool import TOOL
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.tool import PURE, Result, tool
from tool_runner.definitions.arguments import ListedSwitchable, WithDisabled
from tool_runner.definitions.operations import listed


class Tools(Result):
    """By name."""

    tools: list[ListedSwitchable]


@tool("list_tools", family="tools", effect=PURE)
async def list_tools(args: WithDisabled, definitions: AgentDefinitions) -> Tools:
    """List your own tools; those that are disabled only if you ask for them."""
    return Tools(tools=await listed(TOOL, ListedSwitchable, definitions, disabled=args.include_disabled))
