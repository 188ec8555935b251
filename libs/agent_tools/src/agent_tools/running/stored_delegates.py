"""The agents and models that people let an agent hand work to, as one tool call sees them."""

from collections.abc import Sequence

from agent_contracts.entities.delegates import DELEGATES_KIND, DELEGATES_NAME, Delegate, delegates_in
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext


class StoredDelegates:
    """`AgentDelegates` of a setting."""

    def __init__(self, entities: Entities, call: CallContext) -> None:
        self._entities = entities
        self._agent_id = call.agent_id

    async def list(self) -> Sequence[Delegate]:
        """See `AgentDelegates`."""
        key = EntityKey(self._agent_id, DELEGATES_KIND, DELEGATES_NAME)
        found = await self._entities.current(key)
        return delegates_in(found.value) if found is not None else ()
