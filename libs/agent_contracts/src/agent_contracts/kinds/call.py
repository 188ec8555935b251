"""A function's call under an idempotency key, by its id (see `function_calls`)."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.tool_answers import KeyedCall
from agent_contracts.event_sources import MCP_HOST, SERVICE
from agent_contracts.kinds.kind import BY_AGENTS, ThingKind

CALL: ThingKind[KeyedCall] = ThingKind(
    kind=EntityKind.CALL,
    noun="call",
    nouns="calls",
    shape=KeyedCall,
    named="id",
    writers={**BY_AGENTS, MCP_HOST: SERVICE},
    stays="it happened",
    with_session=False,
    copied_by_probes=False,
    shown=False,
    has_row=False,
)
