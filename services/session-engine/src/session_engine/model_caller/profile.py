"""What an agent brings to a model call: its texts and tools, as of the call's request."""

import asyncio
from typing import Protocol

from agent_contracts.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT, AgentText, notepad_of
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.tool_spec import ToolSpec
from agent_platform.entity import Entity, EntityKey
from agent_platform.text_entities import text_version
from session_engine.domain.prompt import Profile


class EntityReader(Protocol):
    """Where entities of the past come from."""

    async def as_of(self, key: EntityKey, sequence: int) -> Entity | None:
        """The entity after event `sequence` of the log; None if there was none."""
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
        prompt, notes, notepad, tools = await asyncio.gather(
            self._text(agent_id, SYSTEM_PROMPT, sequence),
            self._text(agent_id, LEARNED_NOTES, sequence),
            self._text(agent_id, notepad_of(session_id), sequence),
            self._tools.tools(),
        )
        return Profile(prompt, notes, tools, self._timezone, notepad)

    async def _text(self, agent_id: AgentId, which: AgentText, sequence: int) -> str:
        entity = await self._entities.as_of(EntityKey(agent_id, which.kind, which.name), sequence)
        return text_version(entity, which.initial).text
