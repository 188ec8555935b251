"""Who begins to watch a session while an event is handed out misses nothing of it."""

import asyncio

import msgspec

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.session_events.inputs import UserMessage
from agent_platform.log.event_message import event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.gateway.other_services import NoDatabase
from gateway.live.event_filter import EventFilter
from gateway.live.feed import Feed
from gateway.live.row_views import ChangedRows
from gateway.live.session_rows import SessionRows
from gateway.live.subscription import LagLimits, Subscription

KEY = SessionKey(AgentId("a"), SessionId("s"))


class SlowRows(SessionRows):
    """Looks up what an event changed for as long as `go_on` isn't set."""

    def __init__(self, log: MemoryLog) -> None:
        super().__init__(log, NoDatabase())
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def changed(self, message: StoredMessage, *, watched: bool) -> ChangedRows:
        self.asked.set()
        await self.go_on.wait()
        return ChangedRows()


async def told(subscription: Subscription) -> object:
    [frame] = await subscription.take()
    return msgspec.json.decode(frame.sse.partition(b"data: ")[2].strip())["rows"]


async def test_who_begins_to_watch_meanwhile_is_told_to_read_again() -> None:
    log = MemoryLog()
    rows = SlowRows(log)
    feed = Feed(log, LagLimits(), rows)
    running = asyncio.create_task(feed.run())
    await feed.following.wait()
    listing = feed.join(EventFilter(rows=True), 0, lambda: None)
    event = UserMessage(text="hi")
    await log.append(event_message(event, subject_of(event, KEY), origin_of(event), SystemClock())[0])
    await rows.asked.wait()
    watching = feed.join(EventFilter(rows=True, watch=frozenset({KEY.session_id})), 0, lambda: None)
    rows.go_on.set()
    assert await told(listing) == []
    assert await told(watching) is None
    running.cancel()
