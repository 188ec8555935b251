"""A person's setting of the agent, or of the installation (see `agent_settings`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import ThingKind

SETTING: ThingKind[object] = ThingKind(
    kind=EntityKind.SETTING,
    noun="setting",
    nouns="settings",
    shape=object,
    with_session=False,
    shown=False,
    has_row=False,
)
