"""The time zone of an agent: as its settings say."""

from typing import Protocol
from zoneinfo import ZoneInfo

from agent_contracts.ids import AgentId
from agent_domain.schedules.zones import checked_zone


class ZoneSettings(Protocol):
    """Settings that name a zone."""

    @property
    def timezone(self) -> str:
        """An IANA name."""
        ...


class ZonesOfAgents(Protocol):
    """Where the settings of agents are read."""

    async def of(self, agent_id: AgentId) -> ZoneSettings:
        """Those that hold for an agent now."""
        ...


async def agent_zone(settings: ZonesOfAgents, agent_id: AgentId) -> ZoneInfo:
    """The agent's zone now."""
    return checked_zone((await settings.of(agent_id)).timezone)
