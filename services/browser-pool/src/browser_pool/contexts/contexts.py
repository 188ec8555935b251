"""All contexts of a pool, in one Chromium: one for each session that uses a browser of its own. Sessions that
share it have pages of their own in it; it lives until the last of them ends."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache
from playwright.async_api import Error

from agent_contracts.errors import ErrorKind, Failure, NotStarted, Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_domain.site_logins.site_logins import SiteLogins
from agent_platform.process.interruption import Interruption
from agent_platform.services.leases.leases import Leases
from browser_pool.chromium.on_demand import Start
from browser_pool.contexts.chromium_host import ChromiumHost
from browser_pool.contexts.context_opener import ContextOpener
from browser_pool.contexts.session_context import SessionContext
from browser_pool.limits import CHROMIUM_IDLE_S, CONTEXTS, IDLE_S
from browser_pool.metrics import PoolMetrics

Reason = Literal["idle", "chromium", "windows", "room"]

_LOOKS_EVERY_S = 5.0
_EVICTED_AFTER_S = 60.0
_REMEMBERED = 10_000

CHROMIUM_DIED = "Chromium died and was started again"
UNUSED = f"nothing used it for {IDLE_S / 60:g} minutes"
MADE_ROOM = "other sessions needed its place"

log = structlog.get_logger()


class BrowserContexts:
    """Opens, finds and closes contexts. Whatever ends one before its session did is told to the session's
    next call."""

    def __init__(  # noqa: PLR0913 — what contexts are made of, and their limits
        self,
        start: Start,
        leases: Leases[SessionId],
        logins: SiteLogins,
        metrics: PoolMetrics,
        *,
        idle_s: float = IDLE_S,
        most: int = CONTEXTS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`start` is how Chromium is started."""
        self._host = ChromiumHost(start, self._chromium_died)
        self._opening = ContextOpener(self._host, logins, metrics)
        self._leases = leases
        self._metrics = metrics
        self._idle_s = idle_s
        self._most = most
        self._now = now
        self._open: dict[SessionId, SessionContext] = {}
        self._places: set[SessionId] = set()
        self._lost: LRUCache[SessionId, str] = LRUCache(_REMEMBERED)
        self._owners: LRUCache[SessionId, SessionId] = LRUCache(_REMEMBERED)
        """Of sessions that share another's browser: whose it is."""
        self._turns: WeakValueDictionary[SessionId, asyncio.Lock] = WeakValueDictionary()
        self._unused_since = now()
        self._closing: set[asyncio.Task[None]] = set()
        self._interruption = Interruption("contexts_closing")

    def has_room(self, *, evict: bool) -> bool:
        """Whether there is room for one more; with `evict`, in the place of one that was unused for long."""
        return len(self._open.keys() | self._places) < self._most or (evict and self._unused() is not None)

    def holds(self, session: SessionId) -> bool:
        """Whether the session's context is open here."""
        return session in self._open

    def lend_to(self, session: SessionId, owner: SessionId) -> None:
        """The session uses the browser of `owner`, which may be itself."""
        if session != owner:
            self._owners[session] = owner

    def _owner(self, session: SessionId) -> SessionId:
        return self._owners.get(session, session)

    def place(self, session: SessionId, *, evict: bool) -> bool:
        """Keep a place for the session's context, until it is opened, or `leave_place`. True if it has one;
        with `evict`, one that was unused for long is closed for it."""
        if session in self._open or session in self._places:
            return True
        if not self.has_room(evict=evict):
            return False
        if not self.has_room(evict=False) and (unused := self._unused()) is not None:
            self._drop(unused, MADE_ROOM, "room")
        self._places.add(session)
        return True

    def leave_place(self, session: SessionId) -> None:
        """Nothing was opened there, or it was."""
        self._places.discard(session)

    @property
    def chromium(self) -> ChromiumHost:
        """The browser behind them."""
        return self._host

    def has_died(self, context: SessionContext) -> bool:
        """Whether a lost context went with Chromium."""
        return context.lost == CHROMIUM_DIED

    def begin(self, session: SessionId, lost: str | None) -> None:
        """The session's lease is this pool's from now on; `lost` is why it has no context any more. One
        that is still here, from when this pool held the lease before, is nobody's."""
        if lost is None:
            return
        self._lost[session] = lost
        stale = self._open.pop(session, None)
        if stale is not None:
            log.warning("context.stale", session_id=session, because=lost)
            stale.lost = lost
            self.keep(asyncio.create_task(stale.close()))
            self._counted()

    def turn(self, session: SessionId) -> asyncio.Lock:
        """Held by whoever works with the session's context, or gives it up: first come, first served."""
        return self._turns.setdefault(session, asyncio.Lock())

    @asynccontextmanager
    async def lent(
        self, agent: AgentId, session: SessionId
    ) -> AsyncIterator[tuple[SessionContext, str | None]]:
        """The session's context, opened if it has none, and why it is not the one that it had (None: it is).
        A new one has the logins that are kept for the agent.

        Raises what starting Chromium does; `Rejected(kind="not_available")` where there are too many.
        """
        owner = self._owner(session)
        context = self._open.get(owner)
        if context is not None and not context.is_alive:
            await self._host.lives()  # all that went with it are told at once, not when the watch wakes
            context = None
        if context is None:
            context = await self._opened(agent, owner)
        context.calls += 1
        context.users.add(session)
        try:
            yield context, self.lost_of(session)
        finally:
            context.calls -= 1
            context.used_at = self._now()

    def of(self, session: SessionId) -> SessionContext | None:
        """The session's context, if it has one here."""
        return self._open.get(self._owner(session))

    def is_held(self, session: SessionId) -> bool:
        """Whether a person has the session's context now."""
        context = self.of(session)
        return context is not None and context.is_held

    def lost_of(self, session: SessionId) -> str | None:
        """What the session's next call is to be told. Each session that shares a context is told once."""
        context = self.of(session)
        if context is None:
            return self._lost.get(self._owner(session))
        return context.left.get(session) or (None if session in context.told else context.after)

    def told(self, session: SessionId) -> None:
        """The session knows that it lost its context."""
        context = self.of(session)
        if context is None:
            self._lost.pop(self._owner(session), None)
        else:
            context.told.add(session)
            context.left.pop(session, None)

    async def end(self, session: SessionId, lost: str | None = None) -> None:
        """The session uses no browser any more: see `close`. After the calls that use it."""
        owner = self._owner(session)
        if owner in self._open or owner in self._turns:
            async with self.turn(owner):
                await self.close(session, lost)
        self._owners.pop(session, None)

    async def close(self, session: SessionId, lost: str | None = None) -> bool:
        """Close the session's context and give its lease back; whether there was one. While other sessions
        use it, only the session's pages are closed. For whoever has the turn."""
        owner = self._owner(session)
        context = self._open.get(owner)
        if context is not None and context.users - {session}:
            was_open = session in context.users
            await context.leave(session)
            if was_open and lost is not None:
                context.left[session] = lost
            return was_open
        return await self._close(owner, lost)

    async def _close(self, session: SessionId, lost: str | None) -> bool:
        context = self._open.pop(session, None)
        self._lost.pop(session, None)
        self._counted()
        try:
            if context is not None:
                context.lost = context.lost or lost or "it was closed"
                await context.close()
        finally:  # whatever Chromium says: the session isn't bound to this pool any more
            await self._leases.release(session, lost)
        return context is not None

    async def run(self) -> None:
        """Close what is unused, until cancelled; then all of it."""
        try:
            while True:
                await asyncio.sleep(min(_LOOKS_EVERY_S, self._idle_s / 2))
                await self.look()
        finally:
            await self._close_all()

    async def look(self) -> None:
        """Close what has been unused for long."""
        try:
            for session in [one for one in self._open if self._is_unused(one)]:
                async with self.turn(session):
                    if self._is_unused(session):
                        self._metrics.lost.labels("idle").inc()
                        await self._close(session, UNUSED)
            unused = not self._open and not self._places
            if unused and self._host.is_running and self._now() - self._unused_since >= CHROMIUM_IDLE_S:
                await self._host.stop()
                log.info("chromium.ended", because="no session uses it")
            self._interruption.over()
        except Failure as failure:
            self._interruption.hit(failure.message)
        except Exception as error:  # a bug: the other sessions keep their browsers
            self._interruption.hit(type(error).__name__, bug=error)

    async def _opened(self, agent: AgentId, session: SessionId) -> SessionContext:
        if not self.place(session, evict=True):
            raise Rejected(
                f"all browsers are in use: {self._most} sessions use this browser pool, which is the most "
                "(FOLDLINE_BROWSER_CONTEXTS), and no other pool has room. Nothing was done. Close one's "
                "browser (browser_close), or try again later",
                kind=ErrorKind.NOT_AVAILABLE,
            )
        try:
            context = await self._opening.opened(
                agent, lambda context: self._drop(session, context.lost or "", "windows")
            )
        except Error as error:
            if not await self._host.lives():
                raise NotStarted("Chromium died while a context was opened", retry_after=0.2) from error
            raise NotStarted(f"no browser context could be opened: {str(error)[:300]}") from error
        finally:
            self.leave_place(session)
        if not context.is_alive:  # else nobody would ever drop it
            await context.close()
            raise NotStarted("Chromium died while a context was opened", retry_after=0.2)
        context.after = self._lost.pop(session, None)
        self._open[session] = context
        self._metrics.opened.inc()
        self._counted()
        return context

    def _unused(self) -> SessionId | None:
        """The session whose context was unused for longest, if for a minute."""
        idle = {
            one: context
            for one, context in self._open.items()
            if not context.calls and not context.is_held and not self.turn(one).locked()
        }
        oldest = min(idle, key=lambda one: idle[one].used_at, default=None)
        if oldest is None or self._now() - idle[oldest].used_at < _EVICTED_AFTER_S:
            return None
        return oldest

    def _is_unused(self, session: SessionId) -> bool:
        context = self._open.get(session)
        if context is None or context.calls or context.is_held:
            return False
        return self._now() - context.used_at >= self._idle_s

    def _chromium_died(self) -> None:
        """Those of a new one stay."""
        lost = [session for session, context in self._open.items() if not context.is_alive]
        log.warning("chromium.died", contexts=len(lost))
        for session in lost:
            self._drop(session, CHROMIUM_DIED, "chromium")

    def _drop(self, session: SessionId, lost: str, reason: Reason) -> None:
        """Close a context at once, whoever uses it. The lease stays this pool's, which knows what to tell."""
        context = self._open.pop(session, None)
        if context is None:
            return
        context.lost = self._lost[session] = lost
        self._metrics.lost.labels(reason).inc()
        log.warning("context.lost", session_id=session, because=lost)
        self.keep(asyncio.create_task(context.close()))
        self._counted()

    def keep(self, task: asyncio.Task[None]) -> None:
        """Let it run to its end."""
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _counted(self) -> None:
        self._metrics.contexts.set(len(self._open))
        if not self._open:
            self._unused_since = self._now()

    async def _close_all(self) -> None:
        with contextlib.suppress(Failure, TimeoutError):
            async with asyncio.timeout(3):
                for session in list(self._open):
                    await self._leases.release(session, "the browser pool was stopped")
        self._open.clear()
        self._counted()
        if self._closing:
            await asyncio.wait(self._closing, timeout=3)
        await self._host.stop()
