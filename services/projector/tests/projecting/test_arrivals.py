"""Batches of whatever has arrived."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from agent_contracts.errors import Transient
from agent_contracts.log.record.records import StoredMessage
from projector.projecting.arrivals import Arrivals, BatchLimits, following


def message(sequence: int, size: int = 0) -> StoredMessage:
    return StoredMessage(sequence, "s", b"x" * size, {})


async def sequences(arrivals: Arrivals) -> list[int]:
    assert await arrivals.wait(5)
    return [message.sequence for message in arrivals.take()]


async def test_everything_that_has_arrived_comes_together_in_order() -> None:
    gate = asyncio.Event()

    async def source() -> AsyncIterator[StoredMessage]:
        yield message(1)
        yield message(2)
        await gate.wait()
        yield message(3)

    async with Arrivals(source(), BatchLimits()) as arrivals:
        assert await sequences(arrivals) == [1, 2]
        gate.set()
        assert await sequences(arrivals) == [3]
        assert await arrivals.wait(5)
        assert arrivals.ended


async def test_a_batch_and_what_is_read_ahead_stay_within_the_limits() -> None:
    given = 0

    async def source() -> AsyncIterator[StoredMessage]:
        nonlocal given
        for sequence in range(1, 100):
            given = sequence
            yield message(sequence)

    async with Arrivals(source(), BatchLimits(messages=10)) as arrivals:
        assert await sequences(arrivals) == list(range(1, 11))
        assert given <= 11


async def test_large_messages_make_small_batches_and_one_too_large_comes_alone() -> None:
    async def source() -> AsyncIterator[StoredMessage]:
        for sequence, size in enumerate((40, 40, 40, 500, 1), 1):
            yield message(sequence, size)

    batches = []
    async with Arrivals(source(), BatchLimits(size=100)) as arrivals:
        while await arrivals.wait(5) and not arrivals.ended:
            batches.append([m.sequence for m in arrivals.take()])
    assert batches == [[1, 2], [3], [4], [5]]


async def test_waiting_ends_after_a_while_without_anything() -> None:
    async def source() -> AsyncIterator[StoredMessage]:
        await asyncio.Event().wait()
        yield message(1)

    async with Arrivals(source(), BatchLimits()) as arrivals:
        assert not await arrivals.wait(0.01)


async def test_what_breaks_the_source_is_raised_after_what_came_before_it() -> None:
    async def source() -> AsyncIterator[StoredMessage]:
        yield message(1)
        raise Transient("broken")

    async with Arrivals(source(), BatchLimits()) as arrivals:
        assert await sequences(arrivals) == [1]
        with pytest.raises(Transient, match="broken"):
            await arrivals.wait(5)


async def test_leaving_closes_the_source() -> None:
    closed = asyncio.Event()

    async def source() -> AsyncIterator[StoredMessage]:
        try:
            for sequence in range(1, 100):
                yield message(sequence)
        finally:
            closed.set()

    async with Arrivals(source(), BatchLimits(messages=10)) as arrivals:
        await sequences(arrivals)
    assert closed.is_set()


async def test_who_gathers_gives_what_follows_closely_time_to_come_along() -> None:
    first_is_there = asyncio.Event()

    async def source() -> AsyncIterator[StoredMessage]:
        yield message(1)
        await first_is_there.wait()
        for sequence in range(2, 1000):
            yield message(sequence)

    async with Arrivals(source(), BatchLimits()) as arrivals:
        assert await arrivals.wait(5)
        first_is_there.set()
        await arrivals.gather(0.001)
        assert len(arrivals.take()) > 1
        async with asyncio.timeout(60):
            await arrivals.gather(60)  # the source has ended


def test_what_comes_again_late_or_twice_is_left_out() -> None:
    delivered = [message(sequence) for sequence in (2, 4, 3, 5, 5, 4, 7, 1)]
    assert [one.sequence for one in following(delivered, 3)] == [4, 5, 7]
    assert following(delivered, 7) == []
