"""A secret of the person's, without its value."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.secrets import SECRET_NAME, SecretDefinition
from agent_contracts.kinds.kind import BY_AGENTS, ThingKind

SECRET: ThingKind[SecretDefinition] = ThingKind(
    kind=EntityKind.SECRET,
    noun="secret",
    nouns="secrets",
    shape=SecretDefinition,
    name=SECRET_NAME,
    writers=BY_AGENTS,
    stays="no event holds its value",
    with_session=False,
    copied_by_probes=False,
    in_prompt=True,
    shown=False,
    has_row=False,
)
