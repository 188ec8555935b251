"""`delete_state`: forget one value."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.tool_spec import Lasting
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentState
from agent_tools.ports.outside import LastingChanges
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.tools.state.key import StateKey


class DeleteState(Arguments):
    """Which value."""

    key: StateKey


class Deleted(Result):
    """Whether there was anything to delete."""

    deleted: bool


@tool("delete_state", family="state", effect=RECORDED, lasting=Lasting.RUN)
async def delete_state(
    args: DeleteState, state: AgentState, call: CallContext, lasting: LastingChanges
) -> Deleted:
    """Delete a key and its value, for all of your sessions.

    Gives {"deleted": false} if the key didn't exist; that is not an error.
    """
    key = EntityKey(call.agent_id, EntityKind.STATE, args.key)
    await lasting.require(delete_state.spec, {"key": args.key}, key)
    return Deleted(deleted=await state.delete(args.key))
