"""What the value of each kind of entity must be: one that isn't counts as never written."""

from collections.abc import Mapping
from typing import Any

import msgspec

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.agents import AgentProfile
from agent_contracts.entities.bisections import Bisection
from agent_contracts.entities.definitions import (
    ComponentDefinition,
    LibraryDefinition,
    PlaybookDefinition,
    SkillDefinition,
    ToolDefinition,
)
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.entities.model_adaptations import ModelAdaptations
from agent_contracts.entities.rewinds import Rewind
from agent_contracts.entities.schedules import Reminder, Schedule, ScheduleRun
from agent_contracts.entities.secrets import SecretDefinition
from agent_contracts.entities.tool_answers import KeyedCall
from agent_contracts.files import FileValue, PathValue
from agent_contracts.json_value import Json
from agent_contracts.policies import Policy
from agent_contracts.wakes import InboxItem

SHAPES: Mapping[EntityKind, type[Any]] = {
    EntityKind.AGENT: AgentProfile,
    EntityKind.TOOL: ToolDefinition,
    EntityKind.FUNCTION: ToolDefinition,
    EntityKind.LIBRARY: LibraryDefinition,
    EntityKind.COMPONENT: ComponentDefinition,
    EntityKind.SKILL: SkillDefinition,
    EntityKind.PLAYBOOK: PlaybookDefinition,
    EntityKind.FILE: FileValue,
    EntityKind.PATH: PathValue,
    EntityKind.REMINDER: Reminder,
    EntityKind.SCHEDULE: Schedule,
    EntityKind.RUN: ScheduleRun,
    EntityKind.INBOX: InboxItem,
    EntityKind.SECRET: SecretDefinition,
    EntityKind.POLICY: Policy,
    EntityKind.MCP_SERVER: McpServer,
    EntityKind.MCP_TOOLS: McpTools,
    EntityKind.CALL: KeyedCall,
    EntityKind.REWIND: Rewind,
    EntityKind.BISECTION: Bisection,
    EntityKind.MODEL_ADAPTATIONS: ModelAdaptations,
}
_TEXTS = (EntityKind.PROMPT, EntityKind.NOTES, EntityKind.NOTEPAD, EntityKind.PLAN)


def flaw_in_value(kind: EntityKind, value: Json) -> str | None:
    """Why a value can't be that of an entity of this kind, in words; None if it can. Any JSON is a state."""
    if kind in _TEXTS:
        return None if text_of(value) is not None else "it holds no text"
    shape = SHAPES.get(kind)
    if shape is None:
        return None
    try:
        msgspec.convert(value, shape)
    except (msgspec.ValidationError, RecursionError) as error:
        return str(error)
    return None
