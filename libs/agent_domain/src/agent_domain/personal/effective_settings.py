"""The settings that hold for an agent, at a moment of the log: those that were written come before those that
a process was told at its start, unless the environment said them."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec
import structlog
from cachetools import LRUCache
from pydantic import SecretStr

from agent_contracts.api.settings import Level
from agent_contracts.entities.agent_settings import SYSTEM_AGENT, SecretSetting
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.personal.precedence import OF_THE_MODEL, level_of
from agent_domain.personal.values import NAMES, is_secret, read
from agent_platform.entities.entity import Entity
from agent_platform.settings.settings import SourcedSettings

S = TypeVar("S", bound=SourcedSettings)
_KEYS_KEPT = 100

log = structlog.get_logger()


class StoredSettings(Protocol):
    """Where settings are written."""

    async def list_of(
        self, agent_ids: Sequence[AgentId], kind: EntityKind, *, up_to: int | None = None
    ) -> Sequence[Entity]:
        """All of one kind that these agents have now, or had after event `up_to`."""
        ...


class SecretValues(Protocol):
    """Where the values of secret settings are kept."""

    async def get(self, agent_id: AgentId, name: str) -> str:
        """The newest value. `Rejected` if there is none (any more), or it can't be read here."""
        ...


class Layers(msgspec.Struct, frozen=True):
    """The entities of settings by name: an agent's own, and the installation's."""

    agent: Mapping[str, Entity]
    installation: Mapping[str, Entity]


class EffectiveSettings(Generic[S]):
    """Reads them. `told` is what this process was told at its start, all that it has to do with."""

    def __init__(self, entities: StoredSettings, told: S, secrets: SecretValues | None = None) -> None:
        self._entities = entities
        self.told = told
        self._secrets = secrets
        self._names = frozenset(NAMES) & type(told).model_fields.keys()
        self._keys: LRUCache[tuple[AgentId, str, int], SecretStr] = LRUCache(_KEYS_KEPT)

    async def of(self, agent_id: AgentId, up_to: int | None = None) -> S:
        """All settings as they hold for an agent (the reserved one: for those without any of their own) now,
        or after event `up_to`."""
        written = await self.written(agent_id, up_to)
        changes: dict[str, Any] = {}
        for name in sorted(self._names & (written.agent.keys() | written.installation.keys())):
            where = level_of(
                name, locked=self.told.locks, agent=written.agent, installation=written.installation
            )
            for level, layer in ((Level.AGENT, written.agent), (Level.INSTALLATION, written.installation)):
                # What can't be read is passed over, and the level below it counts.
                if where is not Level.ENVIRONMENT and name not in changes and name in layer:
                    await self._take(layer[name], level, changes)
        if "model" in changes:
            for name in OF_THE_MODEL & self._names - self.told.locks:
                changes.setdefault(name, None)
        return self.told.model_copy(update=changes) if changes else self.told

    async def written(self, agent_id: AgentId, up_to: int | None = None) -> Layers:
        """What was written, with one request."""
        owners = list(dict.fromkeys((agent_id, SYSTEM_AGENT)))
        found = await self._entities.list_of(owners, EntityKind.SETTING, up_to=up_to)
        layers: dict[AgentId, dict[str, Entity]] = {agent_id: {}, SYSTEM_AGENT: {}}
        for entity in found:
            if entity.key.name in NAMES:
                layers[entity.key.agent_id][entity.key.name] = entity
        own = {} if agent_id == SYSTEM_AGENT else layers[agent_id]
        return Layers(own, layers[SYSTEM_AGENT])

    async def _take(self, entity: Entity, level: Level, changes: dict[str, Any]) -> None:
        name = entity.key.name
        try:
            changes[name] = await self._key(entity) if is_secret(name) else read(name, entity.value)
        except (Rejected, msgspec.ValidationError) as error:
            log.warning("setting.passed_over", setting=name, level=level.value, reason=str(error))

    async def _key(self, entity: Entity) -> SecretStr:
        if self._secrets is None:
            raise Rejected("Secrets can't be read here", kind="no_secrets_key")
        known = msgspec.convert(entity.value, SecretSetting)
        at = entity.key.agent_id, entity.key.name, known.revision
        if at not in self._keys:
            self._keys[at] = SecretStr(await self._secrets.get(entity.key.agent_id, entity.key.name))
        return self._keys[at]
