"""What an agent brings to a model call: its prompt, notes and tools, as of the call's request."""

from collections.abc import Sequence
from importlib import resources
from typing import Protocol

from agent_contracts.entities import EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import ToolSpec
from agent_platform.entity import Entity, EntityKey
from session_engine.domain.prompt import Profile

PROMPT = "prompt"
"""The name of the entity of kind `prompt` that is the agent's own."""

NOTES = "notes"
"""The name of the entity of kind `notes` that holds what the agent has learned."""

DEFAULT_PROMPT = (
    resources.files("session_engine.model_caller").joinpath("default_prompt.md").read_text(encoding="utf-8")
)
"""What an agent without a prompt of its own is told."""


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

    async def as_of(self, agent_id: AgentId, sequence: int) -> Profile:
        """The agent's prompt and notes as of log sequence `sequence`, and the tools as of now."""
        keys = (EntityKey(agent_id, EntityKind.PROMPT, PROMPT), EntityKey(agent_id, EntityKind.NOTES, NOTES))
        entities = await self._entities.all_as_of(keys, sequence)
        prompt, notes = (text_of(entity.value) if entity else None for entity in entities)
        tools = await self._tools.tools()
        return Profile(prompt if prompt is not None else DEFAULT_PROMPT, notes or "", tools, self._timezone)


def text_of(value: Json) -> str | None:
    """An entity's text: the value itself, or its member `text`; None if it has neither."""
    match value:
        case str():
            return value
        case {"text": str(text)}:
            return text
        case _:
            return None
