"""Schemas without references: what a reference names stands in its place, or it says why it can't."""

from typing import Any

import pytest

from agent_contracts.written_out import MOST_LEVELS, MOST_PARTS, SchemaUnwritable, written_out


def test_what_is_referred_to_stands_in_its_place_with_what_stood_beside_the_reference() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/point", "description": "Where."},
            "many": {"type": "array", "items": {"$ref": "#/$defs/a~1b"}},
            "any": {"anyOf": [{"$ref": "#/definitions/c~0d"}, {"type": "null"}]},
        },
        "additionalProperties": {"$ref": "#/$defs/a~1b"},
        "$defs": {
            "point": {"type": "object", "properties": {"x": {"$ref": "#/$defs/a~1b"}}},
            "a/b": {"type": "number"},
        },
        "definitions": {"c~d": {"const": 1}},
    }
    number = {"type": "number"}
    assert written_out(schema) == {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"x": number}, "description": "Where."},
            "many": {"type": "array", "items": number},
            "any": {"anyOf": [{"const": 1}, {"type": "null"}]},
        },
        "additionalProperties": number,
    }


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


WIDE: dict[str, Any] = {"properties": {str(n): {} for n in range(MOST_PARTS)}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}},
            "refers to itself (#/$defs/a)",
        ),
        ({"items": {"$ref": "#/$defs/gone"}}, "refers to '#/$defs/gone', which isn't there"),
        ({"items": {"$ref": "https://example.com/s"}}, "refers to 'https://example.com/s', outside itself"),
        ({"items": {"$ref": 5}}, "refers to '5', outside itself"),
        (nested(MOST_LEVELS + 1), "is too large"),
        (WIDE, "is too large"),
    ],
    ids=["itself", "gone", "elsewhere", "number", "deep", "wide"],
)
def test_what_can_not_be_written_out_says_why(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(SchemaUnwritable) as unwritable:
        written_out(schema)
    assert why in str(unwritable.value)


def test_the_largest_is_written_out() -> None:
    assert written_out(nested(MOST_LEVELS)) == nested(MOST_LEVELS)
