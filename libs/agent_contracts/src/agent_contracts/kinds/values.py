"""What the value of each kind of entity must be: one that isn't counts as never written."""

import msgspec

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.entity import EntityKind
from agent_contracts.json_value import Json
from agent_contracts.kinds.registry import KINDS


def flaw_in_value(kind: EntityKind, value: Json) -> str | None:
    """Why a value can't be that of an entity of this kind, in words; None if it can. Any JSON is a state."""
    declared = KINDS[kind]
    if declared.is_text:
        return None if text_of(value) is not None else "it holds no text"
    try:
        msgspec.convert(value, declared.shape)
    except (msgspec.ValidationError, RecursionError) as error:
        return str(error)
    return None
