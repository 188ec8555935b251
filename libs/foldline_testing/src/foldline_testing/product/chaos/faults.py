"""Faults that strike at a chosen moment, and say when they did."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from agent_platform.process.stop_points import arm, has_fired
from foldline_testing.product.chaos.log_view import LogView
from foldline_testing.product.stack import Stack

_LOOK_S = 0.01


class Fault(Protocol):
    """One fault. Armed for the length of a block, it strikes at most once."""

    @property
    def name(self) -> str:
        """What strikes, and when, in a few words."""
        ...

    @property
    def struck_at(self) -> float | None:
        """The loop's time of the strike; None before."""
        ...

    def armed(self, stack: Stack, view: LogView) -> "contextlib.AbstractAsyncContextManager[None]":
        """Strike while the block runs."""
        ...


class StopPoint:
    """SIGKILL from within: the process that comes by a stop point for the `nth` time, there or later."""

    def __init__(self, folder: Path, point: str, nth: int = 1, after_s: float = 0) -> None:
        self._folder = folder
        self._point = point
        self._nth = nth
        self._after_s = after_s
        self.struck_at: float | None = None

    @property
    def name(self) -> str:
        """See `Fault`."""
        later = f" + {self._after_s * 1000:.1f} ms" if self._after_s else ""
        return f"{self._point} #{self._nth}{later}"

    @asynccontextmanager
    async def armed(self, stack: Stack, view: LogView) -> AsyncIterator[None]:
        """See `Fault`."""
        arm(self._folder, self._point, self._nth, self._after_s)
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            (self._folder / self._point).unlink(missing_ok=True)

    async def _watch(self) -> None:
        while not has_fired(self._folder, self._point):  # noqa: ASYNC110 — another process takes the file
            await asyncio.sleep(_LOOK_S)
        self.struck_at = asyncio.get_running_loop().time() + self._after_s


class OnEvent:
    """A signal from outside, when the `nth` session event of a kind is published.

    SIGKILL to every process of a name, or with `frozen_s` SIGSTOP to one, and SIGCONT so many seconds later.
    """

    def __init__(self, victim: str, kind: str, nth: int = 1, *, frozen_s: float | None = None) -> None:
        self._victim = victim
        self._kind = kind
        self._left = nth
        self._frozen_s = frozen_s
        self._pids: list[int] = []
        self._thawing: asyncio.Task[None] | None = None
        self.name = f"{victim} {'killed' if frozen_s is None else 'frozen'} at {kind} #{nth}"
        self.struck_at: float | None = None

    @asynccontextmanager
    async def armed(self, stack: Stack, view: LogView) -> AsyncIterator[None]:
        """See `Fault`."""
        self._pids = stack.pids(self._victim)
        assert self._pids, f"there is no process {self._victim}"
        if self._frozen_s is not None:
            self._pids = self._pids[:1]
        try:
            async with view.listening(self._heard):
                yield
        finally:
            if self._thawing is not None:
                await self._thawing

    def _heard(self, kind: str) -> None:
        if kind != self._kind or self.struck_at is not None:
            return
        self._left -= 1
        if self._left:
            return
        self._send(signal.SIGKILL if self._frozen_s is None else signal.SIGSTOP)
        self.struck_at = asyncio.get_running_loop().time()
        if self._frozen_s is not None:
            self._thawing = asyncio.create_task(self._thaw(self._frozen_s))

    async def _thaw(self, seconds: float) -> None:
        try:
            await asyncio.sleep(seconds)  # sleeps: work
        finally:
            self._send(signal.SIGCONT)

    def _send(self, what: signal.Signals) -> None:
        for pid in self._pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, what)
