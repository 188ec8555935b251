"""`enable_tool`."""

import msgspec

from agent_contracts.definitions import TOOL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Named, Switched
from tool_runner.tool import tool


@tool("enable_tool", family="tools", effect=Effect.RECORDED)
async def enable_tool(args: Named, ctx: ToolContext) -> Switched:
    """Offer a disabled tool of yours again, from your next step on."""
    await ctx.definitions.update(TOOL, args.name, lambda found: msgspec.structs.replace(found, enabled=True))
    return Switched(name=args.name, enabled=True)
