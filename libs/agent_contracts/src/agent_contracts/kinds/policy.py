"""What the agent may do: only people write it (see `policies`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import BY_PEOPLE, ThingKind
from agent_contracts.policies import POLICY_NAME, Policy

POLICY: ThingKind[Policy] = ThingKind(
    kind=EntityKind.POLICY,
    noun="policy",
    nouns="policies",
    shape=Policy,
    named="one",
    name=POLICY_NAME,
    writers=BY_PEOPLE,
    with_session=False,
    copied_by_probes=False,
    shown=False,
    has_row=False,
)
