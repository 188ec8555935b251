"""What agents may add to the log in a day."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from agent_contracts.errors import Conflict, Rejected, Transient
from agent_contracts.ids import AgentId
from agent_contracts.log.record.records import Expect, NewMessage
from agent_contracts.log.subjects import QUOTAS_BUCKET
from agent_platform.log.bucket import Bucket, bucket
from agent_platform.log.quotas.counted_log import CountedLog, size_of
from agent_platform.log.quotas.daily import STEP, DailyQuota
from agent_platform.nats.connection import NatsConnection
from foldline_testing.agent_platform.memory_log import MemoryLog

ANN, BOB = AgentId("ann"), AgentId("bob")


class Evening:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 31, 23, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """The time that the test set."""
        return self.moment

    def new_id(self, prefix: str) -> str:
        """Nothing here makes ids."""
        raise AssertionError


def quota_of(kept: Bucket, limit: int, clock: Evening | None = None) -> DailyQuota:
    return DailyQuota(kept, clock or Evening(), limit)


def a_message(size: int, agent: str = ANN) -> NewMessage:
    subject = f"agt.{agent}.state.k"
    return NewMessage(subject, b"x" * (size - len(subject)), {})


@pytest.fixture
def kept() -> Bucket:
    return Bucket(MemoryLog(), QUOTAS_BUCKET)


async def test_two_processes_together_never_spend_more_than_the_limit_and_leave_little_of_it(
    connection: NatsConnection,
) -> None:
    limit, size = 3_000_000, 10_000
    processes = [quota_of(bucket(connection, QUOTAS_BUCKET), limit) for _ in range(3)]

    async def spend(quota: DailyQuota) -> int:
        spent = 0
        while True:
            try:
                await quota.take(ANN, size)
            except Rejected:
                return spent
            spent += size
            await asyncio.sleep(0)

    spent = sum(await asyncio.gather(*map(spend, processes)))
    assert spent <= limit
    assert spent > limit - len(processes) * size - STEP // 8
    await processes[0].take(BOB, size)
    assert (await processes[1].used(ANN)).bytes <= limit


async def test_what_was_spent_outlives_the_process_that_spent_it(kept: Bucket) -> None:
    await quota_of(kept, 1_000).take(ANN, 900)
    with pytest.raises(Rejected, match=r"1000 bytes a day.*2026-02-01 00:00 UTC.*FOLDLINE_AGENT_LOG_LIMIT"):
        await quota_of(kept, 1_000).take(ANN, 200)
    await quota_of(kept, 1_000).take(BOB, 900)


async def test_the_next_day_begins_anew(kept: Bucket) -> None:
    clock = Evening()
    quota = quota_of(kept, 1_000, clock)
    await quota.take(ANN, 1_000)
    with pytest.raises(Rejected):
        await quota.require(ANN)
    clock.moment += timedelta(hours=1)
    await quota.take(ANN, 1_000)
    assert (await quota.used(ANN)).day == "2026-02-01"


async def test_a_clock_that_is_late_does_not_bring_back_a_day_that_is_over(kept: Bucket) -> None:
    ahead, late = Evening(), Evening()
    ahead.moment += timedelta(hours=2)
    await quota_of(kept, 1_000, ahead).take(ANN, 900)
    with pytest.raises(Rejected):
        await quota_of(kept, 1_000, late).take(ANN, 900)


async def test_what_must_be_written_counts_beyond_the_limit(kept: Bucket) -> None:
    quota = quota_of(kept, 1_000)
    await quota.count(ANN, 1_500)
    assert (await quota.used(ANN)).bytes == 1_500
    with pytest.raises(Rejected):
        await quota.require(ANN)


async def test_without_a_limit_it_only_counts(kept: Bucket) -> None:
    quota = quota_of(kept, 0)
    await quota.take(ANN, 5 * STEP)
    assert (await quota.used(ANN)).bytes >= 5 * STEP


async def test_a_count_that_cannot_be_reached_is_made_up_for_later(kept: Bucket) -> None:
    class Away(Bucket):
        gone = True

        async def get(self, key: str):  # type: ignore[no-untyped-def]
            if self.gone:
                raise Transient("NATS is away")
            return await super().get(key)

    away = Away(MemoryLog(), QUOTAS_BUCKET)
    quota = quota_of(away, 1_000)
    await quota.count(ANN, 600)
    with pytest.raises(Transient):
        await quota.take(ANN, 1)
    away.gone = False
    with pytest.raises(Rejected):
        await quota.take(ANN, 500)
    await quota.take(ANN, 400)
    assert (await quota.used(ANN)).bytes == 1_000


async def test_an_entry_that_cannot_be_read_counts_as_none(kept: Bucket) -> None:
    await kept.put(ANN, b"\xff")
    await quota_of(kept, 1_000).take(ANN, 10)


async def test_a_bounded_log_refuses_before_anything_is_written(kept: Bucket) -> None:
    stored = MemoryLog()
    log = CountedLog(stored, quota_of(kept, 1_000), bounded=True)
    await log.append(a_message(600))
    with pytest.raises(Rejected):
        await log.append(a_message(600))
    with pytest.raises(Rejected):
        await log.append_together([a_message(10, BOB), a_message(600)], [None, None])
    assert await stored.last_sequence() == 1
    await log.append(a_message(900, BOB))  # what the batch would have taken was given back
    await log.append(a_message(400))


async def test_what_the_log_refuses_is_given_back(kept: Bucket) -> None:
    log = CountedLog(MemoryLog(), quota_of(kept, 1_000), bounded=True)
    for _ in range(5):
        with pytest.raises(Conflict):
            await log.append(a_message(600), Expect(f"agt.{ANN}.state.k", 7))
    await log.append(a_message(600))


async def test_a_counting_log_writes_in_any_case(kept: Bucket) -> None:
    stored, quota = MemoryLog(), quota_of(kept, 1_000)
    log = CountedLog(stored, quota)
    for _ in range(3):
        await log.append(a_message(600))
    await log.append_together([a_message(100)], [None])
    assert await stored.last_sequence() == 4
    assert (await quota.used(ANN)).bytes == 1_900


def test_a_message_is_as_large_as_its_parts() -> None:
    assert size_of(NewMessage("ses.a.b", b"123", {"a": "bc"})) == 7 + 3 + 7


async def test_a_clock_that_was_far_ahead_keeps_no_agent_out_for_longer_than_the_day(kept: Bucket) -> None:
    clock = Evening()
    quota = quota_of(kept, 10_000, clock)
    clock.moment += timedelta(days=400)
    await quota.take(ANN, 9_000)
    clock.moment -= timedelta(days=400)
    await quota.take(ANN, 9_000)
    with pytest.raises(Rejected):
        await quota.take(ANN, 9_000)
    clock.moment += timedelta(days=1)
    await quota.take(ANN, 9_000)
    assert (await quota.used(ANN)).day == "2026-02-01"
