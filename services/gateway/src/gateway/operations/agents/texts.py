"""An agent's prompt and its learned notes: read, write, edit, versions, revert."""

from agent_contracts.api.state import AgentText, Operation
from agent_contracts.api.versions import Target, Versions
from agent_contracts.entities.agent_texts import AgentText as TextKind
from agent_contracts.ids import AgentId
from agent_domain.text_edits import TextEdit, check_size, edited
from agent_domain.text_entities import TextVersion, changing, read_text, text_version
from agent_platform.entities.entity import Entity, EntityKey
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.written import versions, written
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents


class Texts:
    """The texts of agents. `which` is `SYSTEM_PROMPT` or `LEARNED_NOTES`; version 0 of a text is what it says
    before anybody wrote it. `Rejected(kind="not_found")` where there is no such agent or version."""

    def __init__(self, edits: Edits, agents: KnownAgents) -> None:
        self._edits = edits
        self._agents = agents

    async def read(self, agent_id: AgentId, which: TextKind, at: int | None = None) -> AgentText:
        """The text now, or as it was after event `at`."""
        key = await self._key(agent_id, which)
        found = await read_text(self._edits.entities, key, which.initial, up_to=at)
        return _shown(found.entity, which)

    async def write(
        self, agent_id: AgentId, which: TextKind, text: str, version: int | None, request: Asked
    ) -> AgentText:
        """Write the whole text. What it says already makes no version. `version` as in `edit`."""
        check_size(text)
        return await self.edit(agent_id, which, TextEdit(Operation.REPLACE, text), version, request)

    async def edit(
        self, agent_id: AgentId, which: TextKind, edit: TextEdit, version: int | None, request: Asked
    ) -> AgentText:
        """Change a part of the text. `Rejected` if what the edit looks for isn't there, and `conflict` if the
        text isn't at `version` (None: any) any more; nothing changes then."""
        key = await self._key(agent_id, which)

        def make(found: TextVersion) -> str:
            expecting(version, found.entity)
            return edited(found.text, edit)

        writer = self._edits.writer(request, key.subject, "write")
        changed = await self._edits.change(key, writer, request, changing(which.initial, make))
        return _shown(changed.after, which)

    async def versions(self, agent_id: AgentId, which: TextKind, before: int | None, limit: int) -> Versions:
        """Who changed the text and when, newest first."""
        return versions(await self._edits.page(await self._key(agent_id, which), before, limit))

    async def version(self, agent_id: AgentId, which: TextKind, target: Target) -> AgentText:
        """The text at one version."""
        return _shown(await self._edits.find(await self._key(agent_id, which), target), which)

    async def revert(self, agent_id: AgentId, which: TextKind, target: Target, request: Asked) -> AgentText:
        """Make an earlier version's text the newest version. Nothing is taken out of the history."""
        changed = await self._edits.revert(await self._key(agent_id, which), request, target)
        return _shown(changed.after, which)

    async def _key(self, agent_id: AgentId, which: TextKind) -> EntityKey:
        await self._agents.require(agent_id)
        return EntityKey(agent_id, which.kind, which.name)


def _shown(found: Entity | None, which: TextKind) -> AgentText:
    return AgentText(text=text_version(found, which.initial).text, **written(found))
