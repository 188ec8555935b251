"""Who may still add to the log."""

from agent_contracts.ids import AgentId
from agent_platform.log.quotas.daily import DailyQuota
from gateway.operations.ports import KnownAgents


class AgentsWithRoom:
    """`KnownAgents` that may still add to the log: for what begins new work."""

    def __init__(self, agents: KnownAgents, quota: DailyQuota) -> None:
        self._agents = agents
        self._quota = quota

    async def require(self, agent_id: AgentId, size: int = 1) -> None:
        """`Rejected`: `not_found` for no agent, `quota_exceeded` where `size` bytes are not left today."""
        await self._agents.require(agent_id)
        await self._quota.check(agent_id, size)
