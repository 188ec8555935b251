"""One connection of HTTP/1.1: it must say what it wants in time, and makes way for others if it doesn't.

uvicorn waits for ever for a request's head. So a few thousand connections that send half of one, or one byte
a minute, take every connection that a process may have, without a token, and nobody else comes in.
"""

import asyncio
from typing import Any

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

from agent_platform.process.open_files import open_files

log = structlog.get_logger()

_OWN_FILES = 256
"""Open files that are kept for everything else in the process."""


class BoundedHttp(H11Protocol):
    """uvicorn's protocol, with a time-out for heads and a limit of connections.

    `head_s`: how many seconds the head of a request may take, from its first byte or from the connection on.
    `most`: how many connections are open at a time, live streams included.

    Over the limit, the oldest connection whose request isn't whole yet is closed for the new one. Where all
    are in use, the new one is closed. What people watch or send in the meantime is not touched.
    """

    head_s = 10.0
    most = 1000

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_timer: asyncio.TimerHandle | None = None
        self._since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Someone came: the first head is awaited."""
        super().connection_made(transport)
        if len(self.connections) > self.most and not self._make_room():
            log.warning("connections.full", connections=len(self.connections))
            transport.abort()
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Bytes came. While they are no whole head, the time for it runs on, however many come."""
        super().data_received(data)
        if self._in_hand:
            self._stop_waiting()
        elif self._head_timer is None:
            self._await_head()

    def on_response_complete(self) -> None:
        """A request was answered; of it, or of a following one, some may be missing still."""
        super().on_response_complete()
        self._since = self.loop.time()
        begun = self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]
        if begun and not self._in_hand:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """They left."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def waits_for_them(self) -> bool:
        """Whether there is no request, or not all of one: then nobody loses an answer by the end of it."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not self.transport.is_closing()

    @property
    def _in_hand(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        self._stop_waiting()
        self._head_timer = self.loop.call_later(self.head_s, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _too_slow(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            log.info("connection.too_slow", seconds=self.head_s)
            self.transport.abort()

    def _make_room(self) -> bool:
        others = (
            one
            for one in self.connections
            if one is not self and isinstance(one, BoundedHttp) and one.waits_for_them
        )
        oldest = min(others, key=lambda one: one._since, default=None)
        if oldest is None:
            return False
        oldest.transport.abort()
        return True


def bounded_http(most: int, head_s: float) -> type[BoundedHttp]:
    """The protocol with these bounds."""
    return type("Http", (BoundedHttp,), {"most": most, "head_s": head_s})


def possible_connections(wanted: int) -> int:
    """So many of the wanted connections as the process may open files for, after asking for all that it may.

    With fewer, the limit would never be reached: accepting would fail first, for everybody.
    """
    needed = wanted + _OWN_FILES
    possible = open_files(needed)
    if possible >= needed:
        return wanted
    fewer = max(possible // 2, possible - _OWN_FILES)
    log.warning("connections.fewer", wanted=wanted, possible=fewer, open_files=possible)
    return fewer
