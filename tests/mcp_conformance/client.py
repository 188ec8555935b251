"""Our client in the hands of the conformance suite: it connects with a server, logs in where that is wanted,
as a person who says yes to everything, and calls every tool.

It is `mcp_host`'s own connections and logins, with a log in memory around them.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

from agent_contracts.entities.mcp_servers import Http, McpServer
from agent_contracts.entities.mcp_tools import McpTool
from agent_contracts.json_value import Json
from agent_tools.testing.world import AGENT
from egress.rules import EgressRules
from egress.testing.web import FixedNames
from mcp_host.connecting.opening import ServerKey
from mcp_host.testing.authority import logged_in
from mcp_host.testing.world import McpWorld, mcp_world

SAMPLES: dict[object, Json] = {
    "string": "text",
    "number": 5,
    "integer": 5,
    "boolean": True,
    "object": {},
    "array": [],
    "null": None,
}
CLIENT = "https://conformance-test.local/client-metadata.json"
BACK = "http://127.0.0.1:8700/mcp-login/callback"
MOST_LOGINS = 2
"""One, and one that asks for more: whoever is refused then is told so."""
SERVER = ServerKey(AGENT, "suite")


async def tried(world: McpWorld, url: str) -> None:
    """The whole of it."""
    logins = 0
    told = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    address = Http(url)
    if "client_id" in told:
        await world.secret("CLIENT", told.get("client_secret", "none-at-all"), "localhost")
        address = Http(url, client_id=told["client_id"], client_secret="{{secret:CLIENT}}")
    await world.keep(SERVER.server, McpServer(address, private=True))
    state = await world.test(SERVER.server)
    while state.state == "needs_login" and logins < MOST_LOGINS:
        logins += 1
        await log_in(world, address)
        state = await world.test(SERVER.server)
    assert state.state in ("changed", "connected"), state
    await world.accept(SERVER.server)
    for called, arguments in wanted(await listed(world)):
        name = f"{SERVER.server}__{called}"
        done = await world.call(name, **arguments)
        while "log in" in str(getattr(done, "error", "")) and logins < MOST_LOGINS:
            logins += 1
            await log_in(world, address)
            await world.test(SERVER.server)
            done = await world.call(name, **arguments)
        assert hasattr(done, "result"), done


def wanted(tools: tuple[McpTool, ...]) -> list[tuple[str, dict[str, Json]]]:
    """The calls that the suite asks for; else one of each tool."""
    told = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")).get("toolCalls")
    if told:
        return [(one["name"], one["arguments"]) for one in told]
    return [(one.name, fitting(one)) for one in tools]


def fitting(tool: McpTool) -> dict[str, Json]:
    """Arguments that it takes."""
    properties = tool.parameters.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {
        name: SAMPLES.get(one.get("type") if isinstance(one, dict) else "", "text")
        for name, one in known.items()
    }


async def listed(world: McpWorld) -> tuple[McpTool, ...]:
    connection = await world.connections.get(SERVER)
    return connection.tools.tools


async def log_in(world: McpWorld, address: Http) -> None:
    """A click, a yes, and back."""
    page, _ = await world.logins.begin(SERVER, address, world.way, BACK, CLIENT)
    back = await logged_in(page)
    begun = await world.logins.begun(back["state"])
    await world.logins.finish(begun, world.way, back.get("code", ""), back.get("error", ""), back.get("iss"))


async def main(url: str) -> None:
    names = FixedNames({"localhost": ["127.0.0.1"]})
    rules = EgressRules(private_hosts=frozenset({"localhost", "127.0.0.1"}))
    with tempfile.TemporaryDirectory() as folder:
        async with mcp_world(data=Path(folder), rules=rules, names=names) as world:
            await tried(world, url)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
