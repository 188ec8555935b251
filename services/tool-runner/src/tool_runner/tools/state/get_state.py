"""`get_state`: read one value."""

from agent_contracts.json_value import Json
from agent_tools.ports import AgentState
from agent_tools.tool import PURE, Arguments, Result, tool
from tool_runner.tools.state.key import StateKey


class GetState(Arguments):
    """Which value."""

    key: StateKey


class StateValue(Result):
    """The value, or null."""

    value: Json


@tool("get_state", family="state", effect=PURE)
async def get_state(args: GetState, state: AgentState) -> StateValue:
    """Read the value that was stored under a key.

    Gives {"value": null} for a key that doesn't exist, and also for one set to null; list_state_keys tells
    the two apart. Sees everything written before, by any session.
    """
    return StateValue(value=await state.get(args.key))
