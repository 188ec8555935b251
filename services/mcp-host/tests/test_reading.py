"""What servers have to be read: listed, read, asked for, or said not to be there."""

import sys
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import McpServer, Stdio
from agent_contracts.errors import ErrorKind
from agent_platform.entities.entity import EntityKey
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers import library
from foldline_testing.mcp_host.world import McpWorld
from mcp_host.limits import MOST_LISTED

PROGRAM = McpServer(Stdio(sys.executable, ("-m", "foldline_testing.mcp_host.servers.library")))


@pytest.fixture(params=["newer", "older"])
async def read(world: McpWorld, request: pytest.FixtureRequest) -> Any:
    """A world with the library at an address."""
    with addressed(library.server, old=request.param == "older") as here:
        await world.add("lib", here.url)
        yield world


async def test_servers_are_listed_with_how_they_are(world: McpWorld) -> None:
    await world.keep("off", McpServer(Stdio("true"), enabled=False))
    await world.keep("lib", PROGRAM)
    await world.add("blocked", "http://127.0.0.1:8765/mcp", private=False)
    before = {one["name"]: one for one in (await world.call("list_mcp_servers")).result["servers"]}
    assert {name: one["state"] for name, one in before.items()} == {
        "blocked": "closed",
        "lib": "closed",
        "off": "disabled",
    }
    await world.test("lib")
    await world.test("blocked")
    after = {one["name"]: one for one in (await world.call("list_mcp_servers")).result["servers"]}
    assert (after["lib"]["state"], after["lib"]["resources"], after["lib"]["prompts"]) == (
        "connected",
        True,
        True,
    )
    assert after["blocked"]["state"] == "error"
    assert "private" in after["blocked"]["error"]


async def test_resources_are_listed_and_forms_of_many(read: McpWorld) -> None:
    found = (await read.call("list_mcp_resources", server="lib")).result
    assert [one["uri"] for one in found["resources"]] == [
        "book://short",
        "book://long",
        "book://picture",
        "book://broken",
    ]
    assert found["resources"][0]["name"] == "Short"
    assert [one["uri"] for one in found["templates"]] == ["book://chapter/{number}"]
    assert found["more"] == 0


async def test_a_resource_is_read_a_large_one_and_a_picture_as_files(read: McpWorld) -> None:
    short = await read.call("read_mcp_resource", server="lib", uri="book://short")
    assert short.result == {"text": "Call me Ishmael."}
    assert [(one.kind, one.name) for one in short.outside] == [("mcp", "lib")]
    assert (await read.call("read_mcp_resource", server="lib", uri="book://chapter/7")).result == {
        "text": "Chapter 7"
    }
    large = (await read.call("read_mcp_resource", server="lib", uri="book://long")).result
    assert set(large) == {"files"}
    (file,) = large["files"]
    assert (file["size"], file["media_type"]) == (300_000, "text/plain")
    kept = await read.entities.current(EntityKey(AGENT, EntityKind.FILE, file["file_id"]))
    assert kept is not None
    assert len(await read.blobs.get(kept.value["blob"])) == 300_000
    pixel = (await read.call("read_mcp_resource", server="lib", uri="book://picture")).result
    assert pixel["files"][0]["media_type"] == "image/png"
    assert pixel["files"][0]["path"].endswith(".png")


async def test_what_there_is_not_is_said_by_its_kind(read: McpWorld) -> None:
    for tool, more in (
        ("list_mcp_resources", {}),
        ("read_mcp_resource", {"uri": "book://short"}),
        ("list_mcp_prompts", {}),
        ("get_mcp_prompt", {"name": "review"}),
    ):
        for name in ("nobody", "no such name!"):
            refused = await read.call(tool, server=name, **more)
            assert refused.error.kind == ErrorKind.NOT_FOUND, (tool, name, refused)
    for uri in ("book://nothing", "book://chapter/x"):
        gone = await read.call("read_mcp_resource", server="lib", uri=uri)
        assert (gone.error.kind, gone.error.path) == (ErrorKind.NOT_FOUND, "/uri"), gone
    broken = await read.call("read_mcp_resource", server="lib", uri="book://broken")
    assert broken.error.kind == ErrorKind.UPSTREAM, broken
    gone = await read.call("get_mcp_prompt", server="lib", name="nothing")
    assert gone.error.kind == ErrorKind.NOT_FOUND, gone
    without = await read.call("get_mcp_prompt", server="lib", name="review")
    assert without.error.kind == ErrorKind.INVALID_ARGUMENTS, without


async def test_prompts_are_listed_and_got_with_arguments(read: McpWorld) -> None:
    prompt = (await read.call("list_mcp_prompts", server="lib")).result["prompts"][0]
    assert (prompt["name"], prompt["title"]) == ("review", "Review it")
    assert [(one["name"], one["required"]) for one in prompt["arguments"]] == [
        ("work", True),
        ("tone", False),
    ]
    asked = {"work": "Moby-Dick"}
    got = (await read.call("get_mcp_prompt", server="lib", name="review", arguments=asked)).result
    assert got["messages"] == [{"role": "user", "content": {"text": "Review Moby-Dick, be kind."}}]


async def test_a_long_prompt_and_what_is_shown_in_one_are_files(read: McpWorld) -> None:
    (long,) = (await read.call("get_mcp_prompt", server="lib", name="long_one")).result["messages"]
    assert [(one["size"], one["media_type"]) for one in long["content"]["files"]] == [
        (1_100_000, "text/plain")
    ]
    assert "text" not in long["content"]
    shown = (await read.call("get_mcp_prompt", server="lib", name="shown")).result["messages"]
    assert [one["role"] for one in shown] == ["user", "user", "assistant", "user"]
    assert shown[1]["content"]["files"][0]["media_type"] == "image/png"
    assert shown[3]["content"] == {"text": "Call me Ishmael."}


async def test_a_server_without_resources_and_prompts_has_none(world: McpWorld) -> None:
    made = MCPServer("bare", version="1")
    with addressed(made) as here:
        await world.add("bare", here.url)
        assert (await world.call("list_mcp_resources", server="bare")).result["resources"] == []
        assert (await world.call("list_mcp_prompts", server="bare")).result["prompts"] == []


async def test_more_than_there_is_room_for_is_counted(world: McpWorld) -> None:
    made = MCPServer("many", version="1")
    for number in range(MOST_LISTED + 50):
        made.resource(f"many://{number}", name=f"n{number}")(lambda: "x")
    with addressed(made) as here:
        await world.add("many", here.url)
        found = (await world.call("list_mcp_resources", server="many")).result
    assert (len(found["resources"]), found["more"]) == (MOST_LISTED, 50)
