"""`list_libraries`: what there is."""

from agent_contracts.definitions import LIBRARY
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Listed, Nothing
from tool_runner.tool import Result, tool


class Libraries(Result):
    """By name."""

    libraries: list[Listed]


@tool("list_libraries", family="libraries", effect=Effect.PURE)
async def list_libraries(args: Nothing, ctx: ToolContext) -> Libraries:
    """List your libraries."""
    return Libraries(
        libraries=[
            Listed(name=one.name, description=one.value.description, version=one.version)
            for one in await ctx.definitions.list(LIBRARY)
        ]
    )
