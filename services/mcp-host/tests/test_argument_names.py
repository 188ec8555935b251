"""Arguments whose names models can't be sent: they get safe ones, and the server gets its own."""

from typing import Any

import msgspec

from agent_contracts.entities.mcp_servers import AcceptedTool, McpServer, Stdio
from agent_contracts.entities.mcp_tools import McpTool, McpTools
from agent_domain.mcp.offered_tools import offered
from agent_tools.provider_schemas import check_takes
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.raw import Raw
from foldline_testing.mcp_host.world import McpWorld
from mcp_host.calling.foreign_tools import runnable

LONG = "x" * 80
TEXT: dict[str, Any] = {"type": "string"}
INNER = {"type": "object", "properties": {"first name": TEXT, "名前": TEXT}, "required": ["first name"]}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "uids[]": {"type": "array", "items": INNER},
        "$filter": TEXT,
        "filter": TEXT,
        LONG: {"$ref": "#/$defs/inner"},
    },
    "required": ["uids[]", LONG],
    "additionalProperties": False,
    "$defs": {"inner": INNER},
}
OWN = {
    "uids[]": [{"first name": "Ada", "名前": "エイダ"}],
    "$filter": "a",
    "filter": "b",
    LONG: {"first name": "Bo"},
}


async def test_models_get_safe_names_and_the_server_its_own(world: McpWorld) -> None:
    raw = Raw(
        {"tools/list": {"tools": [{"name": "find", "inputSchema": SCHEMA}]}, "tools/call": {"content": []}}
    )
    with addressed(raw) as here:
        await world.add("s", here.url)
        await world.accept("s")
        (tool,) = (await world.listed("s")).tools
        assert not tool.flaw
        server = McpServer(Stdio("x"), accepted={"find": AcceptedTool(tool.hash, 1)})
        (spec,) = [one.spec for one in offered("s", server, McpTools((tool,)))]
        check_takes(spec.parameters, "")
        shown: Any = spec.parameters
        uids, other, plain, long = shown["properties"]
        assert (uids, plain) == ("uids", "filter")
        name, kanji = shown["properties"][uids]["items"]["properties"]
        given: dict[str, Any] = {
            uids: [{name: "Ada", kanji: "エイダ"}],
            other: "a",
            plain: "b",
            long: {name: "Bo"},
        }
        ended = await world.call("s__find", **given)
        assert hasattr(ended, "result"), ended
        assert raw.received[-1]["arguments"] == OWN
        refused = await world.call("s__find", **OWN)
        assert refused.error.kind == "invalid_arguments", "models go by what they are shown"
        assert len(raw.received) == 1


def test_a_servers_own_app_names_arguments_as_its_server_does() -> None:
    tool = McpTool("find", "h", parameters={"type": "object", "properties": {"$filter": TEXT}})
    server = McpServer(Stdio("x"), accepted={"find": AcceptedTool("h", 1)})
    (found,) = offered("s", server, McpTools((tool,)), to_apps=True)
    assert "$filter" in str(msgspec.to_builtins(runnable(found, to_apps=True).arguments))
    assert "'$filter': {" not in str(msgspec.to_builtins(runnable(found).arguments))
