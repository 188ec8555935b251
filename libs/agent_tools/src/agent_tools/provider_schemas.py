"""What model providers share of JSON Schema: what a tool's arguments may be described by.

One own tool that a provider doesn't take fails every model call of the agent. The rules are the intersection
of what OpenAI, Anthropic and Gemini document and answer in their 400s: an object at the top with no
alternatives there, arrays that say their items, names of Anthropic's pattern, no keyword that one of them
refuses, OpenAI's bounds of size.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import regex  # type: ignore[import-untyped]

from agent_contracts.argument_names import PROPERTY_NAME
from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_tools.json_schemas import pointer

MOST_LEVELS = 10
MOST_PROPERTIES = 500
MOST_CHOICES = 1_000
"""Values of all `enum` together."""
_NAME_WORDS = "a-z, A-Z, 0-9, '_', '.' and '-', at most 64"

TAKEN = frozenset(
    {
        *("type", "title", "description", "default", "examples", "deprecated", "$schema", "$comment"),
        *("enum", "const", "format", "pattern", "minLength", "maxLength"),
        *("properties", "required", "additionalProperties", "minProperties", "maxProperties"),
        *("items", "minItems", "maxItems", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("anyOf", "oneOf", "allOf"),
    }
)
_ADVICE = {
    "$ref": "write the schema out in its place",
    "$dynamicRef": "write the schema out in its place",
    "$recursiveRef": "write the schema out in its place",
    "$defs": "write the schemas out where they are used",
    "definitions": "write the schemas out where they are used",
    "patternProperties": 'use "additionalProperties" with a schema',
    "propertyNames": 'say in the "description" what names are allowed',
    "prefixItems": 'use an object, or "items" with one schema',
    "not": 'say it in the "description", and check it in the code',
    "if": "describe each case, and check it in the code",
    "then": "describe each case, and check it in the code",
    "else": "describe each case, and check it in the code",
    "nullable": 'use "type": ["string", "null"]',
    "optional": 'leave the name out of "required"',
}
NOT_AT_THE_TOP = ("anyOf", "oneOf", "allOf", "enum", "const")


class _Below(msgspec.Struct, frozen=True):
    """A schema inside the schema: where it is, and how deep."""

    schema: Any
    path: str
    level: int


def check_takes(schema: dict[str, Json], path: str) -> None:
    """`Rejected` with the place and what to change, if a provider would refuse this schema of a tool."""
    if schema.get("type") != "object":
        raise _refused('the schema must say "type": "object" at the top', f"{path}/type")
    for keyword in NOT_AT_THE_TOP:
        if keyword in schema:
            advice = "make it a property, or describe the cases and check them in the code"
            raise _refused(
                f"{keyword} isn't supported at the top of the schema: {advice}", f"{path}/{keyword}"
            )
    properties = choices = 0
    for below in _walk(_Below(schema, path, 1)):
        _check_one(below)
        properties += len(below.schema.get("properties", ()))
        choices += len(below.schema.get("enum", ()))
    if properties > MOST_PROPERTIES:
        raise _refused(
            f"the schema has {properties} properties, at most {MOST_PROPERTIES} are supported", path
        )
    if choices > MOST_CHOICES:
        raise _refused(f"the schema lists {choices} enum values, at most {MOST_CHOICES} are supported", path)


def _walk(below: _Below) -> Iterator[_Below]:
    """Every schema, each before those inside it."""
    yield below
    schema, level = below.schema, below.level + 1
    for name, inner in schema.get("properties", {}).items():
        yield from _walk(_Below(inner, pointer(below.path, ("properties", name)), level))
    for keyword in ("items", "additionalProperties"):
        if keyword in schema and not (
            keyword == "additionalProperties" and isinstance(schema[keyword], bool)
        ):
            yield from _walk(_Below(schema[keyword], f"{below.path}/{keyword}", level))
    for keyword in ("anyOf", "oneOf", "allOf"):
        for index, inner in enumerate(schema.get(keyword, ())):
            yield from _walk(_Below(inner, f"{below.path}/{keyword}/{index}", level))


def _check_one(below: _Below) -> None:
    schema, path = below.schema, below.path
    if not isinstance(schema, dict):
        raise _refused('true and false aren\'t supported as schemas: use {} with a "description"', path)
    if below.level > MOST_LEVELS:
        raise _refused(
            f"the schema is more than {MOST_LEVELS} levels deep: take a list or text instead", path
        )
    for keyword in schema:
        if keyword not in TAKEN:
            advice = _ADVICE.get(keyword, "leave it out, and say it in the description")
            raise _refused(f"{keyword} isn't supported: {advice}", pointer(path, (keyword,)))
    for name in schema.get("properties", {}):
        if not PROPERTY_NAME.fullmatch(name):
            at = pointer(path, ("properties", name))
            raise _refused(f"the property name {name[:80]!r} isn't supported: use {_NAME_WORDS}", at)
    _check_lists(schema, path)
    _check_pattern(schema, path)


def _check_lists(schema: dict[str, Any], path: str) -> None:
    types = schema.get("type", ())
    types = [types] if isinstance(types, str) else types
    if "array" in types and "items" not in schema:
        raise _refused('an array must say what it holds: add "items"', path)
    if schema.get("enum") == []:
        raise _refused("an enum must list at least one value", f"{path}/enum")
    if "object" in types:
        missing = [name for name in schema.get("required", ()) if name not in schema.get("properties", {})]
        if missing:
            words = f"required names {missing[0][:80]!r}, which is no property: add it to properties"
            raise _refused(words, f"{path}/required")


def _check_pattern(schema: dict[str, Any], path: str) -> None:
    try:
        regex.compile(schema.get("pattern", ""))
    except regex.error as error:
        raise _refused(f"the pattern is not a regular expression: {error}", f"{path}/pattern") from error


def _refused(what: str, path: str) -> Rejected:
    return Rejected(
        f"nothing was stored: {what}. Model providers would refuse every request with this schema.",
        path=path,
    )
