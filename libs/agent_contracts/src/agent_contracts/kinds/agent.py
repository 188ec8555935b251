"""The agent itself: what people call it."""

from agent_contracts.entities.agents import AgentProfile
from agent_contracts.entities.entity import EntityKind
from agent_contracts.kinds.kind import BY_AGENTS, ThingKind

AGENT: ThingKind[AgentProfile] = ThingKind(
    kind=EntityKind.AGENT,
    noun="agent",
    nouns="agents",
    shape=AgentProfile,
    named="agent",
    writers=BY_AGENTS,
    stays="it is the agent that goes back",
    with_session=False,
    copied_by_probes=False,
    shown=False,
)
