"""Several pools: a call goes to one that has room, and waits a little where none has."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.lease_keys import browser_lease_key
from agent_contracts.log.subjects import LEASES_BUCKET
from agent_contracts.questions.code_calls import CodeCall
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.metrics import Metrics
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.leases.leases import Leases
from browser_pool import routing
from browser_pool.contexts.contexts import MADE_ROOM, BrowserContexts
from browser_pool.handlers import ContextWork
from browser_pool.metrics import PoolMetrics
from browser_pool.owners import BrowserOwners
from browser_pool.routing import BrowserRouting
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.browser_pool.pools import two
from foldline_testing.browser_pool.world import local_chromium, site_logins

pytestmark = pytest.mark.browser


class Pool:
    """A pool of two contexts; a call opens its session's, and says so or why it couldn't."""

    def __init__(self, connection: NatsConnection, name: str, most: int = 2) -> None:
        self.now = 0.0
        self.leases = Leases(bucket(connection, LEASES_BUCKET), name, browser_lease_key)
        metrics = PoolMetrics(Metrics())
        self.contexts = BrowserContexts(
            local_chromium, self.leases, site_logins(), metrics, most=most, now=lambda: self.now
        )
        work, owners = ContextWork(self._run, self._asked), BrowserOwners(MemoryLog())
        self.routing = BrowserRouting(connection, self.leases, self.contexts, work, metrics, owners)
        self.task = asyncio.create_task(self.routing.run())
        self.lost: dict[SessionId, str | None] = {}

    async def _run(self, delivery: Delivery) -> None:
        raise AssertionError("not here")

    async def _asked(self, asked: CodeCall) -> bytes:
        assert asked.session_id is not None
        try:
            async with self.contexts.lent(asked.agent_id, asked.session_id) as (_, lost):
                self.lost[asked.session_id] = lost
                self.contexts.told(asked.session_id)
                return self.leases.me.encode()
        except Exception as error:
            return str(error).encode()

    async def call(self, session: str) -> str:
        """Which pool ran it, or why none did."""
        asked = CodeCall(AgentId("a1"), SessionId(session), CallId("c1"), 1, 1, 1, "x", {})
        return (await self.routing.answer(msgspec.json.encode(asked))).decode()

    async def end(self) -> None:
        """As if it died."""
        self.task.cancel()
        await asyncio.wait([self.task])
        await self.contexts.chromium.stop()


@pytest.fixture
async def pools(nats_server: NatsForTest) -> AsyncIterator[tuple[Pool, Pool]]:
    async with two(Pool, nats_server) as both:
        yield both


async def test_a_full_pool_sends_sessions_to_one_that_has_room(pools: tuple[Pool, Pool]) -> None:
    a, _ = pools
    began = await asyncio.gather(*(a.call(f"s{n}") for n in range(4)))
    assert sorted(began) == ["a", "a", "b", "b"]
    again = [await pool.call(f"s{n}") for n in range(4) for pool in pools]
    assert again == [where for where in began for _ in pools], "each session keeps its pool, whoever is asked"


async def test_where_all_are_full_sessions_wait_in_their_order_for_a_place(pools: tuple[Pool, Pool]) -> None:
    a, _ = pools
    for n in range(4):
        await a.call(f"s{n}")
    ended: list[str] = []

    async def waits(session: str) -> str:
        ran_by = await a.call(session)
        ended.append(session)
        return ran_by

    waiting = []
    for name in ("w1", "w2"):
        waiting.append(asyncio.create_task(waits(name)))
        await asyncio.sleep(0.1)  # sleeps: quiet
    beside = asyncio.create_task(a.call("s0"))
    assert await asyncio.wait_for(beside, 15) == "a", "who has a place doesn't wait behind who has none"
    await asyncio.sleep(0.5)  # sleeps: quiet
    assert not ended
    [freed] = [pool for pool in pools if pool.contexts.holds(SessionId("s3"))]
    await freed.contexts.end(SessionId("s3"))
    assert await asyncio.wait_for(waiting[0], 25) == freed.leases.me
    assert ended == ["w1"]
    [freed] = [pool for pool in pools if pool.contexts.holds(SessionId("s2"))]
    await freed.contexts.end(SessionId("s2"))
    assert await asyncio.wait_for(waiting[1], 25) == freed.leases.me
    assert ended == ["w1", "w2"]


async def test_who_waits_too_long_or_behind_too_many_is_told_what_to_do(
    pools: tuple[Pool, Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routing, "WAITS_S", 3.0)
    monkeypatch.setattr(routing, "WAITING", 2)
    a, _ = pools
    for n in range(4):
        await a.call(f"s{n}")
    waiting = [asyncio.create_task(a.call(f"w{n}")) for n in range(2)]
    await asyncio.sleep(0.1)  # sleeps: quiet
    refused = await a.call("w3")
    assert not any(one.done() for one in waiting), "it is told at once"
    for told in (refused, *await asyncio.gather(*waiting)):
        assert "no other pool has room" in told
        assert "browser_close" in told
    await a.contexts.end(SessionId("s0"))
    await a.contexts.end(SessionId("s1"))
    assert await a.call("w3") in ("a", "b"), "a refused session is served once there is room"


async def test_a_context_that_made_room_moves_to_where_there_is_some_and_says_why(
    pools: tuple[Pool, Pool],
) -> None:
    a, b = pools
    for n in range(4):
        await a.call(f"s{n}")
    a.now = b.now = 61.0
    assert await a.call("new") == "a", "nobody has room: the one that was unused for longest goes"
    [gone] = [f"s{n}" for n in range(4) if not any(p.contexts.holds(SessionId(f"s{n}")) for p in pools)]
    for n in range(4):
        if b.contexts.holds(SessionId(f"s{n}")):
            await b.contexts.end(SessionId(f"s{n}"))
    for session in ("s0", "s1", "s2", "s3"):
        if a.contexts.holds(SessionId(session)):
            await a.call(session)
    assert await a.call(gone) == "b"
    assert b.lost[SessionId(gone)] == MADE_ROOM
    assert (await b.leases.find(SessionId(gone))).lease.holder == "b"
    await a.call(gone)
    assert b.lost[SessionId(gone)] is None, "it is told once"


async def test_two_pools_that_ask_each_other_for_one_session_both_get_their_answer(
    pools: tuple[Pool, Pool],
) -> None:
    a, b = pools
    for session in ("s0", "s1"):
        assert await a.call(session) == "a"
    a.now = 61.0
    await b.call("s2")
    await b.call("s3")
    b.now = 0.0
    assert await a.call("new") == "a"
    [gone] = [name for name in ("s0", "s1") if not a.contexts.holds(SessionId(name))]
    [kept] = {"s0", "s1"} - {gone}
    await asyncio.gather(a.call("new"), a.call(kept))  # both used just now: nothing makes room there
    await b.contexts.end(SessionId("s3"))
    lease = (await a.leases.find(SessionId(gone))).lease
    assert lease.holder == "a", "it holds the lease, and has no context"
    async with asyncio.timeout(25):
        assert {*await asyncio.gather(a.call(gone), b.call(gone))} == {"b"}
