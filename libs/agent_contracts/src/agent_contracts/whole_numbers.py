"""Whole numbers in whatever form JSON has them: 100, 100.0, 1e2."""

from typing import Any

_EXACT = 2**53
"""Up to this, a double holds every whole number exactly."""


def whole(value: Any) -> Any:
    """A JSON value with numbers such as 100.0 as whole ones, at any depth; those beyond a double's exact
    range stay as they are."""
    match value:
        case float() if value.is_integer() and abs(value) <= _EXACT:
            return int(value)
        case dict():
            return {name: whole(item) for name, item in value.items()}
        case list() | tuple():
            return [whole(item) for item in value]
        case _:
            return value
