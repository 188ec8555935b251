"""The agent's inbox, as one tool call sees and empties it."""

from collections.abc import Sequence
from typing import get_args

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict, Transient
from agent_contracts.outside import source
from agent_contracts.wakes import InboxItem, Priority
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Change, Delete, Entity
from agent_tools.context import CallContext

_URGENCY: tuple[Priority, ...] = get_args(Priority)


class AgentInbox:
    """Wakes from other services that wait. What is taken is gone, until that is rewound."""

    def __init__(self, entities: Entities, call: CallContext) -> None:
        self._entities = entities
        self._call = call

    async def take(self, floor: Priority, limit: int) -> tuple[Sequence[InboxItem], int]:
        """The oldest that are at least as urgent as `floor`, at most so many, and how many are left of all.

        What waited when the call was asked for counts, so an attempt after the first takes the same. What
        another took meanwhile is the other's.
        """
        found = [
            (msgspec.convert(entity.value, InboxItem), entity)
            for entity in await self._entities.list(
                self._call.agent_id, EntityKind.INBOX, up_to=self._call.sequence
            )
        ]
        urgent = _URGENCY[: _URGENCY.index(floor) + 1]
        wanted = sorted(
            (one for one in found if one[0].priority in urgent), key=lambda one: (one[0].at, one[1].key.name)
        )[:limit]
        taken = [item for item, entity in wanted if await self._is_taken(entity)]
        self._call.outside.bring(*(source("wake", item.source) for item in taken))
        return taken, len(found) - len(wanted)

    async def _is_taken(self, entity: Entity) -> bool:
        """Whether this call took it, and nobody else."""

        def decide(before: Entity | None) -> Change:
            return Delete() if before is not None else None

        try:
            changed = await self._entities.change(entity.key, self._call.writers.next(), decide)
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error
        return changed.before is not None
