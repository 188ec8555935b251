"""Live events over HTTP, as server-sent events, until the client leaves."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from agent_contracts.errors import Failure
from gateway.live.event_listener import EventListener
from gateway.live.streams import Streams

log = structlog.get_logger()

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_HEARTBEAT = b": heartbeat\n\n"
_FAREWELL_S = 0.5


class EventStream(Response):
    """A response that goes on until the client leaves, falls too far behind, or the gateway stops."""

    def __init__(self, listening: EventListener, streams: Streams, stalled_s: float) -> None:
        super().__init__()
        self._listening = listening
        self._streams = streams
        self._stalled_s = stalled_s

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
                    async with asyncio.timeout(self._stalled_s):
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except TimeoutError:
            log.info("stream.stalled", session_id=self._listening.wanted.session_id)
        except (Failure, OSError) as error:
            log.info("stream.broken", session_id=self._listening.wanted.session_id, reason=str(error))

    async def _chunks(self) -> AsyncGenerator[bytes, None]:
        # An id without data dispatches nothing, but is what the client will resume after.
        yield b"retry: 1000\nid: %b\n\n" % str(self._listening.after).encode()
        async with contextlib.aclosing(self._listening.frames()) as frames:
            async for batch in frames:
                yield b"".join([frame.sse for frame in batch]) or _HEARTBEAT


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
