"""`request_user_input`: what is drawn, what an answer must fit, and what can't be asked."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from foldline_testing.agent_tools.called import Called

STORE = {
    "type": "string",
    "oneOf": [
        {"const": "pg", "title": "Postgres", "description": "Durable, multi-writer"},
        {"const": "sqlite", "title": "SQLite"},
    ],
}
FIRST = {
    "schema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "How people call it"},
            "about": {"type": "string", "format": "textarea"},
            "size": {"type": "integer", "minimum": 1, "default": 3},
            "open": {"type": "boolean", "default": True},
        },
        "required": ["name", "size"],
    },
    "title": "What",
    "description": "In words",
}
SECOND = {
    "schema": {
        "properties": {
            "store": STORE,
            "level": {"enum": ["low", "high"], "default": "low"},
            "also": {"type": "array", "items": {"oneOf": STORE["oneOf"]}},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        },
        "required": ["also"],
    }
}


async def test_every_kind_of_field_is_drawn_and_has_the_schema_of_its_value(called: Called) -> None:
    show = await called.shown(
        "request_user_input", title="New", description="A project", steps=[FIRST, SECOND]
    )
    assert (show["kind"], show["title"], show["description"]) == ("user_input", "New", "A project")
    first, second = show["steps"]
    assert (first["title"], first["description"], second["title"]) == ("What", "In words", None)
    assert [(one["name"], one["type"], one["required"], one["default"]) for one in first["fields"]] == [
        ("name", "text", True, None),
        ("about", "textarea", False, None),
        ("size", "integer", True, 3),
        ("open", "checkbox", False, True),
    ]
    assert (first["fields"][0]["label"], first["fields"][0]["help"]) == ("Name", "How people call it")
    assert [(one["name"], one["type"]) for one in second["fields"]] == [
        ("store", "cards"),
        ("level", "select"),
        ("also", "many"),
        ("tags", "lines"),
    ]
    assert second["fields"][0]["options"] == [
        {"value": "pg", "label": "Postgres", "help": "Durable, multi-writer"},
        {"value": "sqlite", "label": "SQLite", "help": ""},
    ]
    assert show["answer_schema"] == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 2000, "minLength": 1},
            "about": {"type": "string", "maxLength": 50000},
            "size": {"type": "integer", "minimum": 1, "default": 3},
            "open": {"type": "boolean", "default": True},
            "store": {"enum": ["pg", "sqlite"]},
            "level": {"enum": ["low", "high"], "default": "low"},
            "also": {
                "type": "array",
                "items": {"enum": ["pg", "sqlite"]},
                "maxItems": 500,
                "minItems": 1,
                "uniqueItems": True,
            },
            "tags": {
                "type": "array",
                "items": {"type": "string", "maxLength": 2000, "minLength": 1},
                "maxItems": 3,
            },
        },
        "required": ["name", "size", "also"],
        "additionalProperties": False,
    }


async def test_without_steps_the_seed_s_words_say_what_to_pass(called: Called) -> None:
    kind, message, path = await called.error("request_user_input", title="New", steps=[])
    assert (kind, path) == (ErrorKind.INVALID_ARGUMENTS, "/steps")
    assert message.startswith("Error: request_user_input needs at least one form step. Pass steps=")


def asking(**property: Any) -> dict[str, Any]:
    """A step that asks for `x`."""
    return {"schema": {"type": "object", "properties": {"x": property}}}


@pytest.mark.parametrize(
    ("steps", "path"),
    [
        ([{"title": "x"}], "/steps/0/schema"),
        ([{"schema": []}], "/steps/0/schema"),
        ([{**asking(type="string"), "icon": "x"}], "/steps/0/icon"),
        ([{"schema": {}}], "/steps/0/schema/properties"),
        ([{"schema": {"type": "array", "properties": {}}}], "/steps/0/schema/properties"),
        ([{"schema": {"properties": {"x": True}}}], "/steps/0/schema/properties/x"),
        ([{"schema": {"properties": {"": {"type": "string"}}}}], "/steps/0/schema/properties/"),
        (
            [{"schema": {"properties": {"x": {"type": "string"}}, "required": ["y"]}}],
            "/steps/0/schema/required",
        ),
        ([asking(type="object")], "/steps/0/schema/properties/x/type"),
        ([asking()], "/steps/0/schema/properties/x/type"),
        ([asking(type="array")], "/steps/0/schema/properties/x/items"),
        ([asking(type="array", items={"type": "boolean"})], "/steps/0/schema/properties/x/items"),
        (
            [asking(type="array", items={"type": "array", "items": {"type": "string"}})],
            "/steps/0/schema/properties/x/items",
        ),
        ([asking(enum=[])], "/steps/0/schema/properties/x/enum"),
        ([asking(enum=["a", "a"])], "/steps/0/schema/properties/x/enum"),
        ([asking(enum=[None])], "/steps/0/schema/properties/x/enum/0"),
        ([asking(oneOf=[{"title": "a"}])], "/steps/0/schema/properties/x/oneOf/0"),
        ([asking(type="integer", default="3")], "/steps/0/schema/properties/x/default"),
        ([asking(enum=["a"], default="b")], "/steps/0/schema/properties/x/default"),
        ([asking(type="string"), asking(type="string")], "/steps/1/schema"),
        ([asking(type="string")] * 21, "/steps"),
    ],
)
async def test_what_can_not_be_asked_is_named(called: Called, steps: list[Any], path: str) -> None:
    kind, message, where = await called.error("request_user_input", title="New", steps=steps)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)
    assert message


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"steps": [FIRST]}, "/title"),
        ({"title": "x"}, "/steps"),
        ({"title": "x", "steps": [FIRST], "submit": "Go"}, "/submit"),
        ({"title": "x", "steps": FIRST}, "/steps"),
    ],
)
async def test_what_is_missing_too_much_or_wrong_is_named(
    called: Called, arguments: dict[str, Any], path: str
) -> None:
    kind, _, where = await called.error("request_user_input", **arguments)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)
