"""The time zone of an agent: a setting of its own, else the server's (`FOLDLINE_TIMEZONE`)."""

from zoneinfo import ZoneInfo

from agent_contracts.agent_settings import TIMEZONE_SETTING
from agent_contracts.entities import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.schedules.zones import checked_zone
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey


def timezone_key(agent_id: AgentId) -> EntityKey:
    """Where an agent's time zone is set: an IANA name, as text."""
    return EntityKey(agent_id, EntityKind.SETTING, TIMEZONE_SETTING)


async def agent_zone(entities: Entities, agent_id: AgentId, default: str) -> ZoneInfo:
    """The agent's zone now; `default`, the server's, if it has set none, or none that this machine knows."""
    return zone_of(await entities.current(timezone_key(agent_id)), default)


def zone_of(setting: Entity | None, default: str) -> ZoneInfo:
    """The zone that a setting names; `default`, the server's, if it names none that this machine knows."""
    if setting is not None and isinstance(setting.value, str):
        try:
            return checked_zone(setting.value)
        except Rejected:
            pass  # a name from a newer list of zones: whoever set it was told if it wasn't known then
    return checked_zone(default)
