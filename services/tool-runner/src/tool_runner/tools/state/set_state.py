"""`set_state`: store one value."""

from typing import Annotated, Literal

import msgspec
from pydantic import Field

from agent_contracts.entities.state_keys import LARGEST_VALUE
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_platform.log.storable_text import storable
from agent_tools.ports.agent import AgentState
from agent_tools.tool import RECORDED, Arguments, Result, tool
from tool_runner.tools.state.key import StateKey


class SetState(Arguments):
    """What to store, and where."""

    key: StateKey
    value: Annotated[Json, Field(description="Any JSON.")]


class Stored(Result):
    """The value is in the log."""

    ok: Literal[True] = True


@tool("set_state", family="state", effect=RECORDED, always_sent=True)
async def set_state(args: SetState, state: AgentState) -> Stored:
    """Store a value under a key, for all your sessions."""
    value = storable(args.value)
    size = len(msgspec.json.encode(value))
    if size > LARGEST_VALUE:
        message = f"the value is {size} bytes of JSON; at most {LARGEST_VALUE} fit under one key"
        raise Rejected(message, kind="too_large")
    await state.set(args.key, value)
    return Stored()
