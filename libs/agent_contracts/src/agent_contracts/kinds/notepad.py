"""What one session has written down for itself."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import COPIED, ThingKind

NOTEPAD: ThingKind[object] = ThingKind(
    kind=EntityKind.NOTEPAD,
    noun="session's notepad",
    nouns="sessions' notepads",
    shape=object,
    is_text=True,
    named="session",
    writers=COPIED,
    stays="it belongs to a session, which stays",
    copied_by_probes=False,
    counted_as="texts",
)
