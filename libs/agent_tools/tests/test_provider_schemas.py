"""What an own tool's arguments may be described by: only what every provider takes."""

from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_tools.provider_schemas import MOST_LEVELS, MOST_PROPERTIES, check_takes


def objects(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels - 1):
        schema = objects({"a": schema})
    return schema


TAKEN = [
    {"type": "object"},
    objects({"unit": {"type": "string", "enum": ["C", "F"], "description": "Unit."}}, required=["unit"]),
    objects({"a": {"type": ["string", "null"]}, "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}),
    objects({"list": {"type": "array", "items": {"type": "number", "minimum": 0}, "maxItems": 3}}),
    objects({"of": {"type": "object", "additionalProperties": {"type": "number"}}}),
    objects({"when": {"type": "string", "pattern": r"^\d{4}-\d\d$", "default": "2026-01"}}),
    objects({"type": {"type": "string"}, "not": {}, "if": {}, "items": {}}, additionalProperties=False),
    nested(MOST_LEVELS),
]


@pytest.mark.parametrize("schema", TAKEN)
def test_what_all_providers_take_is_taken(schema: dict[str, Any]) -> None:
    check_takes(schema, "")


REFUSED = {
    "no object": ({"type": "array", "items": {}}, "/type", '"type": "object"'),
    "no type": ({}, "/type", '"type": "object"'),
    "alternatives at the top": (objects({}, anyOf=[{}]), "/anyOf", "make it a property"),
    "array of anything": (objects({"a": {"type": "array"}}), "/properties/a", 'add "items"'),
    "array or null": (objects({"a": {"type": ["array", "null"]}}), "/properties/a", 'add "items"'),
    "a name with a space": (objects({"my key": {}}), "/properties/my key", "use a-z"),
    "a long name": (objects({"k" * 65: {}}), f"/properties/{'k' * 65}", "at most 64"),
    "a name with a slash": (objects({"a/b": {}}), "/properties/a~1b", "use a-z"),
    "a reference": (objects({"a": {"$ref": "#"}}), "/properties/a/$ref", "write the schema out"),
    "definitions": (objects({}, **{"$defs": {"a": {"$ref": "#/$defs/a"}}}), "/$defs", "write the"),
    "names by pattern": (objects({}, patternProperties={}), "/patternProperties", "additionalProperties"),
    "a tuple": (objects({"a": {"prefixItems": [{}]}}), "/properties/a/prefixItems", "use an object"),
    "a condition": (objects({}, **{"if": {}}), "/if", "describe each case"),
    "not": (objects({"a": {"not": {}}}), "/properties/a/not", "description"),
    "a keyword of nobody": (objects({"a": {"kind": "x"}}), "/properties/a/kind", "leave it out"),
    "true as a schema": (objects({"a": True}), "/properties/a", "use {}"),
    "an empty enum": (objects({"a": {"enum": []}}), "/properties/a/enum", "at least one"),
    "required without a property": (objects({}, required=["a"]), "/required", "add it to properties"),
    "no pattern": (objects({"a": {"pattern": "("}}), "/properties/a/pattern", "not a regular expression"),
    "too deep": (nested(MOST_LEVELS + 1), "/properties/a" * MOST_LEVELS, "levels deep"),
    "too many": (objects({f"p{n}": {} for n in range(MOST_PROPERTIES + 1)}), "", "at most 500"),
    "too many choices": (objects({"a": {"enum": list(range(1001))}}), "", "at most 1000"),
    "inside a list": (objects({"a": {"anyOf": [{}, {"$ref": "#"}]}}), "/properties/a/anyOf/1/$ref", "write"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_some_provider_refuses_is_refused_with_the_place_and_what_to_change(case: str) -> None:
    schema, path, advice = REFUSED[case]
    with pytest.raises(Rejected) as refused:
        check_takes(schema, "")
    assert refused.value.path == path
    assert advice in refused.value.message
    assert "nothing was stored" in refused.value.message
