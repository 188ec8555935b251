"""A module that code of the agent may `require`."""

from agent_contracts.entities.definitions import CODE_NAME, LibraryDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

LIBRARY: ThingKind[LibraryDefinition] = ThingKind(
    kind=EntityKind.LIBRARY,
    noun="library",
    nouns="libraries",
    shape=LibraryDefinition,
    name=CODE_NAME,
    counted_as="code",
    in_prompt=True,
    made_by="create_library",
)
