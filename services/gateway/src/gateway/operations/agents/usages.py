"""What an agent has used of its quotas."""

import asyncio

from agent_contracts.errors import Transient
from agent_contracts.ids import AgentId
from agent_contracts.user_questions import ReadDatabase
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.process.clock import rfc3339
from gateway.operations.ports import KnownAgents, Runners
from gateway.queries.view import View


class LogUsage(View):
    """Bytes that the agent, its sessions included, added to the log on `day` (UTC): up to 256 KiB more for
    each process that writes. `limit`: what it may add in a day, 0 for no limit; it begins anew at
    `begins_anew_at`."""

    day: str
    used: int
    limit: int
    begins_anew_at: str


class DatabaseUsage(View):
    """Bytes of the agent's database now, and what it may have (0: no limit); both null while no tool runner
    answers."""

    used: int | None
    limit: int | None


class AgentUsage(View):
    """What an agent has used of what it may use."""

    agent_id: str
    log: LogUsage
    database: DatabaseUsage


class Usages:
    """Measures it."""

    def __init__(self, agents: KnownAgents, runners: Runners, quota: DailyQuota) -> None:
        self._agents = agents
        self._runners = runners
        self._quota = quota

    async def of(self, agent_id: AgentId) -> AgentUsage:
        """What the agent uses now; `Rejected(kind="not_found")` if there is none."""
        await self._agents.require(agent_id)
        today, database = await asyncio.gather(self._quota.used(agent_id), self._database(agent_id))
        return AgentUsage(
            agent_id=agent_id,
            log=LogUsage(
                day=today.day,
                used=today.bytes,
                limit=self._quota.limit,
                begins_anew_at=rfc3339(self._quota.next_day()),
            ),
            database=database,
        )

    async def _database(self, agent_id: AgentId) -> DatabaseUsage:
        try:
            answer = await self._runners.read(ReadDatabase(agent_id, size=True))
        except Transient:
            return DatabaseUsage(used=None, limit=None)
        return DatabaseUsage(used=int(answer["bytes"]), limit=int(answer["limit"]))
