"""What an agent brings to a model call: its texts and tools, as of the call's request."""

from collections.abc import Sequence
from typing import Protocol

from agent_contracts.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT, notepad_of
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.tool_spec import ToolSpec
from agent_platform.entity import Entity, EntityKey
from agent_platform.text_entities import text_version
from session_engine.domain.prompt import Profile


class EntityReader(Protocol):
    """Where entities of the past come from."""

    async def all_as_of(self, keys: Sequence[EntityKey], sequence: int) -> Sequence[Entity | None]:
        """The entities after event `sequence` of the log; None for each that there wasn't."""
        ...


class ToolSource(Protocol):
    """Where the tools of all runners are listed."""

    async def tools(self) -> tuple[ToolSpec, ...]:
        """Every tool there is now, in an order that only changes when the tools do."""
        ...


class Profiles:
    """Reads profiles."""

    def __init__(self, entities: EntityReader, tools: ToolSource, timezone: str) -> None:
        self._entities = entities
        self._tools = tools
        self._timezone = timezone

    async def as_of(self, agent_id: AgentId, session_id: SessionId, sequence: int) -> Profile:
        """The agent's prompt and notes and the session's notepad as of log sequence `sequence`, and the tools
        as of now."""
        texts = (SYSTEM_PROMPT, LEARNED_NOTES, notepad_of(session_id))
        keys = [EntityKey(agent_id, which.kind, which.name) for which in texts]
        entities = await self._entities.all_as_of(keys, sequence)
        prompt, notes, notepad = (
            text_version(entity, which.initial).text for entity, which in zip(entities, texts, strict=True)
        )
        return Profile(prompt, notes, await self._tools.tools(), self._timezone, notepad)
