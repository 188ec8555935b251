"""Apps of tools: kept as files of the session, said where they can't be had, and pinned with their tools."""

from mcp_types import Tool

from agent_contracts.entities.entity import EntityKind
from agent_platform.entities.entity import EntityKey
from agent_tools.testing.world import AGENT
from mcp_host.definitions.listing import told
from mcp_host.testing.addressed import addressed
from mcp_host.testing.servers.apps import with_apps
from mcp_host.testing.world import McpWorld


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


def test_another_app_or_another_visibility_is_another_definition() -> None:
    def of(meta: object) -> str:
        tool = Tool.model_validate({"name": "t", "inputSchema": {"type": "object"}, "_meta": meta})
        found = told(tool)
        assert found is not None
        return found.hash

    uis = (None, {"resourceUri": "ui://a/1"}, {"resourceUri": "ui://a/2"})
    seen = ({"visibility": ["app"]}, {"visibility": ["model"]})
    assert len({of({"ui": ui}) for ui in (*uis, *seen)}) == 5
    assert of(None) == of({"ui": None}) == of({"other": 1}) == of({"ui": {"resourceUri": "https://a/1"}})
