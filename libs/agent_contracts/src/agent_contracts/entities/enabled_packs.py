"""Which packs an agent has, in their order, and where the texts are that their tools write."""

from agent_contracts.entities.agent_texts import AgentText, plan_of
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.packs import PromptText

PACKS_KIND, PACKS_NAME = EntityKind.SETTING, "packs"
"""Where they are kept: one entity, whose value is `{"packs": [...]}`."""
MOST_PACKS = 20


def packs_in(value: Json) -> tuple[str, ...]:
    """The enabled packs in an entity's value, in their order; none in one of another shape."""
    match value:
        case {"packs": list(names)}:
            known = dict.fromkeys(name for name in names if isinstance(name, str))
            return tuple(known)[:MOST_PACKS]
        case _:
            return ()


def text_of_pack(text: PromptText, session_id: SessionId) -> AgentText:
    """Where a pack's text is, for a session of the agent."""
    if text.is_plan:
        return plan_of(session_id)
    name = f"{text.name}.{session_id}" if text.per_session else text.name
    return AgentText(EntityKind.NOTES, name)
