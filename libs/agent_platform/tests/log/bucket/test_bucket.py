"""A bucket, in memory and on a real server."""

import pytest

from agent_contracts.log.subjects import SNAPSHOTS_BUCKET
from agent_platform.log.bucket import Bucket, bucket
from agent_platform.nats.connection import NatsConnection
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.memory_log import MemoryLog


@pytest.fixture(params=["memory", "jetstream"])
def kept(request: pytest.FixtureRequest) -> Bucket:
    """Each test runs once per twin."""
    if request.param == "memory":
        return Bucket(MemoryLog(), SNAPSHOTS_BUCKET)
    return bucket(request.getfixturevalue("connection"), SNAPSHOTS_BUCKET)


async def test_a_key_is_read_with_all_below_it_and_nothing_else(kept: Bucket) -> None:
    for key in ("s_1.9", "s_1.9.aa", "s_1.9.bb", "s_1.9.cc", "s_1.90.aa", "s_1.8", "s_10.9.aa"):
        await kept.put(key, key.encode())
    await kept.delete("s_1.9.cc", ttl_s=60)
    found = await kept.below("s_1.9")
    assert {key: entry.value for key, entry in found.items()} == {
        key: key.encode() for key in ("s_1.9", "s_1.9.aa", "s_1.9.bb")
    }
    assert found["s_1.9"].revision == 1
    assert await kept.below("s_2.9") == {}


async def test_the_mark_of_what_was_deleted_is_gone_too_in_time(connection: NatsConnection) -> None:
    kept = bucket(connection, SNAPSHOTS_BUCKET)
    await kept.put("s_1.9.aa", b"a")
    await kept.put("s_1.9.bb", b"b")
    await kept.delete("s_1.9.aa", ttl_s=1)

    async def only_one_is_left() -> bool | None:
        info = await connection.api(f"STREAM.INFO.KV_{SNAPSHOTS_BUCKET}")
        return True if info["state"]["messages"] == 1 else None

    assert await kept.below("s_1.9.aa") == {}
    assert await eventually(only_one_is_left)
    await kept.put("s_1.9.aa", b"again", expect=0)
    assert set(await kept.below("s_1.9")) == {"s_1.9.aa", "s_1.9.bb"}
