"""What is changed in requests to a model (see `model_adaptations`). The installation's."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.model_adaptations import ModelAdaptations
from agent_contracts.event_sources import GATEWAY, MODEL_CALLER, SERVICE, USER
from agent_contracts.kinds.kind import ThingKind

MODEL_ADAPTATIONS: ThingKind[ModelAdaptations] = ThingKind(
    kind=EntityKind.MODEL_ADAPTATIONS,
    noun="model's adaptations",
    nouns="models' adaptations",
    shape=ModelAdaptations,
    named="id",
    writers={MODEL_CALLER: SERVICE, GATEWAY: USER},
    stays="it is the installation's",
    with_session=False,
    copied_by_probes=False,
    shown=False,
    has_row=False,
)
