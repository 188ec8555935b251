"""Live events over HTTP: first what the log holds after the client's last event, then what comes."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from agent_contracts.errors import Failure
from agent_contracts.ids import SessionId
from agent_contracts.subjects import any_agents_session_filter
from agent_platform.log.port import Log
from gateway.live.event_view import agent_of, session_of
from gateway.live.feed import Feed, event_frame
from gateway.live.subscription import Subscription, Wanted

log = structlog.get_logger()

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_HEARTBEAT = b": heartbeat\n\n"
_BATCH = 64 * 1024
_FAREWELL_S = 0.5


class Timing(msgspec.Struct, frozen=True):
    """Seconds between heartbeats, and that a client may leave our bytes unread before it is disconnected."""

    heartbeat_s: float = 15.0
    stalled_s: float = 30.0


class Streams:
    """The open streams of this process, so that they can be ended together."""

    def __init__(self) -> None:
        self._open: set[asyncio.Task[Any]] = set()
        self._closing = False

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def add(self, stream: "asyncio.Task[Any]") -> None:
        """Remember an open stream until it ends."""
        self._open.add(stream)
        stream.add_done_callback(self._open.discard)
        if self._closing:
            stream.cancel()

    def end(self) -> None:
        """End every stream, now and from now on. Clients come back to whoever serves then."""
        self._closing = True
        for stream in list(self._open):
            stream.cancel()


class EventStream(Response):
    """A response that goes on until the client leaves, falls too far behind, or the gateway stops."""

    def __init__(
        self, events: Log, feed: Feed, streams: Streams, wanted: Wanted, after: int, timing: Timing
    ) -> None:
        super().__init__()
        self._events = events
        self._feed = feed
        self._streams = streams
        self._wanted = wanted
        self._after = after
        self._timing = timing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        writing = asyncio.create_task(self._write(send))
        leaving = asyncio.create_task(_until_gone(receive))
        self._streams.add(writing)
        try:
            await asyncio.wait((writing, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone = leaving.done()
            for task in (writing, leaving):
                task.cancel()
            await asyncio.gather(writing, leaving, return_exceptions=True)
        if not gone:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL_S):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, send: Send) -> None:
        try:
            async with contextlib.aclosing(self._chunks()) as chunks:
                async for chunk in chunks:
                    async with asyncio.timeout(self._timing.stalled_s):
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except TimeoutError:
            log.info("stream.stalled", session_id=self._wanted.session_id)
        except (Failure, OSError) as error:
            log.info("stream.broken", session_id=self._wanted.session_id, reason=str(error))

    async def _chunks(self) -> AsyncGenerator[bytes, None]:
        # An id without data dispatches nothing, but is what the client will resume after.
        yield b"retry: 1000\nid: %d\n\n" % self._after
        position = self._after
        while position < (handed_out := self._feed.position):
            async with contextlib.aclosing(self._recorded(position, handed_out)) as recorded:
                async for chunk in recorded:
                    yield chunk
            position = handed_out
        # No await between the look at the feed's position and joining it: nothing falls between.
        subscription = self._feed.join(self._wanted, position, _cancel_current())
        try:
            async with contextlib.aclosing(self._live(subscription)) as live:
                async for chunk in live:
                    yield chunk
        finally:
            self._feed.leave(subscription)

    async def _recorded(self, after: int, up_to: int) -> AsyncGenerator[bytes, None]:
        batch = bytearray()
        async for message in self._events.read(self._subject(), after=after, up_to=up_to):
            if self._wanted.matches(session_of(message.subject), agent_of(message.subject)):
                batch += event_frame(message)
            if len(batch) >= _BATCH:
                yield bytes(batch)
                batch.clear()
        if batch:
            yield bytes(batch)

    async def _live(self, subscription: Subscription) -> AsyncGenerator[bytes, None]:
        while True:
            try:
                async with asyncio.timeout(self._timing.heartbeat_s):
                    chunk = await subscription.take()
            except TimeoutError:
                chunk = _HEARTBEAT
            yield chunk

    def _subject(self) -> str:
        session_id = self._wanted.session_id
        return ">" if session_id is None else any_agents_session_filter(SessionId(session_id))


def _cancel_current() -> Any:
    task = asyncio.current_task()
    assert task is not None
    return task.cancel


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
