"""What a rewind of an agent would do, before anybody asks for it."""

import msgspec

from agent_contracts.api.rewinds import AgentRewindPreview
from agent_contracts.entities.rewinds import DATABASE
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.rewinding.database import DatabaseLog
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from gateway.operations.ports import KnownAgents
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries.rewindable import rewindable


class AgentPreviews:
    """Shows it, from the projections, as far as the log has come."""

    def __init__(
        self, log: Log, clock: Clock, projected: ProjectedSessions, agents: KnownAgents, database: DatabaseLog
    ) -> None:
        self._log = log
        self._clock = clock
        self._projected = projected
        self._agents = agents
        self._database = database

    async def preview(self, agent_id: AgentId, to: int) -> AgentRewindPreview:
        """What would make the agent what it was after event `to`."""
        await self._agents.require(agent_id)
        newest = await self._log.last_sequence()
        if to > newest:
            raise Rejected(f"There is no event {to} yet: the newest is {newest}", kind="invalid_request")
        async with self._projected.snapshot(newest) as snapshot:
            shown = await rewindable(snapshot, agent_id, to, newest, self._clock.now())
        if (await self._database.since(agent_id, to)).differs:
            inexact = await self._database.inexact(agent_id, to)
            return msgspec.structs.replace(shown, database_inexact=None if inexact is None else str(inexact))
        kept = [one for one in shown.kinds if one.kind != DATABASE]
        return msgspec.structs.replace(shown, kinds=kept, database_writes=[])
