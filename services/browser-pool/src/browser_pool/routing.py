"""Each call is worked on by the pool that holds its session's context: who gets it hands it off.

A session that shares its parent's browser has no lease and no context of its own: its calls go by the session
that the browser belongs to, one after another with that one's.

All pools pull from one durable consumer, and answer what code asks as one queue.

A context that nobody holds is opened by whoever has room: here, else at a pool that says so, else in the
place of a context that was unused for a minute. Where all are full, sessions wait a little, first come, first
served.
"""

import asyncio
from contextlib import AbstractAsyncContextManager

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.log.subjects import browser_pool_subject, browser_pools_with_room
from agent_contracts.questions.code_calls import CodeCall
from agent_platform.nats.connection import NatsConnection
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.leases.handoff import (
    AGAIN_S,
    RETURNED,
    HandOff,
    HandOffOutcome,
    PassedWork,
    handled,
)
from agent_platform.services.leases.leases import Leases, LeaseState
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.handlers import ContextWork
from browser_pool.limits import WAITING, WAITS_S
from browser_pool.metrics import PoolMetrics
from browser_pool.owners import BrowserOwners

HOLDER_GONE = "the browser pool that held the session's pages stopped"
_ROOM_S = 0.25
"""Seconds in which a pool that has room says so."""

log = structlog.get_logger()


class BrowserWork(msgspec.Struct, frozen=True):
    """A delivery, or what code asked, for the holder of the context of `owner`, the session that the browser
    belongs to. With `opens_from`, for a pool that has room: it may take the lease from nobody, or from this
    pool, whose context is `lost`."""

    owner: SessionId
    delivery: Delivery | None = None
    asked: CodeCall | None = None
    opens_from: str | None = None
    lost: str | None = None

    @property
    def session(self) -> SessionId:
        """Whose call it is."""
        return _key_of(self.delivery, self.asked).session_id


class BrowserRouting(HandOff[SessionId, BrowserWork]):
    """Runs `work` here for sessions whose contexts are here or nowhere, else at their holder.

    The calls of a session run one after another, in the order in which they came.
    """

    gone = HOLDER_GONE

    def __init__(  # noqa: PLR0913 — where calls come from, who holds what, and what is done with them
        self,
        connection: NatsConnection,
        leases: Leases[SessionId],
        contexts: BrowserContexts,
        work: ContextWork,
        metrics: PoolMetrics,
        owners: BrowserOwners,
    ) -> None:
        super().__init__(connection, leases, BrowserWork, browser_pool_subject)
        self._contexts = contexts
        self._runs = work
        self._metrics = metrics
        self._owners = owners
        self._queue = asyncio.Lock()
        self._waiting = 0

    async def run(self) -> None:
        """Take over what other pools hand off, and tell them whether there is room, until cancelled."""
        room = await self._connection.subscribe(browser_pools_with_room(), self._tell_room)
        try:
            await super().run()
        finally:
            await self._connection.unsubscribe(room)

    async def handle(self, delivery: Delivery) -> None:
        """Returns when the message was handled, here or at its holder. Raises what handling it does."""
        owner = await self._owners.of(_key_of(delivery, None))
        await self.done(BrowserWork(owner, delivery=delivery))

    async def answer(self, question: bytes) -> bytes:
        """What code asked with a `CodeCall`: a `ToolAnswer`, from here or from the holder."""
        try:
            asked = msgspec.json.decode(question, type=CodeCall)
        except msgspec.DecodeError as error:
            raise Rejected(f"not a call of a browser's tool: {error}") from error
        owner = await self._owners.of(_key_of(None, asked))
        return await self.done(BrowserWork(owner, asked=asked))

    def thing(self, work: BrowserWork) -> SessionId:
        """See `HandOff`."""
        return work.owner

    def turn(self, thing: SessionId) -> AbstractAsyncContextManager[object]:
        """See `HandOff`."""
        return self._contexts.turn(thing)

    def count(self, outcome: str) -> None:
        """See `HandOff`."""
        self._metrics.handed_off.labels(outcome).inc()

    async def here(self, held: LeaseState, work: BrowserWork) -> HandOffOutcome | PassedWork[BrowserWork]:
        """See `HandOff`. The lease is nobody's, or this pool's, with a context or without."""
        session = work.owner
        room = await self._room_for(session)
        if room is not None:
            lost = self._lost(held, session)
            opens = msgspec.structs.replace(work, opens_from=self._leases.me, lost=lost)
            return PassedWork(room, opens, lambda: self._contexts.told(session))
        try:
            if held.lease.holder is None:
                if not await self._leases.take(session, held):
                    return RETURNED
                self._contexts.begin(session, self._lost(held, session))
            return handled(await self._run(work))
        finally:
            self._contexts.leave_place(session)

    def _lost(self, held: LeaseState, session: SessionId) -> str | None:
        return held.lease.lost if held.lease.holder is None else self._contexts.lost_of(session)

    async def _room_for(self, session: SessionId) -> str | None:
        """Another pool that has room, or opened it meanwhile. None: the session has a place here, or nobody
        has one."""
        if self._contexts.holds(session):
            return None
        if not self._waiting and self._contexts.place(session, evict=False):
            return None
        if self._waiting >= WAITING:
            return None
        self._waiting += 1
        try:
            async with asyncio.timeout(WAITS_S), self._queue:
                while True:
                    for evict in (False, True):
                        if self._contexts.place(session, evict=evict):
                            return None
                        other = await self._other_with_room(evict=evict)
                        if other is not None:
                            return other
                    await asyncio.sleep(AGAIN_S)
                    holder = (await self._leases.find(session)).lease.holder
                    if holder not in (None, self._leases.me):
                        return holder
        except TimeoutError:
            log.warning("browser.all_full", session_id=session, waited_s=WAITS_S)
            return None
        finally:
            self._waiting -= 1

    async def _other_with_room(self, *, evict: bool) -> str | None:
        question = msgspec.json.encode([self._leases.me, evict])
        subject = browser_pools_with_room()
        try:
            return (await self._connection.request(subject, question, timeout=_ROOM_S)).data.decode()
        except Transient:
            return None

    async def _tell_room(self, message: Msg) -> None:
        try:
            who, evict = msgspec.json.decode(message.data, type=tuple[str, bool])
        except msgspec.DecodeError as error:
            log.warning("room.unreadable", error=str(error))
            return
        if who != self._leases.me and not self._waiting and self._contexts.has_room(evict=evict):
            await self._connection.publish(message.reply, self._leases.me.encode())

    async def taken_over(self, held: LeaseState, work: BrowserWork) -> HandOffOutcome:
        """See `HandOff`."""
        session = work.owner
        if held.lease.holder == self._leases.me:
            return await self._with_a_place(work)
        if work.opens_from is None or held.lease.holder not in (None, work.opens_from):
            return RETURNED
        try:
            has_place = self._contexts.place(session, evict=True)
            if not has_place or not await self._leases.take(session, held):
                return RETURNED
            self._contexts.begin(session, work.lost)
            return handled(await self._run(work))
        finally:
            self._contexts.leave_place(session)

    async def _with_a_place(self, work: BrowserWork) -> HandOffOutcome:
        """This pool holds the lease. Where it has neither a context nor room for one, it is given back."""
        session = work.owner
        if not self._contexts.place(session, evict=True):
            await self._leases.release(session, self._contexts.lost_of(session))
            self._contexts.told(session)
            return RETURNED
        try:
            return handled(await self._run(work))
        finally:
            self._contexts.leave_place(session)

    async def _run(self, work: BrowserWork) -> bytes:
        self._contexts.lend_to(work.session, work.owner)
        if work.asked is not None:
            return await self._runs.asked(work.asked)
        assert work.delivery is not None
        await self._runs.delivered(work.delivery)
        return b""


def _key_of(delivery: Delivery | None, asked: CodeCall | None) -> SessionKey:
    """Whose call it is."""
    if asked is not None and asked.session_id is not None:
        return SessionKey(asked.agent_id, asked.session_id)
    if delivery is None:
        raise Rejected("nothing was handed over")
    return parse_session_subject(delivery.message.subject).key
