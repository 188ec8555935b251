"""The live feed while the log is away: the log of the gateway says when that begins, and when it is over."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from structlog.testing import capture_logs

from agent_contracts import event_sources
from agent_contracts.errors import Transient
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage, one_record
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import Titled
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.gateway.other_services import NoDatabase
from gateway.live import feed as feed_module
from gateway.live.event_filter import EventFilter
from gateway.live.feed import Feed
from gateway.live.session_rows import SessionRows
from gateway.live.subscription import LagLimits


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
        running = asyncio.create_task(Feed(log, LagLimits(), SessionRows(log, NoDatabase())).run())
        async with asyncio.timeout(60):
            await log.followed.wait()
        running.cancel()
        await asyncio.wait({running})
    told = [line["event"] for line in logs if line["event"].startswith("feed.")]
    assert told[0] == "feed.interrupted"
    assert told[-1] == "feed.resumed"


class CutOff(MemoryLog):
    """A log whose stream ends after the first event of a record, once."""

    def __init__(self) -> None:
        super().__init__()
        self.cut = False

    async def tail(self, *args: Any, **more: Any) -> AsyncGenerator[Any, None]:
        """As the log gives it, but for the cut."""
        async with aclosing(super().tail(*args, **more)) as messages:
            async for message in messages:
                yield message
                if message.parts > 1 and not self.cut:
                    self.cut = True
                    raise Transient("NATS is away")


async def test_a_record_of_which_a_part_was_handed_out_goes_on_with_the_next_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed_module, "_RETRY_S", 0)
    log, key = CutOff(), SessionKey(AgentId("a"), SessionId("s_1"))
    feed = Feed(log, LagLimits(), SessionRows(log, NoDatabase()))
    running = asyncio.create_task(feed.run())
    await asyncio.wait_for(feed.following.wait(), 60)
    heard = feed.join(EventFilter(session_id=SessionId("s_1")), 0, lambda: None)
    parts = []
    for part in range(3):
        event = Titled(title=str(part))
        origin = Origin(event_sources.ENGINE, Actor.AGENT) if part else origin_of(event)
        parts.append(event_message(event, key.decision(type_of(event)), origin, SystemClock(), part=part)[0])
    await log.append(one_record(parts))

    async def all_came() -> bool | None:
        return feed.position == Address(1, 2).place or None

    await eventually(all_came)
    running.cancel()
    await asyncio.wait({running})
    assert log.cut
    frames = await heard.take()
    addresses = [str(one.what.address) for one in frames if isinstance(one.what, StoredMessage)]
    assert addresses == ["1.0", "1.1", "1.2"]
