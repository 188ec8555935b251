"""While a connection reconnects, whoever waits for it gives the event loop its turns.

Nothing of a service runs in a turn that doesn't end: not the reconnect itself, nor HTTP, nor the handler of a
signal.
"""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager

import pytest
from nats.aio.msg import Msg

from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.pulls import Pulls, pull_for_ever
from agent_platform.nats.user import NatsUser
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.plugin import StartNats
from foldline_testing.agent_platform.servers import NatsForTest

_MOST_LOOKS = 1000
"""Far more than a waiter looks for its consumer while it reconnects once."""

_NO_TURN = "the pulls went round and gave nobody a turn"
_MORE_THAN_SOCKETS_HOLD = 32 * 1024 * 1024


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    opened = await connect(nats_server.url, name="test")
    yield opened
    await opened.close()


async def _found() -> None: ...


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncGenerator[None]:
    """Beside endless work; what that raised ends the test."""
    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(work)
            yield
            task.cancel()
    except ExceptionGroup as group_of:
        raise group_of.exceptions[0] from group_of


async def test_who_waits_for_a_connection_that_is_reconnecting_gives_others_a_turn(
    connection: NatsConnection,
) -> None:
    waits = 0
    await connection.client.force_reconnect()  # begun, and nobody was told yet
    while connection.epoch == 0:
        await connection.until_connected()
        waits += 1
        assert waits < _MOST_LOOKS, "it says that it is connected, and the reconnect gets no turn"
    assert connection.is_connected


async def test_pulls_on_a_connection_that_is_reconnecting_give_others_a_turn(
    connection: NatsConnection,
) -> None:
    await connection.api("STREAM.CREATE.S", {"name": "S", "subjects": ["s"]})
    config = {"durable_name": "c", "ack_policy": "explicit"}
    await connection.api("CONSUMER.DURABLE.CREATE.S.c", {"stream_name": "S", "config": config})
    looks = 0
    came: asyncio.Queue[Msg] = asyncio.Queue()

    async def find() -> None:
        nonlocal looks
        looks += 1
        if looks > _MOST_LOOKS:
            raise AssertionError(_NO_TURN)  # nothing else would end them

    await connection.client.force_reconnect()
    pulls = Pulls(connection, "S", "c", 10, came.put_nowait)
    async with _beside(pull_for_ever(pulls, find, connection)):
        await connection.publish("s", b"after")
        assert (await asyncio.wait_for(came.get(), 30)).data == b"after"
        assert connection.epoch == 1


async def test_pulls_that_always_end_at_once_give_others_a_turn(connection: NatsConnection) -> None:
    looks = 0

    class Ending(Pulls):
        async def until_interrupted(self) -> None:
            nonlocal looks
            looks += 1
            if looks > _MOST_LOOKS:
                raise AssertionError(_NO_TURN)

    pulls = Ending(connection, "S", "c", 10, lambda _: None)
    async with _beside(pull_for_ever(pulls, _found, connection)):
        for _ in range(10):
            await asyncio.sleep(0)
        assert looks > 1


async def test_a_server_that_reads_nothing_more_does_not_keep_a_connection_from_leaving_it(
    nats_servers: StartNats,
) -> None:
    """nats-py waits until all that was written was read, before it tells anyone and connects anew."""
    nats = nats_servers([NatsUser("user", "secret")])
    connection = await connect(nats.url, name="test")
    pid = nats.embedded().pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        piece = bytes(512 * 1024)
        for _ in range(_MORE_THAN_SOCKETS_HOLD // len(piece)):
            connection.client._transport._io_writer.write(piece)  # type: ignore[union-attr]
        left = asyncio.Event()
        connection.add_listener(left.set)
        await connection.client.force_reconnect()
        await asyncio.wait_for(left.wait(), 30)
        assert not connection.is_connected
        os.kill(pid, signal.SIGCONT)

        async def back() -> bool | None:
            return connection.is_connected or None

        assert await eventually(back, within=60)
    finally:
        os.kill(pid, signal.SIGCONT)
        await connection.close()
