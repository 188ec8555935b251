"""`list_state_keys`: what there is."""

from typing import Annotated

from pydantic import Field

from agent_tools.ports.agent import AgentState
from agent_tools.tool import PURE, Arguments, Result, tool


class ListStateKeys(Arguments):
    """Which keys."""

    prefix: Annotated[
        str | None, Field(description="Only keys that begin with this text. All keys if left out.")
    ] = None


class StateKeys(Result):
    """The keys, sorted by code point."""

    keys: list[str]


@tool("list_state_keys", family="state", effect=PURE)
async def list_state_keys(args: ListStateKeys, state: AgentState) -> StateKeys:
    """List the keys that have a value, sorted, those set to null included."""
    return StateKeys(keys=await state.keys(args.prefix or ""))
