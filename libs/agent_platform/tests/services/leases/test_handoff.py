"""Work on a thing is done by the process that holds it, and by another when that one is gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial

import msgspec
import pytest

from agent_contracts.errors import Permanent, Rejected, Transient
from agent_contracts.log.subjects import LEASES_BUCKET
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.services.leases.handoff import RETURNED, HandOff, HandOffOutcome, PassedWork, handled
from agent_platform.services.leases.leases import Lease, Leases, LeaseState
from agent_platform.services.streams import prepare
from foldline_testing.agent_platform.eventually import eventually, until
from foldline_testing.agent_platform.servers import NatsForTest


class Errand(msgspec.Struct, frozen=True):
    place: str
    says: str = "done"
    for_whom: str | None = None


class Errands(HandOff[str, Errand]):
    """Runs errands at places, each held by one process. Where it is full, it passes them on."""

    gone = "who was there stopped"

    def __init__(self, connection: NatsConnection, name: str) -> None:
        self.leases: Leases[str] = Leases(
            bucket(connection, LEASES_BUCKET), name, lambda place: f"browser.{place}"
        )
        super().__init__(connection, self.leases, Errand, lambda process: f"errands.{process}")
        self.ran: list[str] = []
        self.counted: list[str] = []
        self.passes_to: str | None = None
        self.task = asyncio.create_task(self.run())

    def thing(self, work: Errand) -> str:
        return work.place

    def count(self, outcome: str) -> None:
        self.counted.append(outcome)

    async def here(self, held: LeaseState, work: Errand) -> HandOffOutcome | PassedWork[Errand]:
        if self.passes_to is not None:
            passed = msgspec.structs.replace(work, for_whom=self.leases.me)
            return PassedWork(self.passes_to, passed, lambda: self.ran.append("accepted"))
        if held.lease.holder is None and not await self.leases.take(work.place, held):
            return RETURNED
        return self._run(work)

    async def taken_over(self, held: LeaseState, work: Errand) -> HandOffOutcome:
        mine = held.lease.holder == self.leases.me
        accepts = work.for_whom is not None and not mine and await self.leases.take(work.place, held)
        return self._run(work) if mine or accepts else RETURNED

    def _run(self, work: Errand) -> HandOffOutcome:
        match work.says:
            case "no":
                raise Rejected("not like this")
            case "later":
                raise Transient("not now", kind="busy", retry_after=3)
        self.ran.append(work.place)
        return handled(f"{work.says} by {self.leases.me}".encode())


@pytest.fixture
async def two(nats_server: NatsForTest) -> AsyncIterator[tuple[Errands, Errands]]:
    async with AsyncExitStack() as stack:
        made = []
        for name in ("a", "b"):
            connection = await connect(nats_server.url, name=name)
            stack.push_async_callback(connection.close)
            await prepare(connection, [])
            made.append(Errands(connection, name))
        for one in made:
            stack.callback(one.task.cancel)
            await eventually(partial(_listens, one))
        yield made[0], made[1]


async def _listens(one: Errands) -> bool | None:
    try:
        await one._connection.request(f"errands.{one.leases.me}", b"", timeout=1)
    except Transient:
        return None
    return True


async def test_work_is_done_where_its_thing_is_held(two: tuple[Errands, Errands]) -> None:
    a, b = two
    assert [await one.done(Errand("well")) for one in (a, b)] == [b"done by a"] * 2
    assert (a.ran, b.ran, b.counted) == (["well", "well"], [], ["handled"])


async def test_a_failure_at_the_holder_is_raised_by_who_handed_the_work_off(
    two: tuple[Errands, Errands],
) -> None:
    a, b = two
    await a.done(Errand("well"))
    with pytest.raises(Permanent, match="not like this"):
        await b.done(Errand("well", "no"))
    with pytest.raises(Transient, match="not now") as failed:
        await b.done(Errand("well", "later"))
    assert (failed.value.kind, failed.value.retry_after) == ("busy", 3)


async def test_a_holder_that_is_gone_loses_the_thing(two: tuple[Errands, Errands]) -> None:
    a, b = two
    await a.done(Errand("well"))
    a.task.cancel()
    await asyncio.wait({a.task})
    assert await b.done(Errand("well")) == b"done by b"
    assert (await b.leases.find("well")).lease == Lease("b")
    assert b.counted == ["unanswered"]


async def test_what_is_passed_on_is_held_by_who_accepted_it(two: tuple[Errands, Errands]) -> None:
    a, _ = two
    a.passes_to = "b"
    assert await a.done(Errand("well")) == b"done by b"
    assert (a.ran, (await a.leases.find("well")).lease) == (["accepted"], Lease("b"))
    a.passes_to = "nobody"
    waiting = asyncio.create_task(a.done(Errand("mill")))
    await until(lambda: "unanswered" in a.counted)
    a.passes_to = None
    assert await waiting == b"done by a", "who doesn't answer accepts nothing"


async def test_what_no_process_of_the_kind_sent_is_refused(two: tuple[Errands, Errands]) -> None:
    a, b = two
    answer = await b._connection.request("errands.a", b"\xff", timeout=10)
    outcome = msgspec.msgpack.decode(answer.data, type=HandOffOutcome)
    assert (outcome.state, outcome.kind) == ("failed", "permanent")
    assert a.ran == []
