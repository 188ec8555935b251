"""`delete_function`."""

from agent_contracts.definitions import FUNCTION
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Deletion, Named
from tool_runner.tool import tool


@tool("delete_function", family="functions", effect=Effect.RECORDED)
async def delete_function(args: Named, ctx: ToolContext) -> Deletion:
    """Delete a function of yours. Gives {"deleted": false} if there is none, which is no error."""
    return Deletion(deleted=await ctx.definitions.delete(FUNCTION, args.name))
