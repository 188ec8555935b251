"""A real server with all streams and the scheduler's consumers."""

from collections.abc import AsyncIterator

import pytest

from agent_contracts import service_names
from agent_contracts.log.subjects import TIMER_STREAM
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.process.clock import SystemClock
from agent_platform.services.discovery import installed
from agent_platform.services.streams import prepare
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.scheduler.world import World


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    connection = await connect(nats_server.url, name="test")
    await prepare(connection, [installed(service_names.SCHEDULER)])
    yield connection
    await connection.close()


@pytest.fixture
async def on_server(connection: NatsConnection) -> World:
    """An agent on the server, with a session."""
    world = World(JetStreamLog(connection), JetStreamLog(connection, stream=TIMER_STREAM), SystemClock())
    await world.agent()
    await world.session()
    return world
