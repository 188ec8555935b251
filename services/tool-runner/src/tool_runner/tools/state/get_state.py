"""`get_state`: read one value."""

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.tool import Arguments, Result, tool
from tool_runner.tools.state.key import StateKey


class GetState(Arguments):
    """Which value."""

    key: StateKey


class StateValue(Result):
    """The value, or null."""

    value: Json


@tool("get_state", family="state", effect=Effect.PURE)
async def get_state(args: GetState, ctx: ToolContext) -> StateValue:
    """Read the value that was stored under a key.

    Gives {"value": null} for a key that doesn't exist, and also for one set to null; list_state_keys tells
    the two apart. Sees everything written before, by any session.
    """
    return StateValue(value=await ctx.state.get(args.key))
