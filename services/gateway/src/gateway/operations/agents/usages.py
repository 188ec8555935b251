"""What an agent has used of its quotas."""

import asyncio

import structlog

from agent_contracts.api.usage import AgentUsage, DatabaseUsage, KeptPart, KeptUsage, LogUsage
from agent_contracts.errors import Permanent, Transient
from agent_contracts.ids import AgentId
from agent_contracts.questions.user_questions import ReadDatabase
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import Room
from agent_platform.process.clock import rfc3339
from gateway.operations.ports import KnownAgents, Runners

log = structlog.get_logger()


class Usages:
    """Measures it."""

    def __init__(self, agents: KnownAgents, runners: Runners, quota: DailyQuota, room: Room) -> None:
        self._agents = agents
        self._runners = runners
        self._quota = quota
        self._room = room

    async def of(self, agent_id: AgentId) -> AgentUsage:
        """What the agent uses now; `Rejected(kind="not_found")` if there is none."""
        await self._agents.require(agent_id)
        today, database, kept = await asyncio.gather(
            self._quota.used(agent_id), self._database(agent_id), self._room.kept(agent_id)
        )
        parts = sorted(kept.parts.items(), key=lambda one: -one[1])
        return AgentUsage(
            agent_id=agent_id,
            log=LogUsage(
                day=today.day,
                used=today.bytes,
                limit=self._quota.limit,
                begins_anew_at=rfc3339(self._quota.next_day()),
            ),
            database=database,
            kept=KeptUsage(
                used=kept.total,
                limit=self._room.limit,
                parts=[KeptPart(part=part, bytes=size) for part, size in parts],
            ),
        )

    async def _database(self, agent_id: AgentId) -> DatabaseUsage:
        try:
            answer = await self._runners.read(ReadDatabase(agent_id, size=True))
        except (Transient, Permanent) as failure:  # its log may hold a statement that can't run again
            log.warning("usage.database_not_known", agent_id=agent_id, reason=failure.message)
            return DatabaseUsage(used=None, limit=None)
        return DatabaseUsage(used=int(answer["bytes"]), limit=int(answer["limit"]))
