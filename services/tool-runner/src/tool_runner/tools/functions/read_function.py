"""`read_function`: all of it."""

from typing import Any

from agent_contracts.definitions import FUNCTION
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import ListedSwitchable, Named
from tool_runner.tool import tool


class Function(ListedSwitchable):
    """The function."""

    parameter_schema: dict[str, Any]
    code: str


@tool("read_function", family="functions", effect=Effect.PURE)
async def read_function(args: Named, ctx: ToolContext) -> Function:
    """Read a function of yours whole, code and schema included."""
    found = await ctx.definitions.read(FUNCTION, args.name)
    return Function(
        name=found.name,
        description=found.value.description,
        version=found.version,
        enabled=found.value.enabled,
        parameter_schema=found.value.parameter_schema,
        code=found.value.code,
    )
