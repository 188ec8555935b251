"""One listener's bounded queue of frames: what it can't take in time is not kept for it."""

import asyncio
from collections import deque
from collections.abc import Callable

import msgspec

from gateway.live.event_filter import EventFilter
from gateway.live.frames import LiveFrame


class LagLimits(msgspec.Struct, frozen=True):
    """How far a listener may fall behind before it is disconnected: in frames, and in bytes."""

    frames: int = 2048
    bytes: int = 8 * 1024 * 1024


class Subscription:
    """Frames on their way to one listener. `after`: events up to this place it has already."""

    def __init__(
        self, wanted: EventFilter, after: int, limits: LagLimits, give_up: Callable[[], object]
    ) -> None:
        self.wanted = wanted
        self.after = after
        self._limits = limits
        self._give_up = give_up
        self._frames: deque[LiveFrame] = deque()
        self._bytes = 0
        self._filled = asyncio.Event()

    def offer(self, frame: LiveFrame) -> bool:
        """Queue an event's frame. False: the listener is too slow, and was told to end."""
        if len(self._frames) >= self._limits.frames or self._bytes + len(frame.sse) > self._limits.bytes:
            self._give_up()
            return False
        self._add(frame)
        return True

    def offer_passing(self, frame: LiveFrame) -> None:
        """Queue a frame that nobody misses: dropped once the queue is half full."""
        if len(self._frames) * 2 < self._limits.frames and self._bytes * 2 < self._limits.bytes:
            self._add(frame)

    async def take(self) -> list[LiveFrame]:
        """Wait for frames and take all that are there."""
        await self._filled.wait()
        taken = list(self._frames)
        self._frames.clear()
        self._bytes = 0
        self._filled.clear()
        return taken

    def _add(self, frame: LiveFrame) -> None:
        self._frames.append(frame)
        self._bytes += len(frame.sse)
        self._filled.set()
