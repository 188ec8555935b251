"""Apps of tools: kept as files of the session, said where they can't be had, and pinned with their tools."""

import pytest
from mcp.server.mcpserver import MCPServer
from mcp_types import Tool

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_tools import AppPage
from agent_platform.entities.entity import EntityKey
from foldline_testing.agent_tools.world import AGENT, until
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.apps import with_apps
from foldline_testing.mcp_host.world import McpWorld
from mcp_host.definitions.app_pages import MEDIA_TYPE
from mcp_host.definitions.listing import told
from mcp_host.limits import FILE_BYTES


async def test_an_app_is_kept_as_a_file_once_however_often_the_tool_is_called(world: McpWorld) -> None:
    with addressed(with_apps()) as here:
        await world.add("apps", here.url)
        await world.accept("apps")
        first, again = [(await world.call("apps__weather", city="Oslo")).result for _ in range(2)]
    app = first["app"]
    assert (app["path"], app["media_type"]) == ("mcp/apps_weather/app.html", "text/html")
    assert again["app"] == app
    kept = await world.entities.current(EntityKey(AGENT, EntityKind.FILE, app["file_id"]))
    assert kept is not None
    assert b"nothing yet" in await world.blobs.get(kept.value["blob"])


async def test_an_app_that_cant_be_had_is_said_and_the_result_stands(world: McpWorld) -> None:
    with addressed(with_apps()) as here:
        await world.add("apps", here.url)
        await world.accept("apps")
        for tool in ("lost", "plain"):
            result = (await world.call(f"apps__{tool}")).result
            assert "app" not in result
            assert result["structured"] == {"result": "shown"}
            assert "its app can't be shown" in result["notes"][0], result


async def test_tools_for_apps_are_listed_for_people_and_not_offered_to_models(world: McpWorld) -> None:
    with addressed(with_apps()) as here:
        await world.add("apps", here.url)
        await world.accept("apps")
        refused = await world.call("apps__refresh")
    assert refused.error.kind == "unknown_tool", refused
    listed = await world.entities.current(EntityKey(AGENT, EntityKind.MCP_TOOLS, "apps"))
    assert listed is not None
    assert isinstance(listed.value, dict)
    by_name = {one["name"]: one for one in listed.value["tools"]}
    assert by_name["refresh"]["for_apps_only"] is True
    assert by_name["weather"]["app"] == "ui://apps/talks"


def test_another_app_another_page_or_another_visibility_is_another_definition() -> None:
    def of(meta: object, page: AppPage | None = None) -> str:
        tool = Tool.model_validate({"name": "t", "inputSchema": {"type": "object"}, "_meta": meta})
        found = told(tool, {} if page is None else {"ui://a/1": page})
        assert found is not None
        return found.hash

    uis = (None, {"resourceUri": "ui://a/1"}, {"resourceUri": "ui://a/2"})
    seen = ({"visibility": ["app"]}, {"visibility": ["model"]})
    assert len({of({"ui": ui}) for ui in (*uis, *seen)}) == 5
    assert of(None) == of({"ui": None}) == of({"other": 1}) == of({"ui": {"resourceUri": "https://a/1"}})
    first = {"ui": uis[1]}
    pages = (None, AppPage("0" * 64, 3), AppPage("1" * 64, 3))
    assert len({of(first, page) for page in pages}) == 3


class Changing:
    """A server whose app's page changes."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.server = MCPServer("changing", version="1")
        self.server.resource("ui://c/page", name="page", mime_type=MEDIA_TYPE)(lambda: self.html)
        self.server.tool(name="show", meta={"ui": {"resourceUri": "ui://c/page"}})(lambda: "shown")


@pytest.mark.parametrize("old", [False, True])
async def test_only_the_page_that_a_person_accepted_is_drawn(world: McpWorld, old: bool) -> None:
    changing = Changing("<p>one</p>")
    with addressed(changing.server, old=old) as here:
        await world.add("c", here.url)
        await world.accept("c")
        first = (await world.call("c__show")).result
        assert await content(world, first["app"]["file_id"]) == b"<p>one</p>"
        changing.html = "<p>two</p>"
        second = (await world.call("c__show")).result
        assert "app" not in second
        assert "another page now than the one that was accepted" in second["notes"][0]
        assert second["text"] == "shown"
        await until(lambda: is_put_aside(world), 30)
        await world.accept("c")
        third = (await world.call("c__show")).result
        assert await content(world, third["app"]["file_id"]) == b"<p>two</p>"
        assert await content(world, first["app"]["file_id"]) == b"<p>one</p>", "what was shown then stays"


async def test_a_page_that_is_too_large_to_be_looked_at_is_not_drawn_later_either(world: McpWorld) -> None:
    changing = Changing("x" * (FILE_BYTES + 1))
    with addressed(changing.server) as here:
        await world.add("c", here.url)
        await world.accept("c")
        changing.html = "<p>small</p>"
        result = (await world.call("c__show")).result
    assert "app" not in result
    assert result["text"] == "shown"


async def content(world: McpWorld, file_id: str) -> bytes:
    kept = await world.entities.current(EntityKey(AGENT, EntityKind.FILE, file_id))
    assert kept is not None
    assert isinstance(kept.value, dict)
    return await world.blobs.get(str(kept.value["blob"]))


async def is_put_aside(world: McpWorld) -> bool:
    """Whether models aren't offered the tool any more."""
    ended = await world.call("c__show")
    return getattr(ended, "error", None) is not None and ended.error.kind == "unknown_tool"
