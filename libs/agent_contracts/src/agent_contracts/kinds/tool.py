"""A tool that an agent made."""

from agent_contracts.entities.definitions import CODE_NAME, ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

TOOL: ThingKind[ToolDefinition] = ThingKind(
    kind=EntityKind.TOOL,
    noun="tool",
    nouns="tools",
    shape=ToolDefinition,
    name=CODE_NAME,
    counted_as="code",
    in_prompt=True,
    made_by="create_tool",
)
