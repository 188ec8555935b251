"""`list_tools`: what there is."""

from agent_contracts.definitions import TOOL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import ListedSwitchable, WithDisabled
from tool_runner.tool import Result, tool


class Tools(Result):
    """By name."""

    tools: list[ListedSwitchable]


@tool("list_tools", family="tools", effect=Effect.PURE)
async def list_tools(args: WithDisabled, ctx: ToolContext) -> Tools:
    """List your own tools; those that are disabled only if you ask for them."""
    return Tools(
        tools=[
            ListedSwitchable(
                name=one.name,
                description=one.value.description,
                version=one.version,
                enabled=one.value.enabled,
            )
            for one in await ctx.definitions.list(TOOL)
            if one.value.enabled or args.include_disabled
        ]
    )
