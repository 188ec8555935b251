"""A bug in how a server is reached, or looked after: it is told honestly, logged, and holds up no other."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

import mcp_types as types
import pytest
from structlog.testing import capture_logs

from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.ids import AgentId
from mcp_host.connecting import connections as module
from mcp_host.connecting.connection import McpConnection
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.open_server import OpenServer
from mcp_host.connecting.server_opener import ServerKey
from mcp_host.connecting.server_place import ServerPlace

AGENT = AgentId("a1")
ERRORS = [RuntimeError("out of luck"), KeyError("missing"), ValueError("no number")]
each_error = pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)


async def listed(tools: McpTools) -> None:
    """Nobody asks."""


@each_error
async def test_a_bug_in_opening_ends_the_wait_with_words_and_the_log_has_it(error: Exception) -> None:
    def opened() -> AbstractAsyncContextManager[OpenServer]:
        raise error

    connection = McpConnection(opened, listed, types.Implementation(name="t", version="1"))
    with capture_logs() as logs:
        await connection.run()
    await asyncio.wait_for(connection.ready(), 60)
    assert not connection.is_open
    assert type(error).__name__ in connection.failure
    assert str(error) not in connection.failure
    assert [line["event"] for line in logs if line["log_level"] == "error"] == ["server.bug"]


@each_error
async def test_a_bug_in_looking_after_one_server_holds_up_no_other(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOOKS_EACH_S", 0)
    looked: asyncio.Queue[str] = asyncio.Queue()
    nothing: Any = None
    connections = Connections(nothing, nothing, nothing, nothing)
    for name in ("broken", "good"):
        connections._places[ServerKey(AGENT, name)] = ServerPlace(name)

    async def look(key: ServerKey, place: ServerPlace) -> None:
        looked.put_nowait(key.server)
        if key.server == "broken":
            raise error

    monkeypatch.setattr(connections, "_look", look)
    with capture_logs() as logs:
        running = asyncio.create_task(connections.run())
        seen = [await asyncio.wait_for(looked.get(), 60) for _ in range(4)]
        running.cancel()
        await asyncio.wait({running})
    assert seen == ["broken", "good"] * 2
    assert {(line["server"], line["log_level"]) for line in logs} == {("broken", "error")}
    assert running.cancelled()
