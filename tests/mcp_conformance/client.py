"""Our client in the hands of the conformance suite: it connects with a server, logs in where that is wanted,
as a person who says yes to everything, calls every tool, and answers what is asked.

It is `mcp_host`'s own connections and logins, with a log in memory around them. What a server asks is filled
in as the command line does it, and checked as the gateway does it. The suite starts a program for each
scenario; that one (`ask.py`) asks here, where all is imported once.
"""

import asyncio
import contextlib
import json
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from agent_contracts.entities.mcp_servers import Http, McpServer
from agent_contracts.entities.mcp_tools import McpTool
from agent_contracts.errors import ErrorKind
from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ToolCallFailed, ToolCallPending
from agent_domain.shown import fields_of, submitted
from egress.rules import EgressRules
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import FixedNames
from foldline_testing.mcp_host.authority import logged_in
from foldline_testing.mcp_host.world import McpWorld, mcp_world
from gateway.operations.sessions.responses import fitting
from mcp_host.connecting.server_opener import ServerKey

SAMPLES: dict[object, Json] = {
    "string": "text",
    "number": 5,
    "integer": 5,
    "boolean": True,
    "object": {},
    "array": [],
    "null": None,
}
OF_PROGRAMS = ("auth/client-credentials-basic",)
"""Scenarios in which no person logs in."""
CLIENT = "https://conformance-test.local/client-metadata.json"
BACK = "http://127.0.0.1:8700/mcp-login/callback"
MOST_LOGINS = 2
"""One, and one that asks for more: whoever is refused then is told so."""
SERVER = ServerKey(AGENT, "suite")


async def tried(world: McpWorld, url: str, told: Mapping[str, Any]) -> None:
    """The whole of it, with a server of which the suite `told` this."""
    logins = 0
    address = Http(url)
    if "client_id" in told:
        await world.secret("CLIENT", told.get("client_secret", "none-at-all"), "localhost")
        address = Http(
            url,
            client_id=told["client_id"],
            client_secret="{{secret:CLIENT}}",
            grant="client_credentials" if told["name"] in OF_PROGRAMS else "authorization_code",
        )
    await world.keep(SERVER.server, McpServer(address, private=True))
    state = await world.test(SERVER.server)
    while state.state == "needs_login" and logins < MOST_LOGINS:
        logins += 1
        await log_in(world, address)
        state = await world.test(SERVER.server)
    assert state.state in ("changed", "connected"), state
    await world.accept(SERVER.server)
    waiting: list[ToolCallPending] = []
    for called, arguments in wanted(await listed(world), told):
        done = await world.call(name := f"{SERVER.server}__{called}", **arguments)
        while "log in" in str(getattr(done, "error", "")) and logins < MOST_LOGINS:
            logins += 1
            await log_in(world, address)
            await world.test(SERVER.server)
            done = await world.call(name, **arguments)
        if isinstance(done, ToolCallFailed) and done.error.kind == ErrorKind.INVALID_ARGUMENTS:
            # As a model does that is told that null is no value of this type: it leaves the argument out.
            assert None in arguments.values(), done
            done = await world.call(name, **{key: one for key, one in arguments.items() if one is not None})
        if isinstance(done, ToolCallPending):
            waiting.append(done)  # the other calls run first, as in a turn
        else:
            assert hasattr(done, "result"), done
    for asked in waiting:
        await answered(world, asked)


async def answered(world: McpWorld, asked: ToolCallPending) -> None:
    """A person takes what is filled in already, ticks what isn't, and writes the same everywhere else."""
    event: Any = asked
    while isinstance(event, ToolCallPending):
        empty = [one for one in fields_of(event.show) if one.get("default") is None]
        words = {one["name"]: "yes" if one["type"] == "checkbox" else "text" for one in empty}
        event = await world.resumed(event, fitting(event, submitted(event.show, words)))
    assert hasattr(event, "result"), event


def wanted(tools: tuple[McpTool, ...], told: Mapping[str, Any]) -> list[tuple[str, dict[str, Json]]]:
    """The calls that the suite asks for; else one of each tool."""
    if "toolCalls" in told:
        return [(one["name"], one["arguments"]) for one in told["toolCalls"]]
    return [(one.name, arguments_of(one)) for one in tools]


def arguments_of(tool: McpTool) -> dict[str, Json]:
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
    """A click, a yes, and back; for a program, nothing but the click."""
    page, _ = await world.logins.begin(SERVER, address, world.way, BACK, CLIENT)
    if not page:
        return
    back = await logged_in(page)
    begun = await world.logins.begun(back["state"])
    await world.logins.finish(begun, world.way, back.get("code", ""), back.get("error", ""), back.get("iss"))


async def run(url: str, told: Mapping[str, Any]) -> str:
    """Why the scenario at this address could not be gone through; empty where it was."""
    names = FixedNames({"localhost": ["127.0.0.1"]})
    rules = EgressRules(private_hosts=frozenset({"localhost", "127.0.0.1"}))
    with tempfile.TemporaryDirectory() as folder:
        try:
            async with mcp_world(data=Path(folder), rules=rules, names=names) as world:
                await tried(world, url, told)
        except Exception:
            return traceback.format_exc()
    return ""


async def _answer(turn: asyncio.Lock, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    asked = json.loads(await reader.readline())
    async with turn:  # the suite begins all of them at once, and measures how late one is
        writer.write((await run(asked["url"], asked["told"])).encode())
    writer.close()


@contextlib.contextmanager
def clients(socket: Path) -> Iterator[None]:
    """Goes through scenarios, as it is asked at this socket."""
    loop = asyncio.new_event_loop()
    serving = threading.Thread(target=loop.run_forever)
    serving.start()
    answer = partial(_answer, asyncio.Lock())
    listening = asyncio.run_coroutine_threadsafe(asyncio.start_unix_server(answer, socket), loop)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(_closed(listening.result()), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        serving.join()
        loop.close()


async def _closed(server: asyncio.Server) -> None:
    server.close()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
