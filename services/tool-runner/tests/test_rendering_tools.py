"""`render_blocks` and `render_and_wait`: what is put before a person, and what is refused before that."""

from itertools import count
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.sessions.rendering import LARGEST_SHOWN
from agent_domain.files.file import FileContent, Workspace
from agent_domain.files.files import NewFile
from agent_platform.entities.entity import EntityWriter
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.tool_runner.world import Parentheses, World

_NUMBERS = count()
PIXEL = "data:image/png;base64,iVBORw0KGgo="
TABLE: dict[str, Any] = {
    "type": "table",
    "columns": [{"key": "city", "label": "City"}],
    "data": [{"city": "Oslo"}, {}],
}
CHART: dict[str, Any] = {
    "type": "chart",
    "chartType": "bar",
    "data": {"labels": ["a", 2], "datasets": [{"label": "x", "data": [1, None]}]},
}
FORM: dict[str, Any] = {
    "type": "form",
    "submitLabel": "Book",
    "fields": [
        {"name": "who", "label": "Who", "type": "text", "required": True, "default": "Ada"},
        {"name": "nights", "label": "Nights", "type": "number"},
        {"name": "room", "label": "Room", "type": "select", "options": ["single", "double"]},
        {"name": "agree", "label": "I agree", "type": "checkbox", "required": True},
        {"name": "notes", "label": "Notes", "type": "textarea"},
        {"name": "from", "label": "From", "type": "date", "default": "2026-02-28"},
    ],
}
ALL: list[dict[str, Any]] = [
    {"type": "markdown", "content": "# Hi"},
    TABLE,
    CHART,
    FORM,
    {"type": "code", "language": "python", "content": "print(1)"},
    {"type": "image", "url": PIXEL, "alt": "a dot"},
    {"type": "alert", "variant": "success", "content": "Done"},
    {"type": "json", "data": {"a": [1, None]}},
]


@pytest.fixture
def world() -> World:
    return World(check=Parentheses())


async def call(world: World, tool: str, arguments: dict[str, Any]) -> Any:
    """The event that ends or pauses a call of its own."""
    number = next(_NUMBERS)
    known = world.registry.get(tool)
    assert known is not None
    return await world.run(tool, arguments, call_id=f"c{number}", effect=known.spec.effect)


def field(**changes: Any) -> dict[str, Any]:
    return {**FORM, "fields": [{"name": "a", "label": "A", "type": "text", **changes}]}


def chart(kind: str, labels: list[Any], *values: list[Any]) -> dict[str, Any]:
    datasets = [{"label": str(n), "data": one} for n, one in enumerate(values)]
    return {"type": "chart", "chartType": kind, "data": {"labels": labels, "datasets": datasets}}


async def test_all_blocks_are_shown_as_they_were_given(world: World) -> None:
    event = await call(world, "render_blocks", {"blocks": ALL, "title": "Trip"})
    assert isinstance(event, ToolCallPending)
    assert (event.show["kind"], event.show["title"]) == ("render_blocks", "Trip")
    shown: Any = event.show["blocks"]
    assert [one["type"] for one in shown] == [one["type"] for one in ALL]
    for given, seen in zip(ALL, shown, strict=True):
        assert given == {key: seen[key] for key in given} or given["type"] == "form"


async def test_a_tables_rows_may_be_called_as_on_pages(world: World) -> None:
    table = {"rows" if name == "data" else name: value for name, value in TABLE.items()}
    event = await call(world, "render_blocks", {"blocks": [table]})
    assert isinstance(event, ToolCallPending)
    assert event.show["blocks"] == [TABLE]
    event = await call(world, "render_blocks", {"blocks": [table | TABLE]})
    assert (event.error.kind, event.error.path) == (ErrorKind.INVALID_ARGUMENTS, "/blocks/0/rows")


async def test_a_form_has_the_schema_of_its_answer(world: World) -> None:
    event = await call(world, "render_blocks", {"blocks": [FORM]})
    schema: Any = event.show["answer_schema"]
    assert schema["required"] == ["who", "agree"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["room"] == {"type": "string", "enum": ["single", "double"]}
    assert schema["properties"]["agree"] == {"type": "boolean", "const": True}
    assert schema["properties"]["from"]["format"] == "date"
    without = await call(world, "render_blocks", {"blocks": [TABLE]})
    assert "answer_schema" not in without.show


@pytest.mark.parametrize(
    ("block", "path"),
    [
        ({}, "/blocks/0"),
        ({"type": "map"}, "/blocks/0"),
        ({"type": "markdown"}, "/blocks/0/content"),
        ({"type": "markdown", "content": 1}, "/blocks/0/content"),
        ({"type": "markdown", "content": "x", "extra": 1}, "/blocks/0/extra"),
        ({**TABLE, "columns": []}, "/blocks/0/columns"),
        ({**TABLE, "columns": [{"key": "a"}]}, "/blocks/0/columns/0/label"),
        ({**TABLE, "columns": TABLE["columns"] * 2}, "/blocks/0/columns/1/key"),
        ({**TABLE, "data": [1]}, "/blocks/0/data/0"),
        ({**TABLE, "data": [{}] * 5_001}, "/blocks/0/data"),
        ({**CHART, "chartType": "radar"}, "/blocks/0/chartType"),
        ({**CHART, "data": {"labels": ["a"]}}, "/blocks/0/data/datasets"),
        (chart("line", [], []), "/blocks/0/data/labels"),
        (chart("line", ["a", "b"], [1]), "/blocks/0/data/datasets/0/data"),
        (chart("line", ["a"], ["1"]), "/blocks/0/data/datasets/0/data/0"),
        (chart("pie", ["a"], [1], [2]), "/blocks/0/data/datasets/1"),
        (chart("pie", ["a"], [-1]), "/blocks/0/data/datasets/0/data/0"),
        (chart("bar", ["a"] * 10_001, [1] * 10_001), "/blocks/0/data/datasets"),
        ({**FORM, "fields": []}, "/blocks/0/fields"),
        ({**FORM, "fields": FORM["fields"][:1] * 2}, "/blocks/0/fields/1/name"),
        (field(type="slider"), "/blocks/0/fields/0/type"),
        (field(name=""), "/blocks/0/fields/0/name"),
        (field(type="select"), "/blocks/0/fields/0/options"),
        (field(type="select", options=["a", "a"]), "/blocks/0/fields/0/options"),
        (field(options=["a"]), "/blocks/0/fields/0/options"),
        (field(default=1), "/blocks/0/fields/0/default"),
        (field(type="number", default="1"), "/blocks/0/fields/0/default"),
        (field(type="date", default="2026-02-30"), "/blocks/0/fields/0/default"),
        (field(type="select", options=["a"], default="b"), "/blocks/0/fields/0/default"),
        ({"type": "code", "content": "x"}, "/blocks/0/language"),
        ({"type": "image", "url": "http://example.com/a.png"}, "/blocks/0/url"),
        ({"type": "image", "url": "https://"}, "/blocks/0/url"),
        ({"type": "image", "url": "https://me:secret@example.com/a.png"}, "/blocks/0/url"),
        ({"type": "image", "url": "javascript:alert(1)"}, "/blocks/0/url"),
        ({"type": "image", "url": "data:text/html;base64,AAAA"}, "/blocks/0/url"),
        ({"type": "image", "url": "file:nowhere"}, "/blocks/0/url"),
        ({"type": "alert", "variant": "loud", "content": "x"}, "/blocks/0/variant"),
        ({"type": "json"}, "/blocks/0/data"),
        ({"type": "json", "data": "x" * LARGEST_SHOWN}, "/blocks"),
    ],
)
async def test_a_block_of_a_wrong_shape_is_refused_by_its_path(
    world: World, block: dict[str, Any], path: str
) -> None:
    event = await call(world, "render_blocks", {"blocks": [block]})
    assert (event.error.kind, event.error.path) == (ErrorKind.INVALID_ARGUMENTS, path), event.error


@pytest.mark.parametrize(
    ("blocks", "path"),
    [
        ([], "/blocks"),
        ([{"type": "json", "data": 1}] * 51, "/blocks"),
        ([FORM, FORM], "/blocks/1"),
        ([{**TABLE, "data": [{}] * 2_501}] * 2, "/blocks/1/data"),
        ([chart("line", ["a"] * 5_001, [1] * 5_001)] * 2, "/blocks/1/data/datasets"),
    ],
)
async def test_what_is_too_much_together_is_refused(world: World, blocks: list[Any], path: str) -> None:
    event = await call(world, "render_blocks", {"blocks": blocks})
    assert (event.error.kind, event.error.path) == (ErrorKind.INVALID_ARGUMENTS, path)


async def test_a_picture_that_is_a_file_is_pinned_to_its_version(world: World) -> None:
    async def made(path: str, data: bytes) -> str:
        new = NewFile(path, FileContent(data))
        file = await world.files.create(Workspace(AGENT, SESSION), new, EntityWriter.user(f"u-{path}"))
        return file.file_id

    dot = await made("dot.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    event = await call(world, "render_blocks", {"blocks": [{"type": "image", "url": f"file:{dot}"}]})
    shown: Any = event.show["blocks"]
    assert (shown[0]["file_id"], shown[0]["version"]) == (dot, 1)
    other = f"file:{await made('a.txt', b'x')}"
    refused = await call(world, "render_blocks", {"blocks": [{"type": "image", "url": other}]})
    assert refused.error.path == "/blocks/0/url"


COMPONENT = {"name": "Tally", "description": "Counts.", "code": "export default () => null;"}
PROPS = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


async def test_a_stored_component_is_pinned_to_its_version_at_the_call(world: World) -> None:
    await call(world, "create_ui_component", {**COMPONENT, "props_schema": PROPS})
    first = await call(world, "render_and_wait", {"component": "Tally", "props": {"n": 3}, "title": "T"})
    assert isinstance(first, ToolCallPending)
    at: Any = first.show.pop("at")
    assert first.show == {
        "kind": "render_and_wait",
        "title": "T",
        "component": "Tally",
        "version": 1,
        "props": {"n": 3},
    }
    await call(world, "update_ui_component", {"name": "Tally", "code": "export default () => 2;"})
    second = await call(world, "render_and_wait", {"component": "Tally", "props": {"n": 3}})
    assert second.show["version"] == 2
    assert at > 0
    later: Any = second.show["at"]
    assert later > at


async def test_inline_code_is_shown_as_it_is(world: World) -> None:
    event = await call(world, "render_and_wait", {"code": "export default () => null;"})
    assert event.show["code"] == "export default () => null;"
    assert event.show["props"] == {}


@pytest.mark.parametrize(
    ("arguments", "kind", "path"),
    [
        ({}, ErrorKind.INVALID_ARGUMENTS, "/component"),
        ({"component": "Tally", "code": "x"}, ErrorKind.INVALID_ARGUMENTS, "/component"),
        ({"component": "Nobody"}, ErrorKind.NOT_FOUND, "/component"),
        ({"component": "Tally"}, ErrorKind.INVALID_ARGUMENTS, "/props"),
        ({"component": "Tally", "props": {"n": "3"}}, ErrorKind.INVALID_ARGUMENTS, "/props/n"),
        ({"component": "Tally", "props": []}, ErrorKind.INVALID_ARGUMENTS, "/props"),
        ({"code": "export default ("}, ErrorKind.INVALID_ARGUMENTS, "/code"),
        (
            {"component": "Tally", "props": {"n": 1, "more": "x" * LARGEST_SHOWN}},
            ErrorKind.INVALID_ARGUMENTS,
            "/props",
        ),
    ],
)
async def test_what_cant_be_rendered_is_refused_before_it_pauses(
    world: World, arguments: dict[str, Any], kind: ErrorKind, path: str
) -> None:
    await call(world, "create_ui_component", {**COMPONENT, "props_schema": PROPS})
    event = await call(world, "render_and_wait", arguments)
    assert (event.error.kind, event.error.path) == (kind, path), event.error


async def test_the_place_of_a_flaw_in_inline_code_is_told(world: World) -> None:
    event = await call(world, "render_and_wait", {"code": "export default (\n  1"})
    assert event.error.details["line"] == 2
    assert "line 2" in event.error.message
