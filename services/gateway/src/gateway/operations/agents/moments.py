"""An agent as of an event: all that it had, what became of it since, and one thing then, before and now."""

import msgspec

from agent_contracts.api.moments import AgentMoment, ThingInTime, ThingVersion
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.address import Address
from agent_domain.files.file import Workspace
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey
from gateway.operations.agents.version_records import written
from gateway.operations.ports import KnownAgents
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.operations.sessions.workspaces import SessionWorkspaces
from gateway.queries.moments import moment

_ALWAYS = 2**63 - 1


class ThingRef(msgspec.Struct, frozen=True):
    """A thing of an agent's."""

    agent_id: AgentId
    kind: EntityKind
    name: str


class Moments:
    """Agents as of events. `Rejected(kind="not_found")` where there is no such agent."""

    def __init__(
        self,
        projected: ProjectedSessions,
        entities: Entities,
        agents: KnownAgents,
        workspaces: SessionWorkspaces,
    ) -> None:
        self._projected = projected
        self._entities = entities
        self._agents = agents
        self._workspaces = workspaces

    async def of(
        self, agent_id: AgentId, at: Address | None, session_id: SessionId | None, min_sequence: int | None
    ) -> AgentMoment:
        """What the agent had after `at` (None: has now), and how that differs from now.

        With a session, its notepad, its plan and the files that it sees stand for all of their kinds.
        """
        await self._agents.require(agent_id)
        sees: Workspace | None = None if session_id is None else await self._workspaces.of(session_id)
        end = _ALWAYS if at is None else at.end
        least = max(min_sequence or 0, 0 if at is None else at.sequence)
        async with self._projected.snapshot(least or None) as snapshot:
            kinds = await moment(snapshot, agent_id, end, session_id, sees.session_id if sees else None)
        return AgentMoment(address=None if at is None else str(at), kinds=kinds)

    async def thing(self, which: ThingRef, at: int) -> ThingInTime:
        """One thing after event `at`, right before it, and now: straight from the log."""
        await self._agents.require(which.agent_id)
        key = EntityKey(which.agent_id, which.kind, which.name)
        return ThingInTime(
            kind=which.kind.value,
            name=which.name,
            before=_shown(await self._entities.as_of(key, at - 1), which.kind),
            after=_shown(await self._entities.as_of(key, at), which.kind),
            now=_shown(await self._entities.current(key), which.kind),
        )


def _shown(entity: Entity | None, kind: EntityKind) -> ThingVersion | None:
    value = KINDS[kind].initial if entity is None else entity.value
    return None if entity is None and value is None else ThingVersion(value=value, **written(entity))
