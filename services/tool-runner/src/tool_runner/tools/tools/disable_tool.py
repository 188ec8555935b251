"""`disable_tool`."""

import msgspec

from agent_contracts.definitions import TOOL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Named, Switched
from tool_runner.tool import tool


@tool("disable_tool", family="tools", effect=Effect.RECORDED)
async def disable_tool(args: Named, ctx: ToolContext) -> Switched:
    """Offer a tool of yours no longer, without deleting it."""
    await ctx.definitions.update(TOOL, args.name, lambda found: msgspec.structs.replace(found, enabled=False))
    return Switched(name=args.name, enabled=False)
