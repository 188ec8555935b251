"""A UI component: a page that an agent made."""

from agent_contracts.entities.definitions import COMPONENT_NAME, ComponentDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

COMPONENT: ThingKind[ComponentDefinition] = ThingKind(
    kind=EntityKind.COMPONENT,
    noun="UI component",
    nouns="UI components",
    shape=ComponentDefinition,
    name=COMPONENT_NAME,
    counted_as="pages",
    in_prompt=True,
    made_by="create_ui_component",
)
