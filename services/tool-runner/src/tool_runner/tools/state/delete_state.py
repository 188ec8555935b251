"""`delete_state`: forget one value."""

from agent_tools.ports.agent import AgentState
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.tools.state.key import StateKey


class DeleteState(Arguments):
    """Which value."""

    key: StateKey


class Deleted(Result):
    """Whether there was anything to delete."""

    deleted: bool


@tool("delete_state", family="state", effect=RECORDED)
async def delete_state(args: DeleteState, state: AgentState) -> Deleted:
    """Delete a key and its value, for all of your sessions.

    Gives {"deleted": false} if the key didn't exist; that is not an error.
    """
    return Deleted(deleted=await state.delete(args.key))
