"""`enable_function`."""

import msgspec

from agent_contracts.definitions import FUNCTION
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Named, Switched
from tool_runner.tool import tool


@tool("enable_function", family="functions", effect=Effect.RECORDED)
async def enable_function(args: Named, ctx: ToolContext) -> Switched:
    """Let a disabled function of yours be called again."""
    await ctx.definitions.update(
        FUNCTION, args.name, lambda found: msgspec.structs.replace(found, enabled=True)
    )
    return Switched(name=args.name, enabled=True)
