"""A way of working that proved itself."""

from agent_contracts.entities.definitions import PLAYBOOK_NAME, PlaybookDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

PLAYBOOK: ThingKind[PlaybookDefinition] = ThingKind(
    kind=EntityKind.PLAYBOOK,
    noun="playbook",
    nouns="playbooks",
    shape=PlaybookDefinition,
    name=PLAYBOOK_NAME,
    label="description",
    counted_as="texts",
)
