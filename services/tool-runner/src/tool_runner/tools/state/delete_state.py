"""`delete_state`: forget one value."""

from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.tool import Arguments, Result, tool
from tool_runner.tools.state.key import StateKey


class DeleteState(Arguments):
    """Which value."""

    key: StateKey


class Deleted(Result):
    """Whether there was anything to delete."""

    deleted: bool


@tool("delete_state", family="state", effect=Effect.RECORDED)
async def delete_state(args: DeleteState, ctx: ToolContext) -> Deleted:
    """Delete a key and its value, for all of your sessions.

    Gives {"deleted": false} if the key didn't exist, which is no error.
    """
    return Deleted(deleted=await ctx.state.delete(args.key))
