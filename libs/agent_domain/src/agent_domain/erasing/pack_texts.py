"""The texts that tools of packs wrote for one session each: where they stand in the log."""

from collections.abc import Collection

from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.subjects import entity_filter
from agent_platform.log.events import events
from agent_platform.log.port import Log


async def texts_of_packs(log: Log, agent_id: AgentId, sessions: Collection[SessionId]) -> set[str]:
    """The subjects of those of these sessions: their names end with the session's id (`text_of_pack`)."""
    found = set()
    async for recorded in events(log.read(entity_filter(agent_id, EntityKind.NOTES))):
        _, dot, session = recorded.event.name.rpartition(".")
        if dot and session in sessions:
            found.add(recorded.subject)
    return found
