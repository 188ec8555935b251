"""The reminders of sessions: where they stand in the log, and where they wait."""

from collections.abc import Collection

import msgspec

from agent_contracts.entities.entity import EntityDeleted, EntityKind
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.subjects import entity_filter
from agent_platform.log.events import events
from agent_platform.log.port import Log


async def reminders_of(log: Log, agent_id: AgentId, sessions: Collection[SessionId]) -> dict[str, str]:
    """The ids of the reminders that are these sessions', or were theirs when they were cancelled, by their
    subjects."""
    found: dict[str, str] = {}
    async for recorded in events(log.read(entity_filter(agent_id, EntityKind.REMINDER))):
        event = recorded.event
        if isinstance(event, EntityDeleted):
            continue
        if msgspec.convert(event.value, StoredReminder).session_id in sessions:
            found[recorded.subject] = event.name
    return found
