"""The whole service over a real server, in this process."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from foldline_testing.agent_platform.servers import NatsForTest
from scheduler.app import serve
from scheduler.settings import SchedulerSettings


@contextlib.asynccontextmanager
async def serving(server: NatsForTest, count: int = 1) -> AsyncIterator[None]:
    """So many schedulers work."""
    schedulers = [asyncio.create_task(serve(SchedulerSettings(nats_url=server.url))) for _ in range(count)]
    try:
        yield
    finally:
        for one in schedulers:
            one.cancel()
        ended = await asyncio.gather(*schedulers, return_exceptions=True)
    failed = [one for one in ended if one is not None and not isinstance(one, asyncio.CancelledError)]
    assert not failed, failed
