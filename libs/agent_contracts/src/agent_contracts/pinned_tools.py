"""The tools that a person pinned: an agent's models get their definitions with each request."""

from agent_contracts.entities import EntityKind
from agent_contracts.json_value import Json

PINNED_KIND, PINNED_NAME = EntityKind.SETTING, "pinned_tools"
"""Where they are kept: one entity, whose value is `{"names": [...]}`."""
MOST_PINNED = 20


def pinned_in(value: Json) -> tuple[str, ...]:
    """The names in an entity's value; none in one of another shape."""
    match value:
        case {"names": list(names)}:
            return tuple(name for name in names if isinstance(name, str))[:MOST_PINNED]
        case _:
            return ()
