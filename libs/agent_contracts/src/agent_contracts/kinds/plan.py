"""What one session is about to do: see `agent_texts.plan_of`."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import COPIED, ThingKind

PLAN: ThingKind[object] = ThingKind(
    kind=EntityKind.PLAN,
    noun="session's plan",
    nouns="sessions' plans",
    shape=object,
    is_text=True,
    named="session",
    writers=COPIED,
    stays="it belongs to a session, which stays",
    copied_by_probes=False,
    counted_as="texts",
)
