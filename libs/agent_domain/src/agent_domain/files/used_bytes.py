"""How many bytes the current versions of an agent's files have: remembered, and read on when asked."""

import msgspec
from cachetools import LRUCache

from agent_contracts.entities import EntityKind, EntityWritten
from agent_contracts.files import FileValue
from agent_contracts.ids import AgentId
from agent_platform.entities.entities import Entities

AGENTS = 1_000
"""Of how many agents it is remembered."""


class _Sizes(msgspec.Struct, frozen=True):
    """By file, as of event `read_to`."""

    by_file: dict[str, int]
    read_to: int


class UsedBytes:
    """Reads only what changed since it was asked last. One for each process: it is shared by all calls."""

    def __init__(self, entities: Entities) -> None:
        self._entities = entities
        self._known: LRUCache[AgentId, _Sizes] = LRUCache(AGENTS)

    async def of(self, agent_id: AgentId) -> int:
        """All of the agent's files."""
        known = self._known.get(agent_id, _Sizes({}, 0))
        changes = await self._entities.changes(agent_id, (EntityKind.FILE,), after=known.read_to)
        if not changes:
            return sum(known.by_file.values())
        sizes = dict(known.by_file)
        for recorded in changes:
            if isinstance(recorded.event, EntityWritten):
                sizes[recorded.event.name] = msgspec.convert(recorded.event.value, FileValue).size
            else:
                sizes.pop(recorded.event.name, None)
        self._known[agent_id] = _Sizes(sizes, changes[-1].sequence)
        return sum(sizes.values())

    def forget(self, agent_id: AgentId) -> None:
        """Count anew when asked next: something may have been erased."""
        self._known.pop(agent_id, None)
