"""`delete_ui_component`."""

from agent_contracts.definitions import COMPONENT
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.definition_arguments import Deletion, Named
from tool_runner.tool import tool


@tool("delete_ui_component", family="components", effect=Effect.RECORDED)
async def delete_ui_component(args: Named, ctx: ToolContext) -> Deletion:
    """Delete a page or component of yours. Gives {"deleted": false} if there is none, which is no error."""
    return Deletion(deleted=await ctx.definitions.delete(COMPONENT, args.name))
