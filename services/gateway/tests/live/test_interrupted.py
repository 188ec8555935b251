"""The live feed while the log is away: the log of the gateway says when that begins, and when it is over."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from structlog.testing import capture_logs

from agent_contracts.errors import Transient
from agent_platform.testing.memory_log import MemoryLog
from gateway.live import feed as feed_module
from gateway.live.feed import Feed
from gateway.live.subscription import Limits


class Away(MemoryLog):
    """A log that can't be followed at first."""

    def __init__(self) -> None:
        super().__init__()
        self.failures = 2
        self.followed = asyncio.Event()

    async def tail(self, *args: Any, **more: Any) -> AsyncGenerator[Any, None]:
        """Fails twice, then gives nothing."""
        if self.failures:
            self.failures -= 1
            raise Transient("NATS is away")
        self.followed.set()
        await asyncio.Event().wait()
        yield


async def test_an_interruption_has_its_end_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "_RETRY_S", 0)
    log = Away()
    with capture_logs() as logs:
        running = asyncio.create_task(Feed(log, Limits()).run())
        async with asyncio.timeout(60):
            await log.followed.wait()
        running.cancel()
        await asyncio.wait({running})
    told = [line["event"] for line in logs if line["event"].startswith("feed.")]
    assert told[0] == "feed.interrupted"
    assert told[-1] == "feed.resumed"
