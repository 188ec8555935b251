"""`delete_skill`."""

from agent_contracts.definitions import SKILL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Deletion, Named
from tool_runner.tool import tool


@tool("delete_skill", family="skills", effect=Effect.RECORDED)
async def delete_skill(args: Named, ctx: ToolContext) -> Deletion:
    """Delete a skill of yours. Gives {"deleted": false} if there is none, which is no error."""
    return Deletion(deleted=await ctx.definitions.delete(SKILL, args.name))
