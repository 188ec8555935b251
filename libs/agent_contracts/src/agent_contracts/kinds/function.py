"""A function that code of the agent may call."""

from agent_contracts.entities.definitions import CODE_NAME, ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

FUNCTION: ThingKind[ToolDefinition] = ThingKind(
    kind=EntityKind.FUNCTION,
    noun="function",
    nouns="functions",
    shape=ToolDefinition,
    name=CODE_NAME,
    counted_as="code",
    in_prompt=True,
    made_by="create_function",
)
