"""One value that an agent stored under a key."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

STATE: ThingKind[object] = ThingKind(
    kind=EntityKind.STATE,
    noun="value of the state",
    nouns="values of the state",
    shape=object,
    counted_as="state",
)
