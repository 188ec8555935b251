"""`get_state`: read one value."""

from agent_contracts.json_value import Json
from agent_tools.ports.agent import AgentState
from agent_tools.tool import PURE, Arguments, Result, tool
from tool_runner.tools.state.key import StateKey


class GetState(Arguments):
    """Which value."""

    key: StateKey


class StateValue(Result):
    """The value, or null."""

    value: Json


@tool("get_state", family="state", effect=PURE, always_sent=True)
async def get_state(args: GetState, state: AgentState) -> StateValue:
    """Read the value under a key: {"value": null} if there is none."""
    return StateValue(value=await state.get(args.key))
