"""The values of secrets, put where a person wrote their names."""

from collections.abc import Mapping

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.secrets import PLACEHOLDER, SecretDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from egress.placeholders import KnownSecret
from egress.targets import target_of


class SecretFiller:
    """Reads them. `Rejected` for one that there isn't, or that a host may not have."""

    def __init__(self, entities: Entities, vault: Vault) -> None:
        self._entities = entities
        self._vault = vault

    async def secret(self, agent_id: AgentId, name: str) -> KnownSecret:
        """One of them."""
        entity = await self._entities.current(EntityKey(agent_id, EntityKind.SECRET, name))
        if entity is None:
            raise Rejected(f"there is no secret named {name}", kind=ErrorKind.NOT_FOUND)
        hosts = msgspec.convert(entity.value, SecretDefinition).hosts
        return KnownSecret(name, await self._vault.get(agent_id, name), hosts)

    async def filled(
        self, agent_id: AgentId, named: Mapping[str, str], url: str | None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The values with the secrets that they name, and these by name, which the host of `url` may have."""
        wanted = {found[1] for value in named.values() for found in PLACEHOLDER.finditer(value)}
        values: dict[str, str] = {}
        for name in sorted(wanted):
            secret = await self.secret(agent_id, name)
            values[name] = secret.value
            if url is not None:
                require_allowed(secret, url)
        filled = {
            variable: PLACEHOLDER.sub(lambda found: values[found[1]], value)
            for variable, value in named.items()
        }
        return filled, values


def require_allowed(secret: KnownSecret, url: str) -> None:
    """`Rejected` where the person didn't say that this host may have it."""
    target = target_of(url)
    if not secret.may_go_to(target.host):
        raise Rejected(
            f"the secret {secret.name} may not be sent to {target.host}: say so with the secret",
            kind=ErrorKind.BLOCKED,
        )
