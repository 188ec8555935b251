"""The user's secrets: set, listed by name, forgotten. No answer holds a value."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.secrets import Secret, WriteSecret
from agent_contracts.api.versions import DeleteResult
from agent_contracts.api.wire import Page
from agent_contracts.entities.secrets import SECRET_NAME
from gateway.http.wire.one_of import one_of
from gateway.http.wire.parameters import AgentPath, Using
from gateway.http.wire.resource import resource

router = resource("agents", "/agents/{agent_id}/secrets")

NamePath = Annotated[
    str, Path(pattern=SECRET_NAME, description="Name of the secret: A-Z, 0-9 and `_`, a letter first.")
]


@router.get("", operation_id="listSecrets")
async def list_secrets(operations: Using, agent_id: AgentPath) -> Page[Secret]:
    """Their names, and the hosts that each may be sent to."""
    return await operations.secrets.list(agent_id)


@router.get("/{name}", operation_id="getSecret")
async def get_secret(operations: Using, agent_id: AgentPath, name: NamePath) -> Secret:
    """A secret's hosts. Its value can't be read."""
    secrets = await operations.secrets.list(agent_id)
    return one_of(secrets, lambda one: one.name == name, f"secret {name}")


@router.put("/{name}", operation_id="putSecret")
async def put_secret(operations: Using, agent_id: AgentPath, name: NamePath, body: WriteSecret) -> Secret:
    """Store a secret in place of the one before. Its value can't be read again, only sent to its hosts."""
    return await operations.secrets.put(agent_id, name, body)


@router.delete("/{name}", operation_id="deleteSecret")
async def delete_secret(operations: Using, agent_id: AgentPath, name: NamePath) -> DeleteResult:
    """Forget a secret and its value."""
    return await operations.secrets.delete(agent_id, name)
