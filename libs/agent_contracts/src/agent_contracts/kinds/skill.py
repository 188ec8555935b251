"""Knowledge that an agent wrote down."""

from agent_contracts.entities.definitions import SKILL_NAME, SkillDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

SKILL: ThingKind[SkillDefinition] = ThingKind(
    kind=EntityKind.SKILL,
    noun="skill",
    nouns="skills",
    shape=SkillDefinition,
    name=SKILL_NAME,
    counted_as="skills",
    in_prompt=True,
    made_by="create_skill",
)
