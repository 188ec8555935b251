"""What of the agent goes back to an earlier event, by the agent's id (see `rewinds`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import Rewind
from agent_contracts.kinds.kind import BY_PEOPLE, ThingKind

REWIND: ThingKind[Rewind] = ThingKind(
    kind=EntityKind.REWIND,
    noun="rewind",
    nouns="rewinds",
    shape=Rewind,
    named="agent",
    writers=BY_PEOPLE,
    stays="it says what went back",
    with_session=False,
    copied_by_probes=False,
    shown=False,
    has_row=False,
)
