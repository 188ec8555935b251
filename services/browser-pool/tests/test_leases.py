"""Leases and routing: one holder, whom the others ask, and who is followed when it is gone."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.lease_keys import browser_lease_key
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import LEASES_BUCKET
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.session_events.inputs import Created
from agent_contracts.whose_browser import WhoseBrowser
from agent_platform.log.bucket import Bucket, bucket
from agent_platform.log.event_message import event_message
from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.metrics import Metrics
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.leases.leases import Lease, Leases, LeaseState
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.handlers import ContextWork
from browser_pool.metrics import PoolMetrics
from browser_pool.owners import BrowserOwners
from browser_pool.routing import HOLDER_GONE, BrowserRouting
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.browser_pool.pools import two
from foldline_testing.browser_pool.world import local_chromium, site_logins

SESSION = SessionId("s1")


async def test_of_two_that_take_a_lease_one_has_it_and_only_it_gives_it_back() -> None:
    shared = Bucket(MemoryLog(), LEASES_BUCKET)
    a, b = (Leases(shared, name, browser_lease_key) for name in ("a", "b"))
    nobody = await a.find(SESSION)
    assert nobody == LeaseState(Lease(), 0)
    assert await a.take(SESSION, nobody)
    assert not await b.take(SESSION, nobody)
    await b.release(SESSION, "mine")
    assert (await b.find(SESSION)).lease == Lease("a")
    await a.release(SESSION, "too long unused")
    free = await b.find(SESSION)
    assert free.lease == Lease(None, "too long unused")
    assert await b.take(SESSION, free)
    await shared.put(browser_lease_key(SESSION), b"{")
    assert await a.take(SESSION, await a.find(SESSION)), "what can't be read is nobody's"


class Pool:
    """A pool whose handler only notes what it was given."""

    def __init__(self, connection: NatsConnection, name: str) -> None:
        self.leases = Leases(bucket(connection, LEASES_BUCKET), name, browser_lease_key)
        metrics = PoolMetrics(Metrics())
        self.contexts = BrowserContexts(local_chromium, self.leases, site_logins(), metrics)
        self.handled: list[int] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.log = MemoryLog()
        work, owners = ContextWork(self._handle, self._asked), BrowserOwners(self.log)
        self.routing = BrowserRouting(connection, self.leases, self.contexts, work, metrics, owners)
        self.task = asyncio.create_task(self.routing.run())

    async def _handle(self, delivery: Delivery) -> None:
        await self.gate.wait()
        self.handled.append(delivery.message.sequence)

    async def _asked(self, asked: CodeCall) -> bytes:
        return self.leases.me.encode()

    async def end(self) -> None:
        """As if it died."""
        self.task.cancel()
        await asyncio.wait([self.task])


def call(sequence: int, session: SessionId = SESSION) -> Delivery:
    subject = SessionKey(AgentId("a1"), session).decision("foldline.session.tool_call_requested.v1")
    return Delivery(StoredMessage(sequence, f"{subject}.browser.c{sequence}", b"[]", {}), 1)


async def begun(
    log: MemoryLog, session: SessionId, parent: SessionId | None = None, browser: WhoseBrowser = "own"
) -> None:
    """The session's first event, in this log."""
    key = SessionKey(AgentId("a1"), session)
    event = Created(key.agent_id, 1, parent_id=parent, browser=browser)
    message, _ = event_message(event, key.input(type_of(event)), origin_of(event), SystemClock())
    await log.append(message)


@pytest.fixture
async def pools(nats_server: NatsForTest) -> AsyncIterator[tuple[Pool, Pool]]:
    async with two(Pool, nats_server) as both:
        yield both


async def test_calls_of_a_session_that_shares_its_parents_browser_go_to_that_ones_holder(
    pools: tuple[Pool, Pool],
) -> None:
    a, b = pools
    child, grandchild, apart = (SessionId(one) for one in ("child", "grandchild", "apart"))
    for pool in pools:
        await begun(pool.log, SESSION)
        await begun(pool.log, child, SESSION, "parent")
        await begun(pool.log, grandchild, child, "parent")
        await begun(pool.log, apart, SESSION, "own")
    await a.routing.handle(call(1))
    await b.routing.handle(call(2, child))
    await b.routing.handle(call(3, grandchild))
    await b.routing.handle(call(4, apart))
    assert (a.handled, b.handled) == ([1, 2, 3], [4])
    for one in (child, grandchild):
        assert (await b.leases.find(one)).lease == Lease(), "it has no lease of its own"
    await a.end()
    await b.routing.handle(call(5, child))
    assert b.handled == [4, 5]
    assert (await b.leases.find(SESSION)).lease.holder == "b"
    for one in (SESSION, child):
        assert b.contexts.lost_of(one) == HOLDER_GONE, "both lost what they had open"


async def test_calls_go_to_the_holder_in_order_and_to_another_pool_when_it_is_gone(
    pools: tuple[Pool, Pool],
) -> None:
    a, b = pools
    await a.routing.handle(call(1))
    await b.routing.handle(call(2))
    assert (a.handled, b.handled) == ([1, 2], [])
    a.gate.clear()
    waiting = [asyncio.create_task(pool.routing.handle(call(n))) for n, pool in ((3, a), (4, b), (5, a))]
    await asyncio.sleep(0.2)  # sleeps: quiet
    await b.routing.handle(call(6, SessionId("s2")))
    assert b.handled == [6], "other sessions don't wait"
    a.gate.set()
    await asyncio.gather(*waiting)
    assert sorted(a.handled) == [1, 2, 3, 4, 5]
    await a.end()
    await b.routing.handle(call(7))
    assert b.handled == [6, 7]
    assert (await b.leases.find(SESSION)).lease.holder == "b"
    assert b.contexts.lost_of(SESSION) == HOLDER_GONE
