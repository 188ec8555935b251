"""What was erased: a session by its id, or the whole agent by its own (`erasures.Erasure`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import GATEWAY, OPERATOR, PROJECTOR, USER
from agent_contracts.kinds.kind import ThingKind

ERASED: ThingKind[object] = ThingKind(
    kind=EntityKind.ERASED,
    noun="erasure",
    nouns="erasures",
    shape=object,
    named="id",
    writers={GATEWAY: USER, PROJECTOR: USER, OPERATOR: USER},
    stays="what was erased is gone",
    with_session=False,
    copied_by_probes=False,
    shown=False,
    has_row=False,
)
