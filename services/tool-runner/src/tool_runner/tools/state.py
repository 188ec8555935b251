"""values"""

from typing import Annotated, Literal

import msgspec
from pydantic import AfterValidator, Field

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.state_keys import LARGEST_VALUE, LONGEST_KEY, flaw_in_key
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import LastingEffect
from agent_platform.entities.entity import EntityKey
from agent_platform.log.storable_text import storable
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentState
from agent_tools.ports.outside import LastingChanges
from agent_tools.tool import PURE, RECORDED, Arguments, Result, tool


def _printable(key: str) -> str:
    flaw = flaw_in_key(key)
    if flaw is not None:
        raise ValueError(flaw)
    return key


StateKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_KEY,
        description="The key.",
    ),
    AfterValidator(_printable),
]


class ListStateKeys(Arguments):
    """Which keys."""

    prefix: Annotated[
        str | None, Field(description="Only keys that begin with this text. All keys if left out.")
    ] = None


class StateKeyList(Result):
    """The keys, sorted by code point."""

    keys: list[str]


@tool("list_state_keys", family="state", effect=PURE)
async def list_state_keys(args: ListStateKeys, state: AgentState) -> StateKeyList:
    """List the keys that have a value, sorted, those set to null included."""
    return StateKeyList(keys=await state.keys(args.prefix or ""))


class DeleteState(Arguments):
    """Which value."""

    key: StateKey


class StateDeletion(Result):
    """Whether there was anything to delete."""

    deleted: bool


@tool("delete_state", family="state", effect=RECORDED, lasting=LastingEffect.RUN)
async def delete_state(
    args: DeleteState, state: AgentState, call: CallContext, lasting: LastingChanges
) -> StateDeletion:
    """Delete a key and its value, for all of your sessions.

    Gives {"deleted": false} if the key didn't exist; that is not an error.
    """
    key = EntityKey(call.agent_id, EntityKind.STATE, args.key)
    await lasting.require(delete_state.spec, {"key": args.key}, key)
    return StateDeletion(deleted=await state.delete(args.key))


class GetState(Arguments):
    """Which value."""

    key: StateKey


class StateResult(Result):
    """The value, or null."""

    value: Json


@tool("get_state", family="state", effect=PURE, always_sent=True)
async def get_state(args: GetState, state: AgentState) -> StateResult:
    """Read the value under a key: {"value": null} if there is none."""
    return StateResult(value=await state.get(args.key))


class SetState(Arguments):
    """What to store, and where."""

    key: StateKey
    value: Annotated[Json, Field(description="Any JSON.")]


class StateReceipt(Result):
    """The value is in the log."""

    ok: Literal[True] = True


@tool("set_state", family="state", effect=RECORDED, always_sent=True)
async def set_state(args: SetState, state: AgentState) -> StateReceipt:
    """Store a value under a key, for all your sessions."""
    value = storable(args.value)
    size = len(msgspec.json.encode(value))
    if size > LARGEST_VALUE:
        message = f"the value is {size} bytes of JSON; at most {LARGEST_VALUE} fit under one key"
        raise Rejected(message, kind="too_large")
    await state.set(args.key, value)
    return StateReceipt()
