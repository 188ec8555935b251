"""A wake from another service that waits to be looked at (see `wakes`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import SCHEDULED, ThingKind
from agent_contracts.wakes import InboxItem

INBOX: ThingKind[InboxItem] = ThingKind(
    kind=EntityKind.INBOX,
    noun="inbox item",
    nouns="inbox items",
    shape=InboxItem,
    named="id",
    times=("at", "until"),
    writers=SCHEDULED,
    stays="it came from outside",
    copied_by_probes=False,
    shown=False,
)
