"""`delete_tool`."""

from agent_contracts.definitions import TOOL
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Deletion, Named
from tool_runner.tool import tool


@tool("delete_tool", family="tools", effect=Effect.RECORDED)
async def delete_tool(args: Named, ctx: ToolContext) -> Deletion:
    """Delete a tool of yours. Gives {"deleted": false} if there is none, which is no error."""
    return Deletion(deleted=await ctx.definitions.delete(TOOL, args.name))
