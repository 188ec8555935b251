"""From a schema to the fields of a form: how each is drawn, what it takes, and what can't be asked."""

from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_domain.files.file import FileContent
from agent_tools.forms import fields_of
from agent_tools.free_paths import create_at_free_path
from foldline_testing.agent_tools.files import MemoryFiles


def field(given: dict[str, Any], *, required: bool = False) -> Any:
    schema = {"type": "object", "properties": {"a": given}, "required": ["a"] if required else []}
    [found] = fields_of(schema, "")
    return found


DRAWN: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"type": "string"}, "text", {"type": "string", "maxLength": 2_000}),
    ({"type": "string", "maxLength": 5}, "text", {"type": "string", "maxLength": 5}),
    ({"type": "string", "format": "textarea"}, "textarea", {"type": "string", "maxLength": 50_000}),
    ({"type": "string", "format": "date"}, "text", {"type": "string", "maxLength": 2_000, "format": "date"}),
    ({"type": "number", "minimum": 1, "maximum": True}, "number", {"type": "number", "minimum": 1}),
    ({"type": "integer", "maximum": 9}, "integer", {"type": "integer", "maximum": 9}),
    ({"type": "boolean"}, "checkbox", {"type": "boolean"}),
    ({"enum": ["x", 2]}, "select", {"enum": ["x", 2]}),
    ({"oneOf": [{"const": "x", "title": "X"}]}, "cards", {"enum": ["x"]}),
    (
        {"type": "array", "items": {"type": "integer"}, "minItems": 2},
        "lines",
        {"type": "array", "items": {"type": "integer"}, "maxItems": 500, "minItems": 2},
    ),
    (
        {"type": "array", "items": {"enum": ["x", "y"]}},
        "many",
        {"type": "array", "items": {"enum": ["x", "y"]}, "maxItems": 500, "uniqueItems": True},
    ),
]


@pytest.mark.parametrize(("given", "kind", "schema"), DRAWN)
def test_a_property_is_drawn_as_what_it_takes(
    given: dict[str, Any], kind: str, schema: dict[str, Any]
) -> None:
    found = field(given)
    assert (found.type, found.schema, found.required) == (kind, schema, False)


def test_what_is_required_takes_nothing_empty() -> None:
    assert field({"type": "string"}, required=True).schema["minLength"] == 1
    assert field({"type": "array", "items": {"type": "string"}}, required=True).schema["minItems"] == 1


def test_a_person_sees_the_label_the_words_the_options_and_the_default() -> None:
    options = [{"const": 1, "title": "One", "description": "Just one."}, {"const": 2}]
    found = field(
        {"oneOf": options, "title": "How many", "description": "Say it.", "default": 2}, required=True
    )
    assert found.shown == {
        "name": "a",
        "label": "How many",
        "help": "Say it.",
        "type": "cards",
        "options": [
            {"value": 1, "label": "One", "help": "Just one."},
            {"value": 2, "label": "2", "help": ""},
        ],
        "required": True,
        "default": 2,
    }
    assert field({"type": "string", "format": "email", "description": "Yours."}).shown["help"] == (
        "Yours. An e-mail address."
    )
    named = field({"enum": ["a", "b"], "enumNames": ["Ant", "Bee"]})
    assert [one["label"] for one in named.options] == ["Ant", "Bee"]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"type": "object"}, "/type"),
    ({}, "/type"),
    ({"type": "array"}, "/items"),
    ({"type": "array", "items": {"type": "boolean"}}, "/items"),
    ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, "/items"),
    ({"enum": []}, "/enum"),
    ({"enum": [1, 1]}, "/enum"),
    ({"enum": [None]}, "/enum/0"),
    ({"oneOf": [{"const": "x"}, {"title": "no value"}]}, "/oneOf/1"),
    ({"type": "integer", "maximum": 9, "default": 10}, "/default"),
]


@pytest.mark.parametrize(("given", "path"), WRONG)
def test_what_can_not_be_asked_is_refused_where_it_stands(given: dict[str, Any], path: str) -> None:
    with pytest.raises(Rejected) as refused:
        fields_of({"type": "object", "properties": {"a/b": given}}, "/step")
    assert refused.value.path == f"/step/properties/a~1b{path}"


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"type": "array"}, "/properties"),
        ({"properties": {}}, "/properties"),
        ({"properties": {"a": 5}}, "/properties/a"),
        ({"properties": {"": {"type": "string"}}}, "/properties/"),
        ({"properties": {"a": {"type": "string"}}, "required": ["b"]}, "/required"),
    ],
)
def test_a_schema_that_is_no_form_is_refused(schema: dict[str, Any], path: str) -> None:
    with pytest.raises(Rejected) as refused:
        fields_of(schema, "")
    assert refused.value.path == path


@pytest.mark.parametrize(
    ("path", "next_to_it"),
    [("a/b.tar.gz", "a/b.tar-2.gz"), ("a/b", "a/b-2"), ("a/.env", "a/.env-2"), ("b.csv", "b-2.csv")],
)
async def test_a_file_whose_path_is_taken_stands_beside_it(path: str, next_to_it: str) -> None:
    files = MemoryFiles()
    names = [(await create_at_free_path(files, path, FileContent(text))).path for text in (b"1", b"2")]
    assert names == [path, next_to_it]
