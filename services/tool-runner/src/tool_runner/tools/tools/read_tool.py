"""`read_tool`: all of it."""

from typing import Any

from agent_contracts.definitions import TOOL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import ListedSwitchable, Named
from tool_runner.tool import tool


class Tool(ListedSwitchable):
    """The tool."""

    parameter_schema: dict[str, Any]
    code: str


@tool("read_tool", family="tools", effect=Effect.PURE)
async def read_tool(args: Named, ctx: ToolContext) -> Tool:
    """Read a tool of yours whole, code and schema included."""
    found = await ctx.definitions.read(TOOL, args.name)
    return Tool(
        name=found.name,
        description=found.value.description,
        version=found.version,
        enabled=found.value.enabled,
        parameter_schema=found.value.parameter_schema,
        code=found.value.code,
    )
