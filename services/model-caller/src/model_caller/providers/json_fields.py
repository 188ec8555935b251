"""Fields of JSON whose writer is not trusted to keep to types."""

from collections.abc import Mapping

import msgspec

from agent_contracts.json_value import Json

_TOO_MANY = 10**12
"""What is added to a session's tokens must leave them a number that the tables take."""


def mapping(value: Json) -> Mapping[str, Json]:
    """An object; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def mappings(value: Json) -> list[Mapping[str, Json]]:
    """The objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def word(value: Json) -> str:
    """A text; an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def arguments_text(value: object) -> str:
    """A call's arguments as text. Some servers stream the object itself where the protocol has its text."""
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    return value if isinstance(value, str) else ""


def count(value: Json) -> int:
    """A number of tokens; 0 in place of anything else, as of one that no call comes to."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _TOO_MANY else 0
