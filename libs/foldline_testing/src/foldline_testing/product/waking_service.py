"""A service that wakes sessions over NATS, as another product does that has wake credentials."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from nats.aio.client import Client
from nats.errors import Error as NatsError

from foldline.supervisor.announcement import read_announcement
from foldline_testing.product.stack import Stack

_PATIENCE_S = 60


@asynccontextmanager
async def waking_service(stack: Stack, made: Mapping[str, Any]) -> AsyncIterator[Client]:
    """Its connection, by credentials that were just made: the server reads its users again meanwhile."""
    running = read_announcement(stack.data_dir)
    assert running is not None

    async def told(error: Exception) -> None:
        """The server refuses some of what is sent; what it takes is what counts."""

    client = Client()
    async with asyncio.timeout(_PATIENCE_S):
        while not client.is_connected:
            try:
                await client.connect(
                    running.nats_url,
                    user=made["nats_user"],
                    password=made["token"],
                    inbox_prefix=made["nats_inbox"].encode(),
                    error_cb=told,
                    allow_reconnect=False,
                )
            except (NatsError, OSError):
                await client.close()
                client = Client()
                await asyncio.sleep(0.2)
    try:
        yield client
    finally:
        await client.close()
