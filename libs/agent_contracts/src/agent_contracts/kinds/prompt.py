"""The system prompt: what the agent is told before anything else."""

from agent_contracts.entities.agent_texts import SYSTEM_PROMPT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

PROMPT: ThingKind[object] = ThingKind(
    kind=EntityKind.PROMPT,
    noun="system prompt",
    nouns="system prompts",
    shape=object,
    is_text=True,
    initial=SYSTEM_PROMPT.initial,
    named="one",
    name=SYSTEM_PROMPT.name,
    counted_as="texts",
)
