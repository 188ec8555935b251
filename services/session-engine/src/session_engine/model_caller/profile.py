"""What an agent brings to a model call: its texts and tools, as of the call's request."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from agent_contracts.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT, notepad_of
from agent_contracts.definitions import (
    COMPONENT,
    FUNCTION,
    LIBRARY,
    SKILL,
    TOOL,
    D,
    DefinitionKind,
    tool_spec,
)
from agent_contracts.entities import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.tool_spec import ToolSpec
from agent_platform.definitions import defined
from agent_platform.entity import Entity, EntityKey
from agent_platform.text_entities import text_version
from session_engine.domain.prompt import Known, Profile


class EntityReader(Protocol):
    """Where entities of the past come from."""

    async def all_as_of(self, keys: Sequence[EntityKey], sequence: int) -> Sequence[Entity | None]:
        """The entities after event `sequence` of the log; None for each that there wasn't."""
        ...

    async def kinds_as_of(
        self, agent_id: AgentId, kinds: Sequence[EntityKind], sequence: int
    ) -> Mapping[EntityKind, Sequence[Entity]]:
        """Everything of these kinds that the agent had after event `sequence`, by name."""
        ...


class ToolSource(Protocol):
    """Where the tools of all runners are listed."""

    async def tools(self) -> tuple[ToolSpec, ...]:
        """Every tool there is now, in an order that only changes when the tools do."""
        ...


_KINDS = (
    EntityKind.TOOL,
    EntityKind.FUNCTION,
    EntityKind.LIBRARY,
    EntityKind.COMPONENT,
    EntityKind.SKILL,
    EntityKind.SECRET,
)


class Profiles:
    """Reads profiles."""

    def __init__(self, entities: EntityReader, tools: ToolSource, timezone: str) -> None:
        self._entities = entities
        self._tools = tools
        self._timezone = timezone

    async def as_of(self, agent_id: AgentId, session_id: SessionId, sequence: int) -> Profile:
        """All that the agent has as of log sequence `sequence`, and the built-in tools as of now."""
        texts = (SYSTEM_PROMPT, LEARNED_NOTES, notepad_of(session_id))
        keys = [EntityKey(agent_id, which.kind, which.name) for which in texts]
        entities, made, built_in = await asyncio.gather(
            self._entities.all_as_of(keys, sequence),
            self._entities.kinds_as_of(agent_id, _KINDS, sequence),
            self._tools.tools(),
        )
        prompt, notes, notepad = (
            text_version(entity, which.initial).text for entity, which in zip(entities, texts, strict=True)
        )
        own = [defined(one, TOOL) for one in made[EntityKind.TOOL]]
        taken = {tool.name for tool in built_in}
        offered = [tool_spec(one) for one in own if one.value.enabled and one.name not in taken]
        functions = [defined(one, FUNCTION) for one in made[EntityKind.FUNCTION]]
        skills = [defined(one, SKILL) for one in made[EntityKind.SKILL]]
        return Profile(
            prompt,
            notes,
            (*built_in, *offered),
            self._timezone,
            notepad,
            disabled=tuple(one.name for one in own if not one.value.enabled),
            functions=tuple(Known(one.name, one.value.description) for one in functions if one.value.enabled),
            libraries=_known(made[EntityKind.LIBRARY], LIBRARY),
            components=_known(made[EntityKind.COMPONENT], COMPONENT),
            secrets=tuple(Known(one.key.name) for one in made[EntityKind.SECRET]),
            skills=tuple(
                Known(one.name, one.value.description, one.value.tags) for one in skills if one.value.enabled
            ),
        )


def _known(entities: Sequence[Entity], kind: DefinitionKind[D]) -> tuple[Known, ...]:
    found = [defined(one, kind) for one in entities]
    return tuple(Known(one.name, one.value.description) for one in found)
