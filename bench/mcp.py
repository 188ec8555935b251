"""A foreign tool's call: what it takes beyond the server's own time, on a connection that is open.

Once in some hundred calls Python would look through all that the bench has loaded, for 120 ms: as in the
product's processes, `collect_rarely` has it not do so.
"""

import asyncio
import time
from pathlib import Path

from mcp import Client
from mcp_types import CallToolResult

from agent_platform.log.jetstream import JetStreamLog
from bench.log_server import log_server
from bench.sampling import median, percentile
from bench.table import Figure, at_most
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.mcp_host.world import McpWorld, mcp_world
from mcp_host.connecting.connection import McpConnection
from mcp_host.connecting.server_opener import ServerKey

GROUP = "mcp"
_WARM = 20


async def measure(folder: Path, *, calls: int) -> list[Figure]:
    """A program over its pipes, and a log that is synced seldom: in turn a call as a session makes it,
    and the SDK's alone, on the same connection."""
    async with (
        log_server(folder / "log") as connected,
        mcp_world(data=folder / "data", log=JetStreamLog(connected)) as world,
    ):
        await world.program("plain", "plain")
        await world.accept("plain")
        connection = await world.connections.get(ServerKey(AGENT, "plain"))
        for _ in range(_WARM):
            await _whole_ms(world)
            await _alone_ms(connection)
        whole, alone = [], []
        busy = alone_busy = 0.0
        for _ in range(calls):
            began = time.process_time()
            whole.append(await _whole_ms(world))
            between = time.process_time()
            alone.append(await _alone_ms(connection))
            busy, alone_busy = busy + between - began, alone_busy + time.process_time() - between
    beyond = [one - other for one, other in zip(whole, alone, strict=True)]
    note = "a call with its claim and result, less the SDK's round trip"
    return [
        Figure(GROUP, "the server's own, median", median(alone), "ms"),
        Figure(GROUP, "a warm call beyond it, median", median(beyond), "ms", at_most(5), note),
        Figure(GROUP, "a warm call beyond it, p95", percentile(beyond, 0.95), "ms"),
        Figure(
            GROUP,
            "processor time of a warm call beyond it",
            (busy - alone_busy) * 1000 / calls,
            "ms",
            at_most(5),
            "asking for it included; of this process, whatever else the machine does",
        ),
    ]


async def _whole_ms(world: McpWorld) -> float:
    message = await world.asked("plain__add", a=1, b=2)
    began = time.perf_counter()
    done = await world.handled(message)
    took = (time.perf_counter() - began) * 1000
    assert done.result == {"structured": {"result": 3}}, done
    return took


async def _alone_ms(connection: McpConnection) -> float:
    async def called(client: Client) -> tuple[CallToolResult, float]:
        began = time.perf_counter()
        result = await client.session.call_tool("add", {"a": 1, "b": 2})
        return result, (time.perf_counter() - began) * 1000

    result, took = await connection.call(called, 30)
    assert not result.is_error
    await asyncio.sleep(0)
    return took
