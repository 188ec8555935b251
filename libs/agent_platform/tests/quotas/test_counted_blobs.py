"""What is stored in blobs counts towards the day of the agent for which it is stored."""

from collections.abc import AsyncIterator

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import QUOTAS_BUCKET
from agent_platform.log.blobs.counted_blobs import CountedBlobs
from agent_platform.log.bucket import Bucket
from agent_platform.log.quotas.daily import STEP, DailyQuota
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog

ANN, BOB = AgentId("ann"), AgentId("bob")
MIB = 1024 * 1024


@pytest.fixture
def quota() -> DailyQuota:
    return DailyQuota(Bucket(MemoryLog(), QUOTAS_BUCKET), SystemClock(), 4 * MIB)


async def used(quota: DailyQuota, agent_id: AgentId) -> int:
    return (await quota.used(agent_id)).bytes


async def test_bytes_count_for_their_owner_and_each_blob_once(quota: DailyQuota) -> None:
    blobs = CountedBlobs(MemoryBlobs(), quota)
    for _ in range(3):
        await blobs.put(b"x" * MIB, owner=ANN)
    assert MIB <= await used(quota, ANN) <= MIB + STEP
    assert await used(quota, BOB) == 0
    await blobs.put(b"x" * MIB, owner=BOB)
    await blobs.put(b"y" * MIB)
    assert MIB <= await used(quota, BOB) <= MIB + STEP


async def test_a_stream_counts_by_what_came(quota: DailyQuota) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(8):
            yield b"x" * (MIB // 4)

    blobs = CountedBlobs(MemoryBlobs(), quota)
    ref = await blobs.put_stream(pieces(), "text/plain", owner=ANN)
    assert ref.size == 2 * MIB
    assert 2 * MIB <= await used(quota, ANN) <= 2 * MIB + STEP


async def test_what_is_over_is_stored_and_what_begins_after_it_is_refused(quota: DailyQuota) -> None:
    blobs = CountedBlobs(MemoryBlobs(), quota)
    ref = await blobs.put(b"x" * 5 * MIB, owner=ANN)
    assert len(await blobs.get(ref.sha256)) == 5 * MIB
    with pytest.raises(Rejected) as refused:
        await quota.take(ANN, 100)
    assert refused.value.kind == "quota_exceeded"
    await quota.take(BOB, 100)
