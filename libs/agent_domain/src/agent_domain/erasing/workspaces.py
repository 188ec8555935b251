"""The files of sessions' workspaces: where they stand in the log."""

from collections.abc import Collection

import msgspec

from agent_contracts.entities.entity import EntityDeleted, EntityKind
from agent_contracts.files import FileValue
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.subjects import entity_filter
from agent_platform.log.events import events
from agent_platform.log.port import Log


async def subjects_of_files(log: Log, agent_id: AgentId, sessions: Collection[SessionId]) -> frozenset[str]:
    """The subjects of the files that are in these sessions' workspaces, or were in them when they were
    deleted, and of their paths. A file that became the agent's is the agent's."""
    owners: dict[str, SessionId | None] = {}
    async for recorded in events(log.read(entity_filter(agent_id, EntityKind.FILE))):
        if not isinstance(recorded.event, EntityDeleted):
            owners[recorded.subject] = msgspec.convert(recorded.event.value, FileValue).session_id
    found = {subject for subject, owner in owners.items() if owner in sessions}
    async for recorded in events(log.read(entity_filter(agent_id, EntityKind.PATH))):
        if recorded.event.name.partition("/")[0] in sessions:
            found.add(recorded.subject)
    return frozenset(found)
