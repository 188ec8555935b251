"""Two pools on one NATS, as a test makes them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol, TypeVar

from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.services.streams import prepare
from foldline_testing.agent_platform.servers import NatsForTest


class Ends(Protocol):
    """A pool that can end."""

    async def end(self) -> None:
        """As if it died."""
        ...


Pool = TypeVar("Pool", bound=Ends)


@asynccontextmanager
async def two(
    made: Callable[[NatsConnection, str], Pool], nats: NatsForTest
) -> AsyncIterator[tuple[Pool, Pool]]:
    """Pools `a` and `b`, each on a connection of its own."""
    async with AsyncExitStack() as stack:
        connections = [await connect(nats.url, name=name) for name in ("a", "b")]
        for connection in connections:
            stack.push_async_callback(connection.close)
        await prepare(connections[0], [])
        both = made(connections[0], "a"), made(connections[1], "b")
        for pool in both:
            stack.push_async_callback(pool.end)
        await asyncio.sleep(0.1)  # sleeps: work
        yield both
