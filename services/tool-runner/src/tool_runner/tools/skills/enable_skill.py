"""`enable_skill`."""

import msgspec

from agent_contracts.definitions import SKILL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Named, Switched
from tool_runner.tool import tool


@tool("enable_skill", family="skills", effect=Effect.RECORDED)
async def enable_skill(args: Named, ctx: ToolContext) -> Switched:
    """Show a disabled skill of yours again in all sessions."""
    await ctx.definitions.update(SKILL, args.name, lambda found: msgspec.structs.replace(found, enabled=True))
    return Switched(name=args.name, enabled=True)
