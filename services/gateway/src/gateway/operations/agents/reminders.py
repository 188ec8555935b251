"""What an agent's sessions will be reminded of, as a person sees it."""

import msgspec

from agent_contracts.api.schedules import Reminder, Reminders
from agent_contracts.api.versions import Deleted, Versions
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import Reminder as Value
from agent_contracts.ids import AgentId, SessionId
from agent_platform.entities.entity import Entity, EntityKey
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.written import versions, written
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents


class RemindersOfAgents:
    """Reads and cancels them. `Rejected(kind="not_found")` where there is no such agent."""

    def __init__(self, edits: Edits, agents: KnownAgents) -> None:
        self._edits = edits
        self._agents = agents

    async def list(
        self, agent_id: AgentId, session_id: SessionId | None, *, over: bool, at: int | None = None
    ) -> Reminders:
        """Those that wait, those that are `over` as well; of one session or all; now, or after event `at`."""
        await self._agents.require(agent_id)
        found = map(_shown, await self._edits.entities.list(agent_id, EntityKind.REMINDER, up_to=at))
        wanted = [
            one
            for one in found
            if (over or one.done is None) and (session_id is None or one.reminds == session_id)
        ]
        return Reminders(reminders=sorted(wanted, key=lambda one: (one.at, one.id)))

    async def cancel(self, agent_id: AgentId, name: str, request: Asked) -> Deleted:
        """Cancel one; its versions stay readable."""
        return await self._edits.delete(await self._key(agent_id, name), request)

    async def versions(self, agent_id: AgentId, name: str, before: int | None, limit: int) -> Versions:
        """Who changed it and when, newest first, deletions included."""
        return versions(await self._edits.page(await self._key(agent_id, name), before, limit))

    async def _key(self, agent_id: AgentId, name: str) -> EntityKey:
        await self._agents.require(agent_id)
        return EntityKey(agent_id, EntityKind.REMINDER, name)


def _shown(entity: Entity) -> Reminder:
    value = msgspec.convert(entity.value, Value)
    return Reminder(
        id=entity.key.name,
        reminds=value.session_id,
        at=value.at,
        message=value.message,
        done=value.done,
        **written(entity),
    )
