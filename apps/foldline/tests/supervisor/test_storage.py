"""A nats-server whose disk was full stores again once there is room."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from agent_contracts.errors import Transient
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import NewMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_server import NatsServer
from foldline.supervisor.storage import has_room, keep_storing
from foldline_testing.product.small_disk import SmallDisk, small_disk

pytestmark = pytest.mark.faults
_PATIENCE_S = 60


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 24) as disk:
        yield disk


@pytest.fixture
async def server(disk: SmallDisk) -> AsyncIterator[NatsServer]:
    server = NatsServer(disk.path / "nats", [NatsUser("admin", "a-password")])
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def connection(server: NatsServer) -> AsyncIterator[NatsConnection]:
    connection = await connect(server.url_for("admin"), name="test")
    connection.monitored_at(server.monitor_url)
    await ensure_streams(connection, StreamSettings())
    yield connection
    await connection.close()


def message(number: int) -> NewMessage:
    return NewMessage("ses.a.1.s.in.test", os.urandom(16_000), {MESSAGE_ID: f"m{number}"})


@contextlib.asynccontextmanager
async def kept_storing(server: NatsServer, disk: SmallDisk) -> AsyncIterator[None]:
    """As the supervisor does: one task looks at its storage, another starts it when it ends."""

    async def keep_alive() -> None:
        while True:
            await server.wait()
            await server.start()

    tasks = [asyncio.create_task(keep_alive()), asyncio.create_task(keep_storing(server, disk.path, 0.2))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until_stored(log: JetStreamLog, number: int) -> int:
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            try:
                return await log.append(message(number))
            except Transient:
                await asyncio.sleep(0.1)


async def test_on_a_full_disk_an_append_says_at_once_what_is_wrong_and_once_freed_all_is_whole(
    disk: SmallDisk, server: NatsServer, connection: NatsConnection
) -> None:
    log = JetStreamLog(connection, timeout_s=1)
    stored = [await log.append(message(number)) for number in range(20)]
    await connection.check_storage()
    disk.fill()
    async with kept_storing(server, disk):
        with pytest.raises(Transient, match="no space left on device") as refused:
            await log.append(message(99))
        assert refused.value.kind == "storage"
        assert "Make room" in refused.value.message
        pid = server.pid
        await asyncio.sleep(1)  # sleeps: quiet
        assert server.pid == pid  # nothing is restarted as long as that can't help
        with pytest.raises(Transient):
            await connection.check_storage()
        disk.free()
        assert await until_stored(log, 100) == stored[-1] + 1
        await connection.check_storage()
    assert [(await log.get(sequence)) is not None for sequence in stored] == [True] * 20


async def test_a_server_that_is_started_on_a_full_disk_stores_once_it_is_freed(
    disk: SmallDisk, server: NatsServer, connection: NatsConnection
) -> None:
    """By itself it takes three quarters of what is free at its start as its bound."""
    log = JetStreamLog(connection, timeout_s=1)
    for number in range(20):
        await log.append(message(number))
    await server.stop()
    disk.fill()
    disk.free(64 * 1024)
    await server.start()
    disk.free()
    async with kept_storing(server, disk):
        assert await until_stored(log, 100) == 21


async def test_a_server_that_is_well_is_left_alone(
    disk: SmallDisk, server: NatsServer, connection: NatsConnection
) -> None:
    pid = server.pid
    async with kept_storing(server, disk):
        await asyncio.sleep(1)  # sleeps: quiet
    assert server.pid == pid


def test_room_is_what_can_be_written(disk: SmallDisk) -> None:
    assert has_room(disk.path)
    disk.fill()
    assert not has_room(disk.path)
    disk.free()
    assert has_room(disk.path)
    assert list(disk.path.iterdir()) == []
