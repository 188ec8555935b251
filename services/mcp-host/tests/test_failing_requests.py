"""A request that fails on the network ends its own call, and no other of the connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from mcp.server.mcpserver import MCPServer

from agent_contracts.entities.mcp_servers import Http
from agent_contracts.errors import ErrorKind
from egress.rules import EgressRules
from foldline_testing.agent_tools.world import AGENT, until
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.authority import authority, logged_in
from foldline_testing.mcp_host.world import McpWorld, mcp_world
from mcp_host.connecting.server_opener import ServerKey

pytestmark = pytest.mark.long

BEGINNING = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"jsonrpc"'
REFUSAL = BEGINNING.replace(b"200 OK", b"400 Bad Request")


def server() -> MCPServer:
    """One whose tools are quick, or take their time."""
    made = MCPServer("far", version="1")

    @made.tool()
    def note(text: str) -> str:
        """Note it."""
        return text

    @made.tool()
    async def wait(seconds: float) -> str:
        """Wait."""
        await asyncio.sleep(seconds)  # sleeps: work
        return "done"

    return made


@asynccontextmanager
async def cutting(port: int, said: bytes) -> AsyncIterator[int]:
    """A port that leads to another one, and says this and hangs up when it is sent `cut`."""

    async def joined(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)

        async def passed(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            while piece := await source.read(65_536):
                if b'"cut"' in piece:
                    writer.write(said)
                    await writer.drain()
                    return
                target.write(piece)
                await target.drain()

        _, left = await asyncio.wait(
            {asyncio.create_task(passed(reader, back)), asyncio.create_task(passed(there, writer))},
            return_when=asyncio.FIRST_COMPLETED,
        )
        for task in left:
            task.cancel()
        for end in (writer, back):
            end.close()

    listening = await asyncio.start_server(joined, "127.0.0.1", 0)
    async with listening:
        yield listening.sockets[0].getsockname()[1]


@pytest.mark.parametrize("old", [False, True], ids=["2026-07-28", "2025-11-25"])
@pytest.mark.parametrize(
    "said", [b"", BEGINNING, REFUSAL], ids=["nothing", "half-an-answer", "half-a-refusal"]
)
async def test_a_call_whose_connection_is_cut_ends_no_other(world: McpWorld, old: bool, said: bytes) -> None:
    with addressed(server(), old=old) as here:
        async with cutting(here.port, said) as port:
            await world.add("far", here.url.replace(str(here.port), str(port)))
            await world.accept("far")
            waiting = asyncio.create_task(world.call("far__wait", seconds=2))
            await until(lambda: here.methods.count("tools/call") == 1, 10)
            cut = await world.call("far__note", text="cut")
            if said != REFUSAL:
                assert cut.error.kind == ErrorKind.OUTCOME_UNKNOWN, cut
            waited = await waiting
            assert waited.result == {"structured": {"result": "done"}}, waited
            assert (await world.call("far__note", text="a")).result is not None


async def test_a_token_that_can_not_be_made_new_ends_no_other_call(tmp_path: Path) -> None:
    rules, far = EgressRules(private_hosts=frozenset({"127.0.0.1"})), ServerKey(AGENT, "far")
    async with mcp_world(data=tmp_path / "data", rules=rules) as world:
        with ExitStack() as there, addressed(server()) as here:
            here.authority = there.enter_context(authority())
            await world.add("far", here.url)
            url, _ = await world.logins.begin(far, Http(here.url), world.way, "http://127.0.0.1:8700/back")
            came = await logged_in(url)
            found = await world.logins.begun(came["state"])
            await world.logins.finish(found, world.way, came["code"], "", came.get("iss"))
            await world.accept("far")
            waiting = asyncio.create_task(world.call("far__wait", seconds=3))
            await until(lambda: here.methods.count("tools/call") == 1, 10)
            there.close()
            world.clock.ahead = timedelta(seconds=3595)
            assert (await world.call("far__note", text="a")).error is not None
            waited = await waiting
            assert waited.result == {"structured": {"result": "done"}}, waited
