"""Listening: first what the log holds, then what comes, with no gap and no repeat; without HTTP."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.address import NOWHERE, Address
from agent_contracts.log.record.records import StoredMessage
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.gateway.in_memory import InMemory
from gateway.live.event_filter import EventFilter
from gateway.live.event_listener import EventListener
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession


@pytest.fixture
async def memory() -> AsyncIterator[InMemory]:
    made = InMemory()
    async with made.following():
        yield made


async def sequences(listening: EventListener, count: int) -> list[int]:
    """The sequences of the first events that are heard."""
    heard: list[int] = []
    async with contextlib.aclosing(listening.frames()) as batches, asyncio.timeout(60):
        async for batch in batches:
            heard += [one.what.sequence for one in batch if isinstance(one.what, StoredMessage)]
            if len(heard) >= count:
                break
    return heard


async def test_what_is_written_meanwhile_is_heard_once_and_in_order(memory: InMemory) -> None:
    session = SessionId((await memory.operations.creation.create(NewSession(), asked())).id)

    async def say(number: int) -> None:
        for n in range(20):
            await memory.operations.steering.say(session, f"{number}/{n}", asked())

    listening = await memory.operations.events.listen(
        EventFilter(session_id=session), NOWHERE, heartbeat_s=60
    )
    heard, *_ = await asyncio.gather(sequences(listening, 61), *(say(number) for number in range(3)))
    assert heard == list(range(1, 62))


async def test_one_hears_only_what_is_wanted(memory: InMemory) -> None:
    one, other = [await memory.operations.creation.create(NewSession(), asked()) for _ in range(2)]
    await memory.operations.steering.interrupt(SessionId(one.id), asked())
    listening = await memory.operations.events.listen(EventFilter(session_id=one.id), NOWHERE, heartbeat_s=60)
    assert await sequences(listening, 2) == [one.last_sequence, other.last_sequence + 1]


async def test_without_anything_new_there_are_empty_batches(memory: InMemory) -> None:
    listening = await memory.operations.events.listen(EventFilter(), None, heartbeat_s=0.01)
    async with contextlib.aclosing(listening.frames()) as batches, asyncio.timeout(60):
        assert [await anext(batches) for _ in range(3)] == [[], [], []]


async def test_a_listener_that_leaves_is_forgotten(memory: InMemory) -> None:
    listening = await memory.operations.events.listen(EventFilter(), None, heartbeat_s=60)
    task = asyncio.create_task(sequences(listening, 1))

    async def joined() -> bool | None:
        return memory.feed.listeners == 1 or None

    await eventually(joined)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert memory.feed.listeners == 0


async def test_one_can_not_listen_from_the_future_nor_to_nobody(memory: InMemory) -> None:
    listen = memory.operations.events.listen
    with pytest.raises(Rejected) as caught:
        await listen(EventFilter(), Address(1), heartbeat_s=60)
    assert caught.value.kind == "invalid_request"
    with pytest.raises(Rejected) as caught:
        await listen(EventFilter(session_id="s_nobody"), None, heartbeat_s=60)
    assert caught.value.kind == "not_found"


async def test_as_long_as_the_log_was_not_reached_one_is_told_to_come_again() -> None:
    with pytest.raises(Transient):
        await InMemory().operations.events.listen(EventFilter(), None, heartbeat_s=60)
