"""What an agent has used of its quotas."""

import asyncio

import structlog

from agent_contracts.errors import Permanent, Transient
from agent_contracts.ids import AgentId
from agent_contracts.questions.user_questions import ReadDatabase
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import Room
from agent_platform.process.clock import rfc3339
from gateway.operations.ports import KnownAgents, Runners
from gateway.queries.view import View

log = structlog.get_logger()


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
    answers, or none can make the database from its log."""

    used: int | None
    limit: int | None


class KeptPart(View):
    """A part of what an agent keeps (`files`, `database`, its `snapshots`, `texts`, `state`, `code`, `pages`,
    `skills`, `schedules`, `other`), in bytes."""

    part: str
    bytes: int


class KeptUsage(View):
    """Bytes of all that the agent keeps now, the largest part first; earlier versions don't count. `limit`:
    what it may keep, 0 for no limit."""

    used: int
    limit: int
    parts: list[KeptPart]


class AgentUsage(View):
    """What an agent has used of what it may use."""

    agent_id: str
    log: LogUsage
    database: DatabaseUsage
    kept: KeptUsage


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
