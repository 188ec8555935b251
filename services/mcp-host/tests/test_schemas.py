"""Schemas of foreign tools: written out, stripped of what providers refuse, bounded, or refused in words."""

from typing import Any

import pytest
from mcp_types import Tool

from mcp_host.definitions.listing import kept, told
from mcp_host.definitions.paging import McpListing
from mcp_host.definitions.schemas import Flaw, usable


def test_what_a_schema_refers_to_is_put_in_its_place() -> None:
    point = {"type": "object", "properties": {"x": {"$ref": "#/$defs/N"}}}
    schema = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/Point", "description": "Where."}},
        "$defs": {"Point": point, "N": {"type": "number"}},
    }
    assert usable(schema) == {
        "type": "object",
        "properties": {
            "at": {"type": "object", "properties": {"x": {"type": "number"}}, "description": "Where."}
        },
    }


def test_what_providers_refuse_is_left_out_since_the_server_checks_itself() -> None:
    schema = {
        "type": "object",
        "x-order": 1,
        "oneOf": [{"required": ["a"]}],
        "properties": {"a": {"type": "array"}, "b": True, "c": {"type": "string", "nullable": True}},
        "required": ["a", "gone"],
        "patternProperties": {"^x": {}},
    }
    assert usable(schema) == {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {}}, "b": {}, "c": {"type": "string"}},
        "required": ["a"],
    }


def deep(levels: int) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": deep(levels - 1)} if levels else {}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string"}, "not said to be an object"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.org/s"}}}, "outside itself"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}, "isn't there"),
        ({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}, "refers to itself"),
        (deep(60), "too large"),
        ({"type": "object", "properties": {"a": {"enum": ["x" * 70_000]}}}, "70,0"),
        ({"type": "object", "properties": {"a": {"type": "nonsense"}}}, "can't be used"),
    ],
)
def test_a_schema_that_can_not_be_used_says_why(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(Flaw, match=why):
        usable(schema)


def test_references_that_multiply_are_stopped() -> None:
    definitions: dict[str, Any] = {"d0": {"type": "string"}}
    for number in range(1, 12):
        below = {"$ref": f"#/$defs/d{number - 1}"}
        definitions[f"d{number}"] = {"type": "object", "properties": dict.fromkeys("abcdefgh", below)}
    with pytest.raises(Flaw, match="too large"):
        usable({"type": "object", "properties": {"a": {"$ref": "#/$defs/d11"}}, "$defs": definitions})


def listed(name: str, **more: Any) -> Tool:
    return Tool(name=name, input_schema={"type": "object"}, **more)


def test_any_part_of_a_definition_changes_its_hash() -> None:
    plain = told(listed("a", description="d"), {})
    assert plain is not None
    others = [
        listed("b", description="d"),
        listed("a", description="d\u200b"),
        listed("a", description="d", title="t"),
        listed("a", description="d", output_schema={"type": "object"}),
        listed("a", description="d", annotations={"readOnlyHint": True}),
        Tool(name="a", description="d", input_schema={"type": "object", "x-hidden": 1}),
    ]
    hashes = {one.hash for one in (told(other, {}) for other in others) if one is not None}
    assert len(hashes) == len(others)
    assert plain.hash not in hashes
    assert told(listed("a", description="d"), {}) == plain


def test_a_list_is_bounded_and_says_what_it_left_out() -> None:
    many = kept(McpListing([listed(f"t{number}") for number in range(600)]), "s", {})
    assert (len(many.tools), many.left_out) == (512, 88)
    large = kept(McpListing([listed(f"t{n}", description="x" * 4_000) for n in range(400)]), "s", {})
    assert 100 < len(large.tools) < 400
    assert len(large.tools) + large.left_out == 400
    twice = kept(McpListing([listed("a"), listed("a", description="another"), listed("a")]), "s", {})
    assert [(one.name, bool(one.flaw)) for one in twice.tools] == [("a", False), ("a (entry 2)", True)]
