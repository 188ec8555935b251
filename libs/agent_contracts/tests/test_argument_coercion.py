"""Arguments take the type that their schema asks for, where it leaves no doubt, and no other."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.argument_coercion import MOST_CHARACTERS, changed, coerced, same

TEXT, WHOLE, YES_NO, NUMBER = ({"type": one} for one in ("string", "integer", "boolean", "number"))
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
POINT: dict[str, Any] = {"type": "object", "properties": {"x": WHOLE, "y": WHOLE}, "required": ["x"]}


def taken(schema: dict[str, Any], value: Any, *, required: bool = True) -> Any:
    """What is taken for the one argument of a tool, "left out" where it is."""
    form = {"type": "object", "properties": {"a": schema}, "required": ["a"] if required else []}
    return coerced(form, {"a": value}).get("a", "left out")


@pytest.mark.parametrize(
    ("schema", "sent", "means"),
    [
        (WHOLE, "5", 5),
        (WHOLE, " -12 ", -12),
        (WHOLE, "5.0", 5),
        (NUMBER, "5", 5),
        (NUMBER, "2.5", 2.5),
        (YES_NO, "true", True),
        (YES_NO, "False", False),
        (TEXT, 7, "7"),
        (TEXTS, '["a"]', ["a"]),
        (TEXTS, "[]", []),
        (TEXTS, "a", ["a"]),
        (TEXTS, [1, "b"], ["1", "b"]),
        ({"type": "array", "items": WHOLE}, '["1", 2]', [1, 2]),
        ({"type": "array", "items": WHOLE}, "3", [3]),
        ({"type": "array", "items": POINT}, '{"x": "1"}', [{"x": 1}]),
        (POINT, '{"x": "1", "y": null}', {"x": 1}),
        (POINT, {"x": "1"}, {"x": 1}),
        ({"type": "object", "additionalProperties": WHOLE}, {"k": "3"}, {"k": 3}),
        ({"type": ["integer", "null"]}, "5", 5),
        ({"anyOf": [WHOLE, {"type": "null"}]}, "5", 5),
        ({"anyOf": [WHOLE, {"type": "null"}]}, "null", None),
        ({"anyOf": [WHOLE, NUMBER]}, "5", 5),
        ({"oneOf": [POINT, YES_NO]}, '{"x": 1}', {"x": 1}),
        ({"enum": [1, 2]}, "2", 2),
        ({"const": True}, "true", True),
        ({"allOf": [WHOLE]}, "5", 5),
        ({"type": "string", "enum": ["1", "2"]}, 1, "1"),
    ],
)
def test_what_can_only_be_meant_one_way_is_taken_so(schema: dict[str, Any], sent: Any, means: Any) -> None:
    found = taken(schema, sent)
    assert same(found, means), f"{found!r}"


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        (TEXT, "5"),
        (TEXT, '["a"]'),
        (TEXT, "null"),
        (TEXT, 1.10),
        (TEXT, True),
        (TEXT, {"a": 1}),
        (WHOLE, "5.5"),
        (WHOLE, "five"),
        (WHOLE, "5,000"),
        (WHOLE, "05"),
        (WHOLE, ""),
        (WHOLE, "NaN"),
        (WHOLE, "9" * 30),
        (WHOLE, True),
        (WHOLE, ["5"]),
        (YES_NO, "yes"),
        (YES_NO, "1"),
        (YES_NO, 1),
        (TEXTS, "a, b"),
        (TEXTS, "a\nb"),
        (TEXTS, ""),
        (TEXTS, '["a"'),
        (TEXTS, '{"a": 1}'),
        ({"type": "array"}, "a"),
        ({"type": "array", "items": {}}, "a"),
        (POINT, "[1]"),
        (POINT, "x"),
        ({}, "5"),
        ({"description": "any JSON"}, '{"a": 1}'),
        ({"type": ["integer", "string"]}, "5"),
        ({"anyOf": [TEXT, WHOLE]}, "5"),
        ({"anyOf": [WHOLE, {"type": "array", "items": WHOLE}]}, "5"),
        ({"anyOf": [WHOLE, YES_NO]}, "maybe"),
        ({"enum": [1, "1"]}, "1"),
    ],
)
def test_where_there_is_any_doubt_it_stays_as_it_was_sent(schema: dict[str, Any], sent: Any) -> None:
    assert same(taken(schema, sent), sent)


def test_null_for_what_may_be_left_out_means_that_it_is() -> None:
    assert taken(WHOLE, None, required=False) == "left out"
    assert taken(WHOLE, "null", required=False) == "left out"
    assert taken(TEXT, None, required=False) == "left out"
    assert taken(TEXT, "null", required=False) == "null", "the schema allows it as it is"
    assert taken(WHOLE, None) is None, "it is required: the tool says so"
    assert taken({"type": ["integer", "null"]}, None, required=False) is None, "null is a value of it"
    assert taken({}, None, required=False) is None
    assert coerced({"type": "object"}, {"b": None}) == {"b": None}, "the schema says nothing of it"


def test_both_forms_can_be_told_apart() -> None:
    sent: dict[str, Any] = {"n": "5", "who": None, "text": "5", "on": True}
    form = {"type": "object", "properties": {"n": WHOLE, "who": TEXT, "text": TEXT, "on": WHOLE}}
    found = coerced(form, sent)
    assert found == {"n": 5, "text": "5", "on": True}
    assert changed(sent, found) == {"n": "5", "who": None}
    assert coerced(form, found) is found, "what fits is the very same"


def test_a_text_too_long_to_be_recorded_twice_is_left_alone() -> None:
    long = f'["{"x" * MOST_CHARACTERS}"]'
    assert taken(TEXTS, long) == long


def test_a_schema_that_branches_without_end_changes_nothing() -> None:
    schema: dict[str, Any] = WHOLE
    for _ in range(20):
        schema = {"anyOf": [{"type": "array", "items": schema}, schema, {**schema, "title": "t"}]}
    assert taken(schema, "x") == "x"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "y", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYWORDS = st.sampled_from(["type", "properties", "items", "anyOf", "enum", "const", "required", "allOf"])
ODD_SCHEMAS = st.dictionaries(KEYWORDS, JSON | st.sampled_from(["string", "integer", "array", "object"]))


@given(ODD_SCHEMAS, JSON)
def test_whatever_a_foreign_server_calls_a_schema_does_no_harm(schema: dict[str, Any], value: Any) -> None:
    once = coerced(schema, {"x": value})
    assert same(coerced(schema, once), once), "what was coerced stays so"
