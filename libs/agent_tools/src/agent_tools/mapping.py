"""Shapes of JSON that are filled from other JSON: how an alias says what it sends and gives, as data.

- `"$name"` is a member (`"$one.two"`: a member of a member); null where there is none,
- `"$.name"` is a member of the element at hand, `"$."` the element itself,
- `{"$each": list, "of": shape}` is the shape for each element of a list,
- `{"$count": list}` is how many elements a list, or characters a text, has,
- `{"$cut": text, "to": number}` is at most so many characters of a text,
- `{"$first_line": text}` is the first line of a text that says something, without Markdown's heading signs,
- `{"$text": [...]}` joins texts; numbers and lists are written as JSON,
- `{"$if": flag, "then": shape}` is the shape where the flag is true, else null,
- `{"$first": [...]}` is the first that isn't null,
- `{"$least": [...]}` is the smallest of numbers.

Members whose value is null are left out of what is sent, so that the other side's defaults hold.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from agent_contracts.json_value import Json

LONGEST_LINE = 200
"""Characters of a first line."""


def filled(shape: Json, given: Mapping[str, Json], element: Json = None) -> Any:
    """The shape with the values of `given` in it. Raises TypeError for a shape that there isn't."""
    match shape:
        case str() if shape.startswith("$"):
            path = shape[1:]
            return _member(element, path[1:]) if path.startswith(".") else _member(given, path)
        case {"$each": among, "of": inner}:
            found = filled(among, given, element)
            return [filled(inner, given, one) for one in found or []]
        case {"$count": what}:
            return len(filled(what, given, element) or "")
        case {"$cut": text, "to": most}:
            return (filled(text, given, element) or "")[: filled(most, given, element)]
        case {"$first_line": text}:
            return _first_line(filled(text, given, element) or "")
        case {"$text": list(parts)}:
            return "".join(_as_text(filled(part, given, element)) for part in parts)
        case {"$if": flag, "then": inner}:
            return filled(inner, given, element) if filled(flag, given, element) is True else None
        case {"$first": list(choices)}:
            tried = (filled(choice, given, element) for choice in choices)
            return next((one for one in tried if one is not None), None)
        case {"$least": list(choices)}:
            return min(filled(choice, given, element) for choice in choices)
        case dict():
            unknown = [key for key in shape if key.startswith("$")]
            if unknown:
                raise TypeError(f"{unknown[0]!r} is no shape")
            return {key: filled(inner, given, element) for key, inner in shape.items()}
        case list():
            return [filled(inner, given, element) for inner in shape]
        case _:
            return shape


def without_nulls(value: dict[str, Json]) -> dict[str, Json]:
    """The members that have a value."""
    return {key: one for key, one in value.items() if one is not None}


def _member(value: Any, path: str) -> Any:
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _first_line(text: str) -> str:
    lines = (line.lstrip("#").strip() for line in text.splitlines())
    return next((line for line in lines if line), "")[:LONGEST_LINE]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else msgspec.json.encode(value).decode()
