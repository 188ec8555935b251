"""The two logs that the contract holds for."""

from collections.abc import AsyncIterator

import pytest

from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.servers import NatsForTest


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    """A connection that may do everything, with all streams in place."""
    connection = await connect(nats_server.url, name="test")
    await ensure_streams(connection, StreamSettings())
    yield connection
    await connection.close()


@pytest.fixture
def jetstream(connection: NatsConnection) -> JetStreamLog:
    """The log on a real server."""
    return JetStreamLog(connection)


@pytest.fixture(params=["memory", "jetstream"])
def log(request: pytest.FixtureRequest) -> Log:
    """Each test runs once per twin."""
    if request.param == "memory":
        return MemoryLog()
    found: Log = request.getfixturevalue("jetstream")
    return found
