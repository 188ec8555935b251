"""Servers that list something malformed among the rest, and lists that don't end as they should."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.raw import Raw
from foldline_testing.mcp_host.world import McpWorld
from mcp_host import limits

OBJECT: dict[str, Any] = {"type": "object"}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"The tool {name}.", "inputSchema": OBJECT, **more}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


NO_SCHEMA = {"name": "bad", "description": "It says nothing of its arguments."}
BAD_TOOLS: dict[str, Any] = {
    "no schema": NO_SCHEMA,
    "null schema": tool("bad", inputSchema=None),
    "schema that is text": tool("bad", inputSchema="object"),
    "schema that is a list": tool("bad", inputSchema=[]),
    "schema that is true": tool("bad", inputSchema=True),
    "empty schema": tool("bad", inputSchema={}),
    "schema of alternatives": tool("bad", inputSchema={"anyOf": [OBJECT, {"type": "string"}]}),
    "schema of text": tool("bad", inputSchema={"type": "string"}),
    "type that is a list": tool("bad", inputSchema={"type": ["object", "null"]}),
    "type of no kind": tool("bad", inputSchema={"type": "object", "properties": {"a": {"type": "thing"}}}),
    "properties that are a list": tool("bad", inputSchema={**OBJECT, "properties": ["a"]}),
    "property that is text": tool("bad", inputSchema={**OBJECT, "properties": {"a": "string"}}),
    "property that is null": tool("bad", inputSchema={**OBJECT, "properties": {"a": None}}),
    "required that is text": tool("bad", inputSchema={**OBJECT, "required": "a"}),
    "reference to nothing": tool("bad", inputSchema={**OBJECT, "properties": {"a": {"$ref": "#/$defs/x"}}}),
    "reference that is a number": tool("bad", inputSchema={**OBJECT, "properties": {"a": {"$ref": 5}}}),
    "pattern that is none": tool("bad", inputSchema={**OBJECT, "properties": {"a": {"pattern": "("}}}),
    "schema nested deep": tool("bad", inputSchema=deep(60)),
    "a huge schema": tool("bad", inputSchema={**OBJECT, "description": "x" * 80_000}),
    "description that is a number": tool("bad", description=5),
    "description that is a list": tool("bad", description=["a"]),
    "title that is a number": tool("bad", title=5),
    "annotations that are text": tool("bad", annotations="safe"),
    "a hint that is text": tool("bad", annotations={"readOnlyHint": "perhaps"}),
    "output schema that is text": tool("bad", outputSchema="text"),
    "icons that are text": tool("bad", icons="none"),
    "meta that is a number": tool("bad", _meta=5),
    "no name": {"description": "Nobody knows its name.", "inputSchema": OBJECT},
    "empty name": tool(""),
    "null name": {**NO_SCHEMA, "name": None},
    "name that is a number": {"name": 5, "inputSchema": OBJECT},
    "name too long": tool("b" * 300),
    "entry that is text": "bad",
    "entry that is null": None,
    "entry that is a number": 7,
    "entry that is true": True,
    "entry that is a list": [tool("inner")],
    "entry that is empty": {},
    "another of a name": tool("first", description="Another."),
}


@pytest.mark.parametrize("old", [False, True], ids=["newer", "older"])
async def test_a_malformed_tool_takes_no_other_with_it_and_is_named(world: McpWorld, old: bool) -> None:
    good = [tool("first"), tool("last")]
    raw = Raw({"tools/list": {"tools": good}, "tools/call": {"content": []}}, old=old)
    with addressed(raw, old=old) as here:
        await world.add("s", here.url)
        await world.accept("s")
        for what, bad in BAD_TOOLS.items():
            raw.results["tools/list"] = {"tools": [good[0], bad, good[1]]}
            state = await world.test("s")
            tools = {one.name: one for one in (await world.listed("s")).tools}
            assert state.state == "connected", (what, state)
            flawed = [one for one in tools.values() if one.flaw]
            assert [one for one in tools if not tools[one].flaw] == ["first", "last"], what
            assert len(flawed) == 1, (what, tools)
            assert "bad" in flawed[0].name or "entry 2" in flawed[0].name or "bbb" in flawed[0].name, what
            assert state.flaws == (f"{flawed[0].name}: {flawed[0].flaw}",), what
            assert hasattr(await world.call("s__first"), "result"), what
            assert hasattr(await world.call("s__last"), "result"), what


async def test_all_of_them_at_once_leave_the_good_ones_of_the_next_version(world: McpWorld) -> None:
    raw = Raw({"tools/list": {"tools": [tool("first"), tool("b")]}, "tools/call": {"content": []}})
    with addressed(raw) as here:
        await world.add("s", here.url)
        await world.accept("s")
        raw.results["tools/list"] = {"tools": [tool("first"), *BAD_TOOLS.values(), NO_SCHEMA | {"name": "b"}]}
        await world.test("s")
        found = (await world.listed("s")).tools
        assert [one.name for one in found if not one.flaw] == ["first"]
        assert len(found) == len(BAD_TOOLS) + 2, "each is named"
        assert hasattr(await world.call("s__first"), "result")
        assert (await world.call("s__b")).error.kind == ErrorKind.UNKNOWN_TOOL
        raw.results["tools/list"] = {"tools": [tool("first"), tool("b")]}
        await world.test("s")
        assert hasattr(await world.call("s__b"), "result"), "it is again as it was accepted"


BAD_AROUND: dict[str, Any] = {
    "meta": {"_meta": 5},
    "cursor": {"nextCursor": 7},
    "time": {"ttlMs": "long", "cacheScope": 3},
    "type": {"resultType": 3},
}


@pytest.mark.parametrize("around", BAD_AROUND.values(), ids=BAD_AROUND)
@pytest.mark.parametrize("old", [False, True], ids=["newer", "older"])
async def test_what_is_malformed_around_a_list_takes_no_tool(
    world: McpWorld, around: dict[str, Any], old: bool
) -> None:
    with addressed(Raw({"tools/list": {"tools": [tool("a")], **around}}, old=old), old=old) as here:
        await world.add("s", here.url)
        assert (await world.test("s")).state == "changed"
        assert [one.name for one in (await world.listed("s")).tools] == ["a"]


async def test_a_list_that_is_none_says_so(world: McpWorld) -> None:
    with addressed(Raw({"tools/list": {"tools": "many"}})) as here:
        await world.add("s", here.url)
        state = await world.test("s")
        assert "is not a list" in (await world.listed("s")).incomplete, state


@pytest.mark.parametrize("old", [False, True], ids=["newer", "older"])
async def test_malformed_prompts_and_resources_are_named_beside_the_good_ones(
    world: McpWorld, old: bool
) -> None:
    prompt = {"name": "good", "arguments": [{"name": "a"}]}
    prompts = [{"description": "x"}, "text", {"name": "odd", "arguments": "a"}, None, prompt]
    resource = {"uri": "book://a", "name": "A"}
    resources = [{"uri": "book://b"}, 5, {"uri": 5, "name": "c"}, {**resource, "size": "long"}, resource]
    template = {"uriTemplate": "book://{n}", "name": "N"}
    results = {
        "tools/list": {"tools": []},
        "prompts/list": {"prompts": prompts},
        "resources/list": {"resources": resources},
        "resources/templates/list": {"resourceTemplates": [{"name": "x"}, template]},
    }
    with addressed(Raw(results, old=old), old=old) as here:
        await world.add("s", here.url)
        found = (await world.call("list_mcp_prompts", server="s")).result
        assert [one["name"] for one in found["prompts"]] == ["good"]
        assert [one["name"] for one in found["unusable"]] == ["entry 1", "entry 2", "odd", "entry 4"]
        assert all(one["flaw"] for one in found["unusable"])
        refused = await world.call("get_mcp_prompt", server="s", name="odd")
        assert "can't be used" in refused.error.message
        found = (await world.call("list_mcp_resources", server="s")).result
        assert [one["uri"] for one in found["resources"]] == ["book://a"]
        assert [one["uri"] for one in found["templates"]] == ["book://{n}"]
        named = [one["name"] for one in found["unusable"]]
        assert named == ["book://b", "entry 2", "c", "A", "x"]


def paged(cursors: dict[str | None, str | None]) -> dict[str, Any]:
    """A list whose pages have one tool each, named for its place."""
    order = list(cursors)

    def page(cursor: str | None) -> dict[str, Any]:
        following = cursors[cursor]
        named = f"t{order.index(cursor)}"
        return {"tools": [tool(named)], **({} if following is None else {"nextCursor": following})}

    return {"tools/list": page}


async def test_an_empty_cursor_is_one_since_2026_07_28_and_the_end_before(world: McpWorld) -> None:
    cursors: dict[str | None, str | None] = {None: "", "": "x", "x": None}
    with addressed(Raw(paged(cursors))) as new, addressed(Raw(paged(cursors), old=True), old=True) as old:
        await world.add("new", new.url)
        await world.add("old", old.url)
        await world.test("new")
        await world.test("old")
    newer, older = await world.listed("new"), await world.listed("old")
    assert ([one.name for one in newer.tools], newer.incomplete) == (["t0", "t1", "t2"], "")
    assert ([one.name for one in older.tools], older.incomplete) == (["t0"], "")


@pytest.mark.parametrize("cursor", ["", "x"])
async def test_a_cursor_that_comes_again_ends_the_list_and_is_said(world: McpWorld, cursor: str) -> None:
    with addressed(Raw(paged({None: cursor, cursor: cursor}))) as here:
        await world.add("s", here.url)
        state = await world.test("s")
        assert here.methods.count("tools/list") == 4, "two when it is connected with, two by the test"
    found = await world.listed("s")
    assert [one.name for one in found.tools] == ["t0", "t1"]
    assert "named a page again" in found.incomplete
    assert any(found.incomplete in flaw for flaw in state.flaws)


async def test_cursors_without_end_are_read_up_to_a_bound_that_is_said(
    world: McpWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PAGES", 5)

    def page(cursor: str | None) -> dict[str, Any]:
        number = int(cursor or 0)
        return {"tools": [tool(f"t{number}")], "nextCursor": str(number + 1)}

    with addressed(Raw({"tools/list": page})) as here:
        await world.add("s", here.url)
        state = await world.test("s")
    found = await world.listed("s")
    assert len(found.tools) == 5
    assert "more than 5 pages" in found.incomplete
    assert state.state == "changed"


async def test_slow_pages_give_what_came_and_the_rest_later(
    world: McpWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LIST_S", 0.6)
    cursors: dict[str | None, str | None] = {None: "1"}
    cursors.update({str(n): str(n + 1) for n in range(1, 8)})
    raw = Raw(paged({**cursors, "8": None}), slow_s=0.2)
    with addressed(raw) as here:
        await world.add("s", here.url)
        await world.connected("s")
        found = await world.listed("s")
        assert found.tools
        assert "came within 0.6 seconds" in found.incomplete
        assert (await world.told("s")).state == "changed"
        raw.slow_s = 0.0
        await world.until_listed("s", 9)
        assert (await world.listed("s")).incomplete == ""


async def test_a_server_that_lists_nothing_in_time_is_said_to_have_connected(
    world: McpWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LIST_S", 0.2)
    with addressed(Raw(paged({None: None}), slow_s=5)) as here:
        await world.add("s", here.url)
        state = await world.test("s")
    assert state.state == "error"
    assert "did not list anything within 0.2 seconds" in state.error
    assert "introduce" not in state.error


async def test_a_page_that_fails_leaves_those_before_it(world: McpWorld) -> None:
    def page(cursor: str | None) -> dict[str, Any]:
        return {"tools": [tool("a")], "nextCursor": "x"} if cursor is None else {"tools": 5, "nextCursor": []}

    with addressed(Raw({"tools/list": page})) as here:
        await world.add("s", here.url)
        await world.test("s")
    found = await world.listed("s")
    assert [one.name for one in found.tools] == ["a"]
    assert "page 2 of it: what it sent as tools is not a list" in found.incomplete
