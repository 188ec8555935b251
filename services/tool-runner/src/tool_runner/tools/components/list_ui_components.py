"""`list_ui_components`: what there is."""

from agent_contracts.definitions import COMPONENT
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Listed, Nothing
from tool_runner.tool import Result, tool


class UiComponents(Result):
    """By name."""

    components: list[Listed]


@tool("list_ui_components", family="components", effect=Effect.PURE)
async def list_ui_components(args: Nothing, ctx: ToolContext) -> UiComponents:
    """List your pages and components."""
    return UiComponents(
        components=[
            Listed(name=one.name, description=one.value.description, version=one.version)
            for one in await ctx.definitions.list(COMPONENT)
        ]
    )
