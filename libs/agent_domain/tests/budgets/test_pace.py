"""Calls that act outside: so many in a minute of the clock, by all model callers together."""

import asyncio
from datetime import UTC, datetime, timedelta

from agent_contracts.ids import AgentId
from agent_contracts.log.subjects import BUDGETS_BUCKET
from agent_domain.budgets.pace import RateLimit, pace_key
from agent_platform.log.bucket import Bucket
from foldline_testing.agent_platform.memory_log import MemoryLog

A, B = AgentId("a"), AgentId("b")


class Now:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 31, 12, 34, 50, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_1"


async def test_so_many_in_a_minute_and_as_many_in_the_next_by_each_agent() -> None:
    clock, kept = Now(), Bucket(MemoryLog(), BUDGETS_BUCKET)
    pace = RateLimit(kept, clock)
    assert [await pace.take(A, 2, 5) for _ in range(4)] == [2, 2, 1, 0]
    assert await pace.take(B, 9, 5) == 5
    assert pace.seconds_left() == 10
    clock.moment += timedelta(seconds=10)
    assert await pace.take(A, 2, 5) == 2


async def test_several_processes_together_let_no_more_through() -> None:
    kept = Bucket(MemoryLog(), BUDGETS_BUCKET)
    processes = [RateLimit(kept, Now()) for _ in range(5)]
    found = await asyncio.gather(*(one.take(A, 1, 12) for one in processes for _ in range(6)))
    assert sum(found) == 12


async def test_what_stands_there_and_is_no_count_begins_anew() -> None:
    kept = Bucket(MemoryLog(), BUDGETS_BUCKET)
    await kept.put(pace_key(A), b"nothing")
    assert await RateLimit(kept, Now()).take(A, 3, 5) == 3
