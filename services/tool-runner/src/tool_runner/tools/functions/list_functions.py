"""`list_functions`: what there is."""

from agent_contracts.definitions import FUNCTION
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import ListedSwitchable, WithDisabled
from tool_runner.tool import Result, tool


class Functions(Result):
    """By name."""

    functions: list[ListedSwitchable]


@tool("list_functions", family="functions", effect=Effect.PURE)
async def list_functions(args: WithDisabled, ctx: ToolContext) -> Functions:
    """List your functions; those that are disabled only if you ask for them."""
    return Functions(
        functions=[
            ListedSwitchable(
                name=one.name,
                description=one.value.description,
                version=one.version,
                enabled=one.value.enabled,
            )
            for one in await ctx.definitions.list(FUNCTION)
            if one.value.enabled or args.include_disabled
        ]
    )
