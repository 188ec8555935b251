"""Notes of the agent for all of its sessions: what it learned, and the texts of its packs."""

from agent_contracts.entities.agent_texts import LEARNED_NOTES
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

NOTES: ThingKind[object] = ThingKind(
    kind=EntityKind.NOTES,
    noun="notes",
    nouns="notes",
    shape=object,
    is_text=True,
    initial=LEARNED_NOTES.initial,
    counted_as="texts",
)
