"""Arguments of a call in the types that its tool's schema asks for, where the schema leaves no doubt. Pure.

Small models send `"5"` for a number, `"[\\"a\\"]"` for a list and null for what they leave out. Only a type
that the schema doesn't allow is changed, and only into the one value that can be meant; anything else stays
as it was sent, so that the tool says what is wrong with it. The schema has no references (`written_out`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.json_reader import FROM_MODELS, read_json
from agent_contracts.json_value import Json
from agent_contracts.whole_numbers import whole

MOST_CHARACTERS = 256 * 1024
"""Of a text that is read as JSON. Both forms are recorded, and both have to fit into one event."""
_MOST_LEVELS = 32
_MOST_STEPS = 100_000
"""Looks at a value by a schema: a foreign one may branch so that it would take for ever."""
_BRANCHES = ("anyOf", "oneOf")
_NULLS = ("null", "None")
_SPELLED: dict[str, Json] = {"True": True, "False": False, "None": None}
"""As Python writes them."""
_SEPARATORS = ",;|\n"
_LIMITS = msgspec.structs.replace(
    FROM_MODELS, size=MOST_CHARACTERS, depth=FROM_MODELS.depth - _MOST_LEVELS, control_characters=True
)
_NOTHING: Any = object()


def coerced(schema: Mapping[str, Any], arguments: dict[str, Json]) -> dict[str, Json]:
    """The arguments of a call as the schema of its tool has them; the very same if nothing changes."""
    try:
        found = _Coercion().of_object(arguments, schema, 0)
    except _TooMuch:
        return arguments
    return arguments if same(found, arguments) else found


def fits(schema: Mapping[str, Any], arguments: dict[str, Json]) -> bool:
    """Whether the arguments are what the schema asks for, by their types, names and listed values."""
    try:
        return _Coercion().fits(arguments, {**schema, "type": "object"}, 0)
    except _TooMuch:
        return False


def changed(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments that aren't the same after, as they were before."""
    return {
        name: value for name, value in before.items() if name not in after or not same(value, after[name])
    }


def same(one: Json, two: Json) -> bool:
    """Whether two values are equal in JSON: 1 and true are not."""
    if one is two:
        return True
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(value, two[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return type(one) is type(two) and one == two


class _TooMuch(Exception):
    """The schema branches too much for these arguments."""


class _Coercion:
    """Coerces the arguments of one call."""

    def __init__(self) -> None:
        self._steps = 0

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise _TooMuch

    def _value(self, value: Json, schema: Any, level: int) -> Json:
        self._step()
        if not isinstance(schema, dict) or level > _MOST_LEVELS:
            return value
        for one in _mappings(schema.get("allOf")):
            value = self._value(value, one, level + 1)
        branches = [*_alternatives(schema)]
        if branches:
            return self._of_branches(value, branches, level)
        match _type_of(schema):
            case "object":
                value = _read(value, dict)
                return self.of_object(value, schema, level) if isinstance(value, dict) else value
            case "array":
                return self._array(value, schema, level)
            case "integer":
                return _read(value, int)
            case "number":
                return _read(value, int, float)
            case "boolean":
                return _read(value, bool)
            case "null":
                return _read(value, type(None))
            case "string" if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
            case _:
                return value

    def of_object(self, value: dict[str, Json], schema: Mapping[str, Any], level: int) -> dict[str, Json]:
        """The members coerced. Null for one that may be left out and can't be null means that it is."""
        properties, required = _properties(schema), _required(schema)
        beside = schema.get("additionalProperties")
        found: dict[str, Json] = {}
        for name, item in value.items():
            inner = properties.get(name, beside)
            item = self._value(item, inner, level + 1)
            optional = name in properties and name not in required
            if optional and _is_null(item) and not self.fits(item, inner, level + 1):
                continue
            found[name] = item
        return found

    def _array(self, value: Json, schema: Mapping[str, Any], level: int) -> Json:
        """A list with its items coerced. A single value becomes a list of one if it can be nothing else."""
        value = _read(value, list)
        items = schema.get("items")
        if isinstance(value, list):
            return [self._value(item, items, level + 1) for item in value]
        if value is None or not isinstance(items, dict) or not (items.keys() - {"description", "title"}):
            return value
        if isinstance(value, str) and (not value.strip() or value.lstrip()[:1] in "[{"):
            return value if _json_in(value) is _NOTHING else self._wrapped(value, items, level)
        return self._wrapped(value, items, level)

    def _wrapped(self, value: Json, items: Mapping[str, Any], level: int) -> Json:
        item = self._value(value, items, level + 1)
        if not self.fits(item, items, level + 1):
            return value
        if isinstance(item, str) and (any(one in item for one in _SEPARATORS) or item.lstrip()[:1] in "[{"):
            return value  # is it one text, or several?
        return [item]

    def _of_branches(self, value: Json, branches: Sequence[Any], level: int) -> Json:
        """The value as it is where a branch takes it; else what the one branch that could takes."""
        if any(self.fits(value, one, level) for one in branches):
            return value
        found: list[Json] = []
        for branch in branches:
            item = self._value(value, branch, level + 1)
            if self.fits(item, branch, level) and not any(same(item, other) for other in found):
                found.append(item)
        return found[0] if len(found) == 1 else value

    def fits(self, value: Json, schema: Any, level: int) -> bool:
        """Whether the value is one by types, names and listed values. The tool checks bounds and patterns."""
        self._step()
        if not isinstance(schema, dict) or level > _MOST_LEVELS:
            return schema is not False
        values = _values_of(schema)
        if values and not any(same(value, one) for one in values):
            return False
        if not all(self.fits(value, one, level + 1) for one in _mappings(schema.get("allOf"))):
            return False
        branches = [*_alternatives(schema)]
        if branches:
            return any(self.fits(value, one, level + 1) for one in branches)
        kind = _type_of(schema)
        if kind is not None and not _is(value, kind):
            return False
        if isinstance(value, list):
            return all(self.fits(item, schema.get("items"), level + 1) for item in value)
        if isinstance(value, dict):
            return self._object_fits(value, schema, level)
        return True

    def _object_fits(self, value: dict[str, Json], schema: Mapping[str, Any], level: int) -> bool:
        properties, beside = _properties(schema), schema.get("additionalProperties")
        return all(name in value for name in _required(schema)) and all(
            self.fits(item, properties.get(name, beside), level + 1) for name, item in value.items()
        )


def _is_null(value: Json) -> bool:
    return value is None or (isinstance(value, str) and value.strip() in _NULLS)


def _alternatives(schema: Mapping[str, Any]) -> Iterator[Any]:
    """What the value may be, if that is one of several, each with what is said beside the alternatives."""
    for keyword in _BRANCHES:
        several = _mappings(schema.get(keyword))
        if several:
            around = {name: item for name, item in schema.items() if name not in (keyword, "allOf")}
            yield from ({**around, **one} for one in several)
            return
    types = schema.get("type")
    if isinstance(types, list):
        yield from ({**schema, "type": one} for one in types)
    elif types is None and _values_of(schema):
        yield from ({"const": one, "type": _type_name(one)} for one in _values_of(schema))


def _read(value: Json, *kinds: type) -> Json:
    """What a text says in JSON, if it is of one of these types. A whole number may be written as 5.0."""
    if not isinstance(value, str):
        return value
    found = _json_in(value)
    if int in kinds and float not in kinds and isinstance(found, float):
        found = whole(found)
    return found if type(found) in kinds else value


def _json_in(text: str) -> Json:
    """The value that a text writes out; `_NOTHING` if it writes none."""
    text = text.strip()
    if text in _SPELLED:
        return _SPELLED[text]
    try:
        return read_json(text, _LIMITS)
    except Rejected:
        return _NOTHING


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    known = schema.get("properties")
    return known if isinstance(known, dict) else {}


def _required(schema: Mapping[str, Any]) -> Sequence[Any]:
    names = schema.get("required")
    return names if isinstance(names, list) else ()


def _type_of(schema: Mapping[str, Any]) -> str | None:
    kind = schema.get("type")
    if isinstance(kind, str):
        return kind
    if kind is None and isinstance(schema.get("properties"), dict):
        return "object"
    return "array" if kind is None and isinstance(schema.get("items"), dict) else None


def _values_of(schema: Mapping[str, Any]) -> Sequence[Json]:
    if "const" in schema:
        return (schema["const"],)
    several = schema.get("enum")
    return several if isinstance(several, list) else ()


def _is(value: Json, kind: str) -> bool:
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer":
        return type(value) is int or (isinstance(value, float) and value.is_integer())
    return kind == _type_name(value)


def _type_name(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
