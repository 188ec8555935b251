"""Which packs an agent has, in their order, what people set of them, and where the texts are that their
tools write."""

from collections.abc import Mapping

from agent_contracts.entities.agent_texts import AgentTextSpec, plan_of
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.packs import PromptText

PACKS_KIND, PACKS_NAME = EntityKind.SETTING, "packs"
"""Where they are kept: one entity, `{"packs": [...], "settings": {pack: {setting: value}}}`."""
MOST_PACKS = 20
MOST_SETTINGS_BYTES = 64 * 1024
"""Bytes of JSON that the settings of all packs of an agent may have."""

SettingsByPack = Mapping[str, Mapping[str, Json]]
"""The values that people set: by pack, then by setting."""


def packs_in(value: Json) -> tuple[str, ...]:
    """The enabled packs in an entity's value, in their order; none in one of another shape."""
    match value:
        case {"packs": list(names)}:
            known = dict.fromkeys(name for name in names if isinstance(name, str))
            return tuple(known)[:MOST_PACKS]
        case _:
            return ()


def settings_in(value: Json) -> SettingsByPack:
    """What people set of packs, in an entity's value; a pack that is disabled keeps what was set of it."""
    found = value.get("settings") if isinstance(value, dict) else None
    return (
        {pack: one for pack, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}
    )


def text_of_pack(text: PromptText, session_id: SessionId) -> AgentTextSpec:
    """Where a pack's text is, for a session of the agent."""
    if text.is_plan:
        return plan_of(session_id)
    name = f"{text.name}.{session_id}" if text.per_session else text.name
    return AgentTextSpec(EntityKind.NOTES, name, text.initial)
