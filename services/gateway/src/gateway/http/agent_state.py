"""An agent's state: its values by key, as a person reads and changes them."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Path, Query, Request

from agent_contracts.entities import EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.json_value import same_json
from agent_contracts.state_keys import LARGEST_VALUE, LONGEST_KEY, flaw_in_key
from agent_platform.entities.entity import Change, Delete, Entity, EntityKey, Write
from gateway.deps import AgentPath, AsOf, Deps, Older, Using, VersionPath
from gateway.http.agent_requests import Revert, WriteState
from gateway.http.encoded_paths import segment
from gateway.http.problems import Kind, ProblemError
from gateway.operations.agents.edits import Target, expecting
from gateway.operations.agents.views import Deleted, StateKey, StateKeys, StateValue, Versions
from gateway.operations.agents.written import versions, written
from gateway.operations.asked import KeyHeader, asked

router = APIRouter(prefix="/agents/{agent_id}/state", tags=["agents"])

_KEY_SEGMENT = 6
"""Where the key stands in `/api/v1/agents/<id>/state/<key>`; what is before the first `/` is segment 0."""


async def _state_key(
    request: Request,
    key: Annotated[str, Path(description="1 to 256 characters, none a control character; percent-encoded")],
) -> str:
    name = segment(request.scope, _KEY_SEGMENT)
    flaw = flaw_in_key(name)
    if flaw is not None:
        raise ProblemError(Kind.INVALID_REQUEST, flaw)
    return name


StateKeyPath = Annotated[str, Depends(_state_key)]


@router.get("", operation_id="listState")
async def list_state(
    deps: Using,
    agent_id: AgentPath,
    prefix: Annotated[str, Query(max_length=LONGEST_KEY, description="only keys that begin with this")] = "",
    at: AsOf = None,
) -> StateKeys:
    """The keys that have a value, sorted."""
    await deps.agents.require(agent_id)
    found = await deps.edits.entities.list(agent_id, EntityKind.STATE, up_to=at)
    return StateKeys(
        keys=[
            StateKey(key=entity.key.name, **written(entity))
            for entity in found
            if entity.key.name.startswith(prefix)
        ]
    )


@router.get("/{key}", operation_id="getStateValue")
async def get_value(deps: Using, agent_id: AgentPath, key: StateKeyPath, at: AsOf = None) -> StateValue:
    """A value, now or as it was after event `at`."""
    where = await _key(deps, agent_id, key)
    entities = deps.edits.entities
    found = await (entities.current(where) if at is None else entities.as_of(where, at))
    if found is None:
        raise ProblemError(Kind.NOT_FOUND, f"the state of agent {agent_id} has no such key")
    return _shown(found)


@router.put("/{key}", operation_id="putStateValue")
async def put_value(
    deps: Using, agent_id: AgentPath, key: StateKeyPath, body: WriteState, idempotency: KeyHeader = None
) -> StateValue:
    """Store a value. The same value again makes no version."""
    where, request = await _key(deps, agent_id, key), asked(idempotency, body)
    if len(msgspec.json.encode(body.value)) > LARGEST_VALUE:
        raise ProblemError(Kind.TOO_LARGE, f"a value may have at most {LARGEST_VALUE} bytes of JSON")

    def decide(before: Entity | None) -> Change:
        expecting(body.version, before)
        same = before is not None and same_json(before.value, body.value)
        return None if same else Write(body.value)

    writer = deps.edits.writer(request, where.subject, "write")
    return _shown((await deps.edits.change(where, writer, request, decide)).after)


@router.delete("/{key}", operation_id="deleteStateValue")
async def delete_value(
    deps: Using, agent_id: AgentPath, key: StateKeyPath, idempotency: KeyHeader = None
) -> Deleted:
    """Delete a key and its value; its versions stay readable."""
    where, request = await _key(deps, agent_id, key), asked(idempotency)
    writer = deps.edits.writer(request, where.subject, "delete")
    changed = await deps.edits.change(where, writer, request, lambda before: Delete())
    return Deleted(deleted=changed.before is not None, sequence=changed.sequence)


@router.get("/{key}/versions", operation_id="listStateVersions")
async def list_versions(
    deps: Using,
    agent_id: AgentPath,
    key: StateKeyPath,
    before: Older = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Versions:
    """Who changed the value and when, newest first, deletions included."""
    return versions(await deps.edits.page(await _key(deps, agent_id, key), before, limit))


@router.get("/{key}/versions/{version}", operation_id="getStateVersion")
async def get_version(
    deps: Using, agent_id: AgentPath, key: StateKeyPath, version: VersionPath
) -> StateValue:
    """The value at one version; after a deletion the newest one of this number."""
    return _shown(await deps.edits.find(await _key(deps, agent_id, key), Target(version=version)))


@router.post("/{key}/revert", operation_id="revertState")
async def revert(
    deps: Using, agent_id: AgentPath, key: StateKeyPath, body: Revert, idempotency: KeyHeader = None
) -> StateValue:
    """Make an earlier version's value the newest version, also of a key that was deleted."""
    where, target = await _key(deps, agent_id, key), Target(body.version, body.sequence)
    return _shown((await deps.edits.revert(where, asked(idempotency, body), target)).after)


async def _key(deps: Deps, agent_id: AgentId, name: str) -> EntityKey:
    await deps.agents.require(agent_id)
    return EntityKey(agent_id, EntityKind.STATE, name)


def _shown(found: Entity | None) -> StateValue:
    if found is None:
        raise ProblemError(Kind.INTERNAL, "a value is gone right after it was written")
    return StateValue(key=found.key.name, value=found.value, **written(found))
