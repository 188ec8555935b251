"""Listening: first what the log holds after an event, then what comes, with no gap and no repeat."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable

import msgspec

from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address, at_place
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.subjects import any_agents_session_filter
from agent_platform.log.port import Log
from gateway.live.event_filter import EventFilter
from gateway.live.event_view import agent_of, session_of
from gateway.live.feed import Feed
from gateway.live.frames import EventFrames, LiveFrame, event_frame
from gateway.live.subscription import Subscription

_BATCH = 64 * 1024
_MOST = 256
"""Bytes, and events, of what the log holds that are handed on together."""
_LOOK_S, _LOOKS = 0.01, 100


class StreamTiming(msgspec.Struct, frozen=True):
    """Seconds between heartbeats, and that a client may leave our bytes unread before it is disconnected."""

    heartbeat_s: float = 15.0
    stalled_s: float = 30.0


class EventListener:
    """Everything wanted after `after`, for one listener, who iterates it once, in a task of its own."""

    def __init__(
        self, events: Log, feed: Feed, wanted: EventFilter, after: Address, heartbeat_s: float
    ) -> None:
        self._events = events
        self._feed = feed
        self._heartbeat_s = heartbeat_s
        self._rows = feed.rows.apart()
        self.wanted = wanted
        self.after = after

    async def frames(self) -> AsyncGenerator[list[LiveFrame], None]:
        """What happens, in order and in batches, without end; an empty batch after a while without any.

        A listener that falls too far behind has its task cancelled.
        """
        position = self.after.end
        while position < (handed_out := self._feed.position):
            async with contextlib.aclosing(self._recorded(position, handed_out)) as recorded:
                async for batch in recorded:
                    yield batch
            position = handed_out
            await self._until_nothing_older_follows()
        # No await between the look at the feed's position and joining it: nothing falls between.
        subscription = self._feed.join(self.wanted, position, _cancel_current())
        try:
            while True:
                yield await self._next(subscription)
        finally:
            self._feed.leave(subscription)

    async def _recorded(self, after: int, up_to: int) -> AsyncGenerator[list[LiveFrame], None]:
        batch: list[StoredMessage] = []
        size = 0
        first, last = at_place(after).complete, at_place(up_to).sequence
        async for message in self._events.read(self._subject(), after=first, up_to=last):
            if not after < message.address.place <= up_to:
                continue
            if self.wanted.matches(session_of(message.subject), agent_of(message.subject)):
                batch.append(message)
                size += len(message.data)
            if size >= _BATCH or len(batch) >= _MOST:
                yield await self._framed(batch)
                batch, size = [], 0
        if batch:
            yield await self._framed(batch)

    async def _framed(self, batch: list[StoredMessage]) -> list[LiveFrame]:
        wanted = self.wanted
        if not wanted.rows:
            return [event_frame(message) for message in batch]
        changed = await self._rows.changed_by(batch, wanted.streaming)
        return [EventFrames(*both, watched=True).for_one(wanted) for both in zip(batch, changed, strict=True)]

    async def _until_nothing_older_follows(self) -> None:
        """Rows were told as Postgres has them: until the feed has come as far, it would tell older ones."""
        for _ in range(_LOOKS):
            if at_place(self._feed.position).sequence >= self._rows.reached:
                return
            await asyncio.sleep(_LOOK_S)

    async def _next(self, subscription: Subscription) -> list[LiveFrame]:
        try:
            async with asyncio.timeout(self._heartbeat_s):
                return await subscription.take()
        except TimeoutError:
            return []

    def _subject(self) -> str:
        session_id = self.wanted.session_id
        return ">" if session_id is None else any_agents_session_filter(SessionId(session_id))


def _cancel_current() -> Callable[[], object]:
    task = asyncio.current_task()
    assert task is not None
    return task.cancel
