"""Since when an entity says what it says: the scheduler's times count from there."""

from collections.abc import Callable
from datetime import datetime

import msgspec
from cachetools import LRUCache

from agent_contracts.entities.entity import EntityDeleted
from agent_contracts.json_value import Json
from agent_domain.schedules.lateness import is_ahead
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity

REMEMBERED = 10_000
MOST_VERSIONS = 1_000
"""So many versions are looked at: an older one is taken for the first that says so."""


class StandingStart(msgspec.Struct, frozen=True):
    """When it came to say so. `fresh`: nothing came before that, so nobody brought it back."""

    time: datetime
    fresh: bool


class StandingSince:
    """Reads that from the entity's versions, which are left as they are; remembers what it read."""

    def __init__(self, entities: Entities, part: Callable[[Json], object]) -> None:
        """`part` is what counts of a value: other changes of it move nothing."""
        self._entities = entities
        self._part = part
        self._known: LRUCache[tuple[str, int], StandingStart] = LRUCache(REMEMBERED)

    async def of(self, entity: Entity, now: datetime) -> StandingStart:
        """Since when it says what `entity` says; since `now`, from then on, where a clock that was ahead
        wrote that."""
        known = self._known.get((entity.key.subject, entity.sequence))
        if known is None:
            known = await self._read(entity)
        if is_ahead(known.time, now):
            known = StandingStart(now, known.fresh)
        self._known[entity.key.subject, entity.sequence] = known
        return known

    async def _read(self, entity: Entity) -> StandingStart:
        since, looked_at = entity.time, 0
        if entity.replaced is None:
            return StandingStart(datetime.fromisoformat(since), fresh=True)
        async for recorded in self._entities.versions(entity.key, before=entity.sequence):
            looked_at += 1
            event = recorded.event
            if isinstance(event, EntityDeleted) or self._part(event.value) != self._part(entity.value):
                return StandingStart(datetime.fromisoformat(since), fresh=False)
            since = recorded.envelope.time
            if looked_at == MOST_VERSIONS:
                break
        return StandingStart(datetime.fromisoformat(since), fresh=True)
