"""Tools that a person chose by name: those that are pinned, and those that are exposed to MCP clients."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.json_value import Json

CHOSEN_KIND = EntityKind.SETTING
"""How they are kept: one entity for each choice, whose value is `{"names": [...]}`."""
PINNED_NAME = "pinned_tools"
"""An agent's models get the definitions of these with each request."""
MOST_PINNED = 20
EXPOSED_NAME = "exposed_tools"
"""Programs that use the agent by MCP may run these."""
MOST_EXPOSED = 50
PROMPT = "prompt"
"""What an exposed tool may be offered as, instead of as a tool; or it is a resource at an address, such as
`weather://{city}`, whose variables are its arguments."""
REPEAT_KEY = "foldline/key"
"""In `_meta` of a call of an exposed tool: the same key and arguments again get the first one's answer. The
arguments are the agent's to define, so it can't be one of them."""


def offered_as(value: Json) -> dict[str, str]:
    """What those of the exposed tools are offered as that aren't offered as tools, by name."""
    match value:
        case {"names": list(names), "offered_as": dict(offered)}:
            return {name: one for name, one in offered.items() if name in names and isinstance(one, str)}
        case _:
            return {}


def names_in(value: Json, most: int) -> tuple[str, ...]:
    """The names in an entity's value; none in one of another shape."""
    match value:
        case {"names": list(names)}:
            return tuple(name for name in names if isinstance(name, str))[:most]
        case _:
            return ()
