"""A session on a real server."""

from collections.abc import AsyncIterator

import pytest

from agent_contracts.log.subjects import TIMER_STREAM
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.services.consuming.ensuring import ensure_consumers
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.session_engine.world import World
from session_engine.service import TIMERS


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    connection = await connect(nats_server.url, name="test")
    await ensure_streams(connection, StreamSettings())
    await ensure_consumers(connection, [TIMERS])
    yield connection
    await connection.close()


@pytest.fixture
def world(connection: NatsConnection) -> World:
    """A session on the server; nobody acts on timers yet."""
    return World(JetStreamLog(connection), JetStreamLog(connection, stream=TIMER_STREAM))
