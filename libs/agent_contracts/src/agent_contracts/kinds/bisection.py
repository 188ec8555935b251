"""A search for the event that spoilt the agent, by the agent's id (see `bisections`)."""

from agent_contracts.entities.bisections import Bisection
from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import GATEWAY, USER
from agent_contracts.kinds.kind import ThingKind

BISECTION: ThingKind[Bisection] = ThingKind(
    kind=EntityKind.BISECTION,
    noun="bisection",
    nouns="bisections",
    shape=Bisection,
    named="agent",
    writers={GATEWAY: USER},
    stays="it says what was searched",
    with_session=False,
    copied_by_probes=False,
    shown=False,
    has_row=False,
)
