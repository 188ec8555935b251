"""The user's secrets: set, listed by name, forgotten. No answer holds a value."""

import msgspec

from agent_contracts.api.secrets import Secret, WriteSecret
from agent_contracts.api.versions import DeleteResult
from agent_contracts.api.wire import Page
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.secrets import SecretDefinition
from agent_contracts.errors import Permanent
from agent_contracts.ids import AgentId
from agent_platform.entities.entity import Entity, EntityKey, Write
from agent_platform.settings.characters import cleaned
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.secret_rules import check_secret
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import asked
from gateway.operations.ports import KnownAgents, SecretValueStore


class SecretStore:
    """The secrets of agents. `Rejected(kind="not_found")` where there is no such agent."""

    def __init__(self, edits: Edits, agents: KnownAgents, values: SecretValueStore) -> None:
        self._edits = edits
        self._agents = agents
        self._values = values

    async def list(self, agent_id: AgentId) -> Page[Secret]:
        """Their names, and the hosts that each may be sent to."""
        await self._agents.require(agent_id)
        found = await self._edits.entities.list(agent_id, EntityKind.SECRET)
        return Page[Secret](items=[_shown(entity) for entity in found])

    async def put(self, agent_id: AgentId, name: str, new: WriteSecret) -> Secret:
        """Store a secret in place of the one before.

        Its value can't be read again, only sent to its hosts. What can't be meant is taken from it: blanks
        and line ends around it, and characters without width.
        """
        value = cleaned(new.value)
        check_secret(name, value, tuple(new.hosts))
        key = await self._key(agent_id, name)
        revision = await self._values.put(agent_id, name, value)
        known = SecretDefinition(tuple(host.lower() for host in new.hosts), revision, new.reveal)
        request = asked()
        writer = self._edits.writer(request, key.subject, "write")
        changed = await self._edits.change(
            key, writer, request, lambda before: Write(msgspec.to_builtins(known))
        )
        if changed.after is None:
            raise Permanent("A secret is gone right after it was written", kind="internal")
        return _shown(changed.after)

    async def delete(self, agent_id: AgentId, name: str) -> DeleteResult:
        """Forget a secret and its value."""
        deleted = await self._edits.delete(await self._key(agent_id, name), asked())
        await self._values.delete(agent_id, name)
        return deleted

    async def _key(self, agent_id: AgentId, name: str) -> EntityKey:
        await self._agents.require(agent_id)
        return EntityKey(agent_id, EntityKind.SECRET, name)


def _shown(entity: Entity) -> Secret:
    known = msgspec.convert(entity.value, SecretDefinition)
    return Secret(name=entity.key.name, hosts=list(known.hosts), reveal=known.reveal, **written(entity))
