"""The zone that an agent's times are in, as a person chooses it."""

from agent_contracts.ids import AgentId
from agent_domain.schedules.agent_timezone import timezone_key, zone_of
from agent_domain.schedules.zones import checked_zone
from agent_platform.entities.entity import Change, Delete, Entity, EntityKey, Write
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.schedule_views import Timezone
from gateway.operations.agents.written import written
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents


class Timezones:
    """The zones of agents; `default` is the server's. `Rejected(kind="not_found")` where there is no such
    agent."""

    def __init__(self, edits: Edits, agents: KnownAgents, default: str) -> None:
        self._edits = edits
        self._agents = agents
        self._default = default

    async def read(self, agent_id: AgentId, at: int | None = None) -> Timezone:
        """The zone now, or after event `at`."""
        key, entities = await self._key(agent_id), self._edits.entities
        return self._shown(await (entities.current(key) if at is None else entities.as_of(key, at)))

    async def write(
        self, agent_id: AgentId, timezone: str | None, version: int | None, request: Asked
    ) -> Timezone:
        """Choose a zone by its IANA name; None: the server's. The same again makes no version.

        `Rejected` for a name that no zone has; `conflict` if it isn't at `version` (None: any) any more.
        """
        key = await self._key(agent_id)
        wanted = None if timezone is None else checked_zone(timezone).key

        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            if wanted is None:
                return Delete()
            return None if before is not None and before.value == wanted else Write(wanted)

        writer = self._edits.writer(request, key.subject, "write")
        return self._shown((await self._edits.change(key, writer, request, decide)).after)

    async def _key(self, agent_id: AgentId) -> EntityKey:
        await self._agents.require(agent_id)
        return timezone_key(agent_id)

    def _shown(self, found: Entity | None) -> Timezone:
        return Timezone(timezone=zone_of(found, self._default).key, **written(found))
