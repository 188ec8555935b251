"""The agent's inbox, as one tool call sees and empties it."""

from collections.abc import Sequence

import msgspec

from agent_contracts.entities import EntityKind
from agent_contracts.errors import Conflict, Transient
from agent_contracts.wakes import InboxItem
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Delete, Entity
from agent_platform.process.clock import Clock, rfc3339
from agent_tools.context import CallContext


class AgentInbox:
    """Wakes from other services that wait. What is taken is gone, until that is rolled back."""

    def __init__(self, entities: Entities, clock: Clock, call: CallContext) -> None:
        self._entities = entities
        self._clock = clock
        self._call = call

    async def take(self, limit: int) -> tuple[Sequence[InboxItem], int]:
        """The oldest that waited when the call was asked for, at most so many, and how many are left. An
        attempt after the first takes the same."""
        now = rfc3339(self._clock.now())
        found = [
            (msgspec.convert(entity.value, InboxItem), entity)
            for entity in await self._entities.list(
                self._call.agent_id, EntityKind.INBOX, up_to=self._call.sequence
            )
        ]
        waiting = sorted(
            (one for one in found if one[0].until > now), key=lambda one: (one[0].at, one[1].key.name)
        )
        taken = [item for item, entity in waiting[:limit] if await self._is_taken(entity)]
        return taken, max(0, len(waiting) - limit)

    async def _is_taken(self, entity: Entity) -> bool:
        """Whether this call took it, and nobody else."""

        def decide(before: Entity | None) -> Change:
            return Delete() if before is not None else None

        try:
            changed = await self._entities.change(entity.key, self._call.writers.next(), decide)
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error
        return changed.before is not None
