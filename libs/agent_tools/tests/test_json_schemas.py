"""Schemas from untrusted hands: whatever they ask for, the answer comes soon."""

from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_tools.json_schemas import JsonSchema

LAUGHS: dict[str, Any] = {
    "$defs": {
        "l0": {"type": "integer"},
        **{
            f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n - 1}"}, {"$ref": f"#/$defs/l{n - 1}"}]}
            for n in range(1, 60)
        },
    },
    "$ref": "#/$defs/l59",
}


@pytest.mark.faults
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (LAUGHS, 1),
        ({"not": LAUGHS["$defs"]["l59"], "$defs": LAUGHS["$defs"]}, 1),
        ({"pattern": "^(a|aa)+$"}, "a" * 64 + "!"),
        ({"patternProperties": {"^(a|aa)+$": {}}}, {"a" * 64 + "!": 1}),
        ({"items": {"anyOf": [{"const": n} for n in range(300)]}}, [-1] * 50_000),
        ({"properties": {"a": {"$ref": "#"}}, "allOf": [{"$ref": "#"}]}, {"a": 1}),
    ],
)
def test_a_schema_that_would_take_for_ever_is_given_up(schema: dict[str, Any], value: Any) -> None:
    made = JsonSchema.of(schema, "/schema")
    said = made.problem(value)
    assert said is not None
    assert "takes too long" in said or "too deep" in said
    assert made.problems(value, 5)


@pytest.mark.parametrize(
    ("value", "unique"),
    [
        ([1, 2, 3], True),
        ([1, 1.0], False),
        ([1, True], True),
        ([0, False], True),
        ([[1], [True]], True),
        ([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], False),
        ([{"a": [1]}, {"a": [[1]]}], True),
        (["1", 1], True),
        ([None, None], False),
        ([[], {}], True),
    ],
)
def test_items_are_unique_as_json_schema_compares(value: list[Any], unique: bool) -> None:
    assert (JsonSchema.of({"uniqueItems": True}, "").problem(value) is None) is unique
    assert JsonSchema.of({"uniqueItems": False}, "").problem(value) is None


def test_many_objects_are_compared_in_no_time() -> None:
    many = [{"n": n, "deep": [{"n": n}]} for n in range(5000)]
    assert JsonSchema.of({"uniqueItems": True}, "").problem(many) is None
    assert "not unique" in str(JsonSchema.of({"uniqueItems": True}, "").problem([*many, many[0]]))


def test_nothing_outside_of_it_is_referred_to() -> None:
    for reference in ("http://example.org/schema", "file:///etc/passwd", "#/nowhere"):
        assert "can't be used" in str(JsonSchema.of({"$ref": reference}, "").problem(1))


def test_what_is_no_schema_is_refused() -> None:
    with pytest.raises(Rejected, match="not a JSON Schema"):
        JsonSchema.of({"type": "nonsense"}, "/schema")
