"""An agent's prompt and its learned notes: read, write, edit, versions, revert."""

import msgspec

from agent_contracts.api.state import AgentText, Operation
from agent_contracts.entities.agent_texts import AgentTextSpec
from agent_contracts.ids import AgentId
from agent_domain.text_edits import TextEdit, check_size, edited
from agent_domain.text_entities import TextVersion, changing, text_version
from agent_platform.entities.entity import Entity, EntityKey
from gateway.operations.agents.edits import expecting
from gateway.operations.agents.things import Things
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import IdempotentRequest


class OneText(msgspec.Struct, frozen=True):
    """Which text: whose, and `SYSTEM_PROMPT` or `LEARNED_NOTES`."""

    agent_id: AgentId
    which: AgentTextSpec


class Texts(Things[OneText, AgentText]):
    """The texts of agents. Version 0 of a text is what it says before anybody wrote it."""

    async def write(
        self, place: OneText, text: str, version: int | None, request: IdempotentRequest
    ) -> AgentText:
        """Write the whole text. What it says already makes no version. `version` as in `edit`."""
        check_size(text)
        return await self.edit(place, TextEdit(Operation.REPLACE, text), version, request)

    async def edit(
        self, place: OneText, edit: TextEdit, version: int | None, request: IdempotentRequest
    ) -> AgentText:
        """Change a part of the text. `Rejected` if what the edit looks for isn't there, and `conflict` if the
        text isn't at `version` (None: any) any more; nothing changes then."""
        key = await self._key(place)

        def make(found: TextVersion) -> str:
            expecting(version, found.entity)
            return edited(found.text, edit)

        writer = self._edits.writer(request, key.subject, "write")
        changed = await self._edits.change(key, writer, request, changing(place.which.initial, make))
        return await self._shown(changed.after, place)

    async def _key(self, place: OneText) -> EntityKey:
        await self._agents.require(place.agent_id)
        return EntityKey(place.agent_id, place.which.kind, place.which.name)

    async def _shown(self, found: Entity | None, place: OneText, at: int | None = None) -> AgentText:
        return AgentText(text=text_version(found, place.which.initial).text, **written(found))
