"""Results of own tools that are made of MCP's own parts: texts, pictures, sounds, resources."""

import mcp_types as types
from pydantic import TypeAdapter, ValidationError

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json

LARGEST = 2 * 1024 * 1024
"""Characters of all parts together: a picture can't come in pieces."""
MOST_PARTS = 100
_PARTS: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(list[types.ContentBlock])


def contents(value: Json) -> list[types.ContentBlock] | None:
    """The parts of `{"content": […]}`; None for any other value, which is sent as it is. `Rejected` where
    they are too many or too large."""
    if not isinstance(value, dict) or value.keys() != {"content"} or not isinstance(value["content"], list):
        return None
    try:
        found = _PARTS.validate_python(value["content"], by_name=False)
    except ValidationError:
        return None
    size = sum(len(part.model_dump_json()) for part in found)
    if len(found) > MOST_PARTS or size > LARGEST:
        raise Rejected(
            f"The tool ran, and its result has {len(found):,} parts of {size:,} characters: at most "
            f"{MOST_PARTS} of {LARGEST:,} are sent",
            kind="too_large",
        )
    return found or None
