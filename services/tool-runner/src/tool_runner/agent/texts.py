"""An agent's texts (its prompt, its notes, a session's notepad), as one tool call reads and edits them."""

from agent_contracts.entities.agent_texts import SYSTEM_PROMPT, AgentTextSpec
from agent_contracts.errors import Conflict, Transient
from agent_domain.people_only import require_kept
from agent_domain.text_edits import TextEdit, edited
from agent_domain.text_entities import TextVersion, change_text, read_text, text_version
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext


class StoredTexts:
    """`AgentTexts` of entities. Edits of several sessions at once are made one after another, each on what
    the one before it left."""

    def __init__(self, entities: Entities, call: CallContext) -> None:
        self._entities = entities
        self._agent_id = call.agent_id
        self._writers = call.writers
        self._outside = call.outside

    async def read(self, which: AgentTextSpec) -> TextVersion:
        """See `AgentTexts`."""
        found = await read_text(self._entities, self._key(which), which.initial)
        if found.entity is not None:
            self._outside.bring(*found.entity.outside)
        return found

    async def edit(self, which: AgentTextSpec, edit: TextEdit) -> int:
        """See `AgentTexts`."""

        def change(before: TextVersion) -> str:
            after = edited(before.text, edit)
            if which is SYSTEM_PROMPT:
                require_kept(before.text, after)
            return after

        try:
            changed = await change_text(
                self._entities,
                self._key(which),
                which.initial,
                self._writers.next(),
                change,
            )
        except Conflict as error:
            raise Transient(error.message, retry_after=0.1) from error
        return text_version(changed.after, which.initial).version

    def _key(self, which: AgentTextSpec) -> EntityKey:
        return EntityKey(self._agent_id, which.kind, which.name)
