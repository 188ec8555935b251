"""What an agent has made for itself, as one tool call reads and changes it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from agent_contracts.entities.definitions import D, NamedDefinition
from agent_contracts.errors import Conflict, Transient
from agent_contracts.kinds.kind import ThingKind
from agent_domain import definitions
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext

T = TypeVar("T")


class StoredDefinitions:
    """`AgentDefinitions` of entities."""

    def __init__(self, entities: Entities, call: CallContext) -> None:
        self._entities = entities
        self._agent_id = call.agent_id
        self._writers = call.writers
        self._outside = call.outside

    async def create(self, kind: ThingKind[D], name: str, value: D) -> int:
        """See `AgentDefinitions`."""
        key, writer = self._key(kind, name), self._writers.next()
        return await _patiently(definitions.create(self._entities, key, kind, value, writer))

    async def update(self, kind: ThingKind[D], name: str, change: Callable[[D], D]) -> int:
        """See `AgentDefinitions`."""
        key, writer = self._key(kind, name), self._writers.next()
        return await _patiently(definitions.update(self._entities, key, kind, change, writer))

    async def delete(self, kind: ThingKind[D], name: str) -> bool:
        """See `AgentDefinitions`."""
        changed = await _patiently(self._entities.delete(self._key(kind, name), self._writers.next()))
        return changed.before is not None

    async def read(self, kind: ThingKind[D], name: str, up_to: int | None = None) -> NamedDefinition[D]:
        """See `AgentDefinitions`."""
        found = await definitions.read(self._entities, self._key(kind, name), kind, up_to)
        self._outside.bring(*found.outside)
        return found

    async def list(self, kind: ThingKind[D]) -> Sequence[NamedDefinition[D]]:
        """See `AgentDefinitions`."""
        found = await definitions.list_all(self._entities, self._agent_id, kind)
        self._outside.bring(*(one for made in found for one in made.outside))
        return found

    def _key(self, kind: ThingKind[D], name: str) -> EntityKey:
        return EntityKey(self._agent_id, kind.kind, name)


async def _patiently(change: Awaitable[T]) -> T:
    try:
        return await change
    except Conflict as error:
        raise Transient(error.message, retry_after=0.1) from error
