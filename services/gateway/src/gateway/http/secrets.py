"""The user's secrets: set, listed by name, forgotten. No answer holds a value."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Path

from agent_contracts.entities import EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.secrets import SECRET_NAME, SecretDefinition
from agent_platform.entities.entity import Delete, Entity, EntityKey, Write
from gateway.deps import AgentPath, Using
from gateway.http.agent_requests import WriteSecret
from gateway.http.problems import Kind, ProblemError
from gateway.operations.agents.views import Deleted, Secret, Secrets
from gateway.operations.agents.written import written
from gateway.operations.asked import asked

router = APIRouter(prefix="/agents/{agent_id}/secrets", tags=["agents"])

NamePath = Annotated[str, Path(pattern=SECRET_NAME, description="A-Z, 0-9 and _, beginning with a letter")]


@router.get("", operation_id="listSecrets")
async def list_secrets(deps: Using, agent_id: AgentPath) -> Secrets:
    """Their names, and the hosts that each may be sent to."""
    await deps.agents.require(agent_id)
    found = await deps.edits.entities.list(agent_id, EntityKind.SECRET)
    return Secrets(secrets=[_shown(entity) for entity in found])


@router.put("/{name}", operation_id="putSecret")
async def put_secret(deps: Using, agent_id: AgentPath, name: NamePath, body: WriteSecret) -> Secret:
    """Store a secret in place of the one before. Its value can't be read again, only sent to its hosts."""
    key = await _key(deps, agent_id, name)
    revision = await deps.vault.put(agent_id, name, body.value)
    known = SecretDefinition(tuple(body.hosts), revision, body.reveal)
    request = asked(None)
    writer = deps.edits.writer(request, key.subject, "write")
    changed = await deps.edits.change(key, writer, request, lambda before: Write(msgspec.to_builtins(known)))
    if changed.after is None:
        raise ProblemError(Kind.INTERNAL, "a secret is gone right after it was written")
    return _shown(changed.after)


@router.delete("/{name}", operation_id="deleteSecret")
async def delete_secret(deps: Using, agent_id: AgentPath, name: NamePath) -> Deleted:
    """Forget a secret and its value."""
    key, request = await _key(deps, agent_id, name), asked(None)
    writer = deps.edits.writer(request, key.subject, "delete")
    changed = await deps.edits.change(key, writer, request, lambda before: Delete())
    await deps.vault.delete(agent_id, name)
    return Deleted(deleted=changed.before is not None, sequence=changed.sequence)


async def _key(deps: Using, agent_id: AgentId, name: str) -> EntityKey:
    await deps.agents.require(agent_id)
    return EntityKey(agent_id, EntityKind.SECRET, name)


def _shown(entity: Entity) -> Secret:
    known = msgspec.convert(entity.value, SecretDefinition)
    return Secret(name=entity.key.name, hosts=list(known.hosts), reveal=known.reveal, **written(entity))
