"""An agent's key-value state, as one tool call reads and writes it."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.notebook import is_of_notebook
from agent_contracts.errors import Conflict, ErrorKind, Rejected, Transient
from agent_contracts.json_value import Json
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext


class StoredState:
    """An `AgentState` of entities. The keys of the notebook are not there for it."""

    def __init__(self, entities: Entities, call: CallContext) -> None:
        self._entities = entities
        self._agent_id = call.agent_id
        self._writers = call.writers
        self._outside = call.outside

    async def get(self, key: str) -> Json:
        """See `AgentState`."""
        entity = await self._entities.current(self._key(key))
        if entity is None:
            return None
        self._outside.bring(*entity.outside)
        return entity.value

    async def set(self, key: str, value: Json) -> None:
        """See `AgentState`."""
        try:
            await self._entities.write(self._key(key), value, self._writers.next(), outside=())
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error

    async def delete(self, key: str) -> bool:
        """See `AgentState`."""
        try:
            changed = await self._entities.delete(self._key(key), self._writers.next())
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error
        return changed.before is not None

    async def keys(self, prefix: str = "") -> list[str]:
        """See `AgentState`."""
        entities = await self._entities.list(self._agent_id, EntityKind.STATE)
        found = [one for one in entities if one.key.name.startswith(prefix)]
        shown = [one for one in found if not is_of_notebook(one.key.name)]
        for entity in shown:
            self._outside.bring(*entity.outside)
        return [entity.key.name for entity in shown]

    def _key(self, name: str) -> EntityKey:
        if is_of_notebook(name):
            raise Rejected(
                f"the key {name[:80]!r} is the notebook's, which people share: there are tools for notes",
                kind=ErrorKind.BLOCKED,
                path="/key",
            )
        return EntityKey(self._agent_id, EntityKind.STATE, name)
