"""What a new agent has: a prompt and, as if it had made them, the starters."""

from agent_contracts.entities.agent_texts import SYSTEM_PROMPT
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_domain.starters import STARTERS
from agent_platform.entities.entity import EntityKey, EntityWriter, InitialEntity


def beginning(agent_id: AgentId, prompt: str, writer: EntityWriter, *, starters: bool) -> list[InitialEntity]:
    """What is written with the agent that `writer` makes. The prompt is the writer's word, the starters are
    the service's."""

    def first(key: EntityKey, value: Json, actor: Actor) -> InitialEntity:
        own = EntityWriter(f"{writer.id}:{key.subject}", actor, traceparent=writer.traceparent)
        return InitialEntity(key, value, own)

    made = [first(EntityKey(agent_id, SYSTEM_PROMPT.kind, SYSTEM_PROMPT.name), prompt, writer.actor)]
    if starters:
        made += [first(EntityKey(agent_id, one.kind, one.name), one.value, Actor.SERVICE) for one in STARTERS]
    return made
