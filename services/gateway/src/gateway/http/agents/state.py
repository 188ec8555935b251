"""An agent's state: its values by key, as a person reads and changes them."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from agent_contracts.api.state import StateKeys, StateValue, WriteState
from agent_contracts.api.versions import Deleted, Revert, Target, Versions
from agent_contracts.entities.state_keys import LONGEST_KEY
from gateway.http.wire.encoded_paths import segment
from gateway.http.wire.idempotency import KeyHeader, asked
from gateway.http.wire.parameters import AgentPath, AsOf, Older, Using, VersionPath
from gateway.http.wire.resource import resource
from gateway.operations.agents.state import Place

router = resource("agents", "/agents/{agent_id}/state")

_KEY_SEGMENT = 6
"""Where the key stands in `/api/v1/agents/<id>/state/<key>`; what is before the first `/` is segment 0."""


async def _key(
    request: Request,
    key: Annotated[str, Path(description="1 to 256 characters, none a control character; percent-encoded")],
) -> str:
    return segment(request.scope, _KEY_SEGMENT)


StateKeyPath = Annotated[str, Depends(_key)]


@router.get("", operation_id="listState")
async def list_state(
    operations: Using,
    agent_id: AgentPath,
    prefix: Annotated[str, Query(max_length=LONGEST_KEY, description="only keys that begin with this")] = "",
    at: AsOf = None,
) -> StateKeys:
    """The keys that have a value, sorted."""
    return await operations.state.list(agent_id, prefix, at)


@router.get("/{key}", operation_id="getStateValue")
async def get_value(operations: Using, agent_id: AgentPath, key: StateKeyPath, at: AsOf = None) -> StateValue:
    """A value, now or as it was after event `at`."""
    return await operations.state.value(Place(agent_id, key), at)


@router.put("/{key}", operation_id="putStateValue")
async def put_value(
    operations: Using, agent_id: AgentPath, key: StateKeyPath, body: WriteState, idempotency: KeyHeader = None
) -> StateValue:
    """Store a value. The same value again makes no version."""
    return await operations.state.put(
        Place(agent_id, key), body.value, body.version, asked(idempotency, body)
    )


@router.delete("/{key}", operation_id="deleteStateValue")
async def delete_value(
    operations: Using, agent_id: AgentPath, key: StateKeyPath, idempotency: KeyHeader = None
) -> Deleted:
    """Delete a key and its value; its versions stay readable."""
    return await operations.state.delete(Place(agent_id, key), asked(idempotency))


@router.get("/{key}/versions", operation_id="listStateVersions")
async def list_versions(
    operations: Using,
    agent_id: AgentPath,
    key: StateKeyPath,
    before: Older = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Versions:
    """Who changed the value and when, newest first, deletions included."""
    return await operations.state.versions(Place(agent_id, key), before, limit)


@router.get("/{key}/versions/{version}", operation_id="getStateVersion")
async def get_version(
    operations: Using, agent_id: AgentPath, key: StateKeyPath, version: VersionPath
) -> StateValue:
    """The value at one version; after a deletion the newest one of this number."""
    return await operations.state.version(Place(agent_id, key), Target(version=version))


@router.post("/{key}/revert", operation_id="revertState")
async def revert(
    operations: Using, agent_id: AgentPath, key: StateKeyPath, body: Revert, idempotency: KeyHeader = None
) -> StateValue:
    """Make an earlier version's value the newest version, also of a key that was deleted."""
    return await operations.state.revert(Place(agent_id, key), body.target, asked(idempotency, body))
