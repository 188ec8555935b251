"""The way out as one agent's calls have it: with the user's secrets for it."""

import asyncio
from collections.abc import Sequence

import msgspec

from agent_contracts.entities import EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.secrets import SecretDefinition, placeholder
from agent_platform.egress.fetching import FetchRequest, FetchResponse
from agent_platform.egress.guard import Egress
from agent_platform.egress.placeholders import Secret
from agent_platform.entities import Entities
from agent_platform.secrets.vault import Vault


class AgentEgress:
    """Fetches in an agent's name. Values of secrets exist in here only while a request is made."""

    def __init__(self, egress: Egress, entities: Entities, vault: Vault, agent_id: AgentId) -> None:
        self._egress = egress
        self._entities = entities
        self._vault = vault
        self._agent_id = agent_id

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """See `Egress.fetch`. No answer holds the value of any of the agent's secrets.

        `Rejected` also where the agent has secrets that this runner has no key for: it couldn't take them
        out."""
        return await self._egress.fetch(request, await self._secrets())

    async def secrets_for_code(self) -> dict[str, str]:
        """What code sees by each secret's name: a placeholder, or its value where the user allowed that."""
        found = await self._entities.list(self._agent_id, EntityKind.SECRET)
        known = {entity.key.name: msgspec.convert(entity.value, SecretDefinition) for entity in found}
        return {
            name: await self._vault.get(self._agent_id, name) if secret.reveal else placeholder(name)
            for name, secret in known.items()
        }

    async def _secrets(self) -> Sequence[Secret]:
        found = await self._entities.list(self._agent_id, EntityKind.SECRET)
        names = [entity.key.name for entity in found]
        values = await asyncio.gather(*(self._vault.get(self._agent_id, name) for name in names))
        hosts = [msgspec.convert(entity.value, SecretDefinition).hosts for entity in found]
        return [Secret(*one) for one in zip(names, values, hosts, strict=True)]
