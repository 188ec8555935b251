"""What an agent's sessions will be reminded of, as a person sees it."""

import msgspec

from agent_contracts.api.schedules import Reminder
from agent_contracts.api.wire import Page
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_platform.entities.entity import Entity, EntityKey
from gateway.operations.agents.things import ThingKey, Things
from gateway.operations.agents.version_records import written


class RemindersOfAgents(Things[ThingKey, Reminder]):
    """Reads and cancels them."""

    async def list(
        self, agent_id: AgentId, session_id: SessionId | None, *, over: bool, at: int | None = None
    ) -> Page[Reminder]:
        """Those that wait, those that are `over` as well; of one session or all; now, or after event `at`."""
        await self._agents.require(agent_id)
        found = map(_shown, await self._edits.entities.list(agent_id, EntityKind.REMINDER, up_to=at))
        wanted = [
            one
            for one in found
            if (over or one.done is None) and (session_id is None or one.reminds == session_id)
        ]
        return Page[Reminder](items=sorted(wanted, key=lambda one: (one.due_at, one.id)))

    async def _key(self, place: ThingKey) -> EntityKey:
        await self._agents.require(place.agent_id)
        return EntityKey(place.agent_id, EntityKind.REMINDER, place.name)

    async def _shown(self, found: Entity | None, place: ThingKey, at: int | None = None) -> Reminder:
        if found is None:
            raise Rejected(f"There is no reminder {place.name[:100]!r}", kind="not_found")
        return _shown(found)


def _shown(entity: Entity) -> Reminder:
    value = msgspec.convert(entity.value, StoredReminder)
    return Reminder(
        id=entity.key.name,
        reminds=value.session_id,
        due_at=value.at,
        message=value.message,
        done=value.done,
        **written(entity),
    )
