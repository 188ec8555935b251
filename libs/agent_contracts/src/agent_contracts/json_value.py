"""The type of any JSON value, and when two are the same."""

from typing import Any

import msgspec

Json = Any
"""A JSON value: null, bool, int, float, str, list of Json or dict of str to Json.

`Any`, since a recursive type would cost every reader a cast.
"""


def same_json(one: Json, other: Json) -> bool:
    """Whether two values are the same JSON: 1, 1.0 and true are three, and the order of members counts."""
    return msgspec.json.encode(one) == msgspec.json.encode(other)
