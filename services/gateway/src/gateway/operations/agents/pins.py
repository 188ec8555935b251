"""The tools that a person pinned: an agent's models get their definitions with each request."""

from collections.abc import Sequence
from typing import Protocol

from agent_contracts.api.tool_names import ChosenTools
from agent_contracts.entities.chosen_tools import MOST_PINNED, PINNED_NAME
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.kinds.tool import TOOL
from agent_platform.entities.entity import Entity
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.tool_names import ToolNames
from gateway.operations.agents.version_records import written
from gateway.operations.ports import KnownAgents


class BuiltInTools(Protocol):
    """Who knows the tools that every agent has."""

    async def names(self) -> Sequence[str]:
        """Their names now."""
        ...


class Pins(ToolNames[ChosenTools]):
    """Pins and unpins tools, built-in or the agent's own."""

    name = PINNED_NAME
    most = MOST_PINNED
    too_many = f"At most {MOST_PINNED} tools can be pinned: each costs tokens in every request"

    def __init__(self, edits: Edits, agents: KnownAgents, built_in: BuiltInTools) -> None:
        super().__init__(edits, agents)
        self._built_in = built_in

    async def known(self, agent_id: AgentId) -> set[str]:
        """See `ToolNames`."""
        own = await self._edits.entities.list(agent_id, TOOL.kind)
        return {*await self._built_in.names(), *(entity.key.name for entity in own)}

    def _chosen(self, found: Entity | None) -> ChosenTools:
        return ChosenTools(names=self._names(found), **written(found))

    def _value(self, names: list[str], before: Entity | None) -> Json:
        return {"names": names}
