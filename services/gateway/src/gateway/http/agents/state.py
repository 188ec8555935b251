"""An agent's state: its values by key, as a person reads and changes them."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from agent_contracts.api.state import StateKey, StateValue, WriteState
from agent_contracts.api.wire import Page
from agent_contracts.entities.state_keys import LONGEST_KEY
from gateway.http.things import named, things
from gateway.http.wire.encoded_paths import segment
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Using
from gateway.http.wire.resource import resource
from gateway.operations.agents.things import ThingKey

router = resource("agents", "/agents/{agent_id}/state")

_KEY_SEGMENT = 6
"""Where the key stands in `/api/v1/agents/<id>/state/<key>`; what is before the first `/` is segment 0."""


async def _key(
    request: Request,
    key: Annotated[
        str, Path(description="The key: 1 to 256 characters, none a control character; percent-encoded.")
    ],
) -> str:
    return segment(request.scope, _KEY_SEGMENT)


StateKeyPath = Annotated[str, Depends(_key)]


async def _place(agent_id: AgentPath, key: StateKeyPath) -> ThingKey:
    return ThingKey(agent_id, key)


things(
    router,
    lambda operations: operations.state,
    StateValue,
    ("/{key}", Annotated[ThingKey, Depends(_place)]),
    {**named("State"), "read": "StateValue", "delete": "StateValue"},
)


@router.get("", operation_id="listState")
async def list_state(
    operations: Using,
    agent_id: AgentPath,
    prefix: Annotated[str, Query(max_length=LONGEST_KEY, description="Only keys that begin with this.")] = "",
    at: AsOf = None,
) -> Page[StateKey]:
    """The keys that have a value, sorted."""
    return await operations.state.list(agent_id, prefix, at)


@router.put("/{key}", operation_id="putStateValue")
async def put_value(
    operations: Using, agent_id: AgentPath, key: StateKeyPath, body: WriteState, idempotency: KeyHeader = None
) -> StateValue:
    """Store a value. The same value again makes no version."""
    return await operations.state.put(
        ThingKey(agent_id, key), body.value, body.version, asked(idempotency, body)
    )
