"""Fields of JSON whose writer is not trusted to keep to types."""

from collections.abc import Mapping

from agent_contracts.json_value import Json


def mapping(value: Json) -> Mapping[str, Json]:
    """An object; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def mappings(value: Json) -> list[Mapping[str, Json]]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def word(value: Json) -> str:
    """A text; an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def count(value: Json) -> int:
    """A number of 0 or more; 0 in place of anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
