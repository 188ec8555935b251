"""`disable_skill`."""

import msgspec

from agent_contracts.definitions import SKILL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Named, Switched
from tool_runner.tool import tool


@tool("disable_skill", family="skills", effect=Effect.RECORDED)
async def disable_skill(args: Named, ctx: ToolContext) -> Switched:
    """Show a skill of yours no longer, without deleting it."""
    await ctx.definitions.update(
        SKILL, args.name, lambda found: msgspec.structs.replace(found, enabled=False)
    )
    return Switched(name=args.name, enabled=False)
