"""Leases and catalogues in key-value buckets."""

import asyncio
from contextlib import aclosing

import pytest

from agent_contracts.errors import Conflict, Rejected
from agent_contracts.tool_spec import Catalogue, Effect, RunsOn, ToolSpec
from agent_platform.bucket import Bucket, bucket
from agent_platform.catalog import Catalog
from agent_platform.connection import Connection
from agent_platform.leases import BucketLeases, Leases
from agent_platform.testing.eventually import eventually


@pytest.fixture
def leases(connection: Connection) -> Leases:
    return BucketLeases(bucket(connection, "leases"))


async def is_free(leases: Leases, key: str) -> bool | None:
    return await leases.holder(key) is None or None


async def test_only_one_of_many_gets_a_lease(leases: Leases) -> None:
    got = await asyncio.gather(*(leases.acquire("partition.7", f"engine-{n}", 10) for n in range(8)))
    winners = [lease for lease in got if lease is not None]
    assert len(winners) == 1
    assert await leases.holder("partition.7") == winners[0].owner
    assert await leases.acquire("partition.8", "engine-9", 10) is not None


async def test_a_lease_is_renewed_and_released_by_its_owner(leases: Leases) -> None:
    lease = await leases.acquire("k", "one", 10)
    assert lease is not None
    renewed = await leases.renew(lease)
    assert renewed is not None
    assert await leases.renew(lease) is None, "an old proof is worth nothing"
    await leases.release(lease)
    assert await leases.holder("k") == "one"
    await leases.release(renewed)
    assert await leases.holder("k") is None
    assert await leases.acquire("k", "two", 10) is not None


async def test_an_owner_that_stops_renewing_loses_its_lease_to_the_next(leases: Leases) -> None:
    lost = await leases.acquire("k", "dead", 1)
    assert lost is not None
    assert await leases.acquire("k", "next", 1) is None
    taken = await eventually(lambda: leases.acquire("k", "next", 10))
    assert taken.owner == "next"
    assert await leases.renew(lost) is None
    await leases.release(lost)
    assert await leases.holder("k") == "next"


async def test_a_lease_that_expired_can_be_taken_at_once_and_again(leases: Leases) -> None:
    for owner in ("one", "two"):
        assert await leases.acquire("k", owner, 1) is not None
        await eventually(lambda: is_free(leases, "k"))


async def test_an_owner_takes_its_own_lease_again(leases: Leases) -> None:
    first = await leases.acquire("k", "one", 10)
    again = await leases.acquire("k", "one", 10)
    assert first is not None
    assert again is not None
    assert await leases.renew(first) is None
    assert await leases.renew(again) is not None


async def test_a_bucket_keeps_the_last_value_of_each_key(connection: Connection) -> None:
    snapshots = bucket(connection, "snapshots")
    revision = await snapshots.put("s1.v1", b"one", expect=0)
    await snapshots.put("s1.v1", b"two", expect=revision)
    with pytest.raises(Conflict):
        await snapshots.put("s1.v1", b"three", expect=revision)
    await snapshots.put("s2.v1", b"other")
    entries = await snapshots.list()
    assert {key: entry.value for key, entry in entries.items()} == {"s1.v1": b"two", "s2.v1": b"other"}
    await snapshots.delete("s1.v1")
    assert await snapshots.get("s1.v1") is None
    assert await snapshots.put("s1.v1", b"new", expect=0) > revision


@pytest.mark.parametrize("key", ["", "a b", "a.>", "*", ".a", "a.", "ключ"])
async def test_a_key_that_is_no_subject_is_rejected(connection: Connection, key: str) -> None:
    with pytest.raises(Rejected):
        await bucket(connection, "snapshots").put(key, b"x")


def catalogue(pack: str, version: str) -> Catalogue:
    tool = ToolSpec("get_state", "Reads.", {"type": "object"}, "state", Effect.PURE, RunsOn.TOOLS)
    return Catalogue(pack, version, [tool])


async def test_a_catalogue_is_published_once_and_watched(connection: Connection) -> None:
    shared: Bucket = bucket(connection, "catalog")
    catalog = Catalog(shared)
    await catalog.put(catalogue("core", "1"))
    held = await shared.get("core")
    await catalog.put(catalogue("core", "1"))
    assert await shared.get("core") == held
    async with asyncio.timeout(10), aclosing(catalog.watch()) as watched:
        assert await anext(watched) == {"core": catalogue("core", "1")}
        await Catalog(bucket(connection, "catalog")).put(catalogue("browser", "1"))
        assert set(await anext(watched)) == {"core", "browser"}
        await catalog.put(catalogue("core", "2"))
        assert (await anext(watched))["core"].version == "2"
