"""`delete_library`."""

from agent_contracts.definitions import LIBRARY
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Deletion, Named
from tool_runner.tool import tool


@tool("delete_library", family="libraries", effect=Effect.RECORDED)
async def delete_library(args: Named, ctx: ToolContext) -> Deletion:
    """Delete a library of yours. Gives {"deleted": false} if there is none, which is no error."""
    return Deletion(deleted=await ctx.definitions.delete(LIBRARY, args.name))
