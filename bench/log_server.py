"""A log of its own on a server of its own, for what is measured without services."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_server import NatsServer
from bench.conversation import as_message

_USER = "bench"
_PATIENCE_S = 60.0


@asynccontextmanager
async def log_server(folder: Path) -> AsyncIterator[NatsConnection]:
    """A connection to a fresh server with all streams. It syncs seldom: filling it is not measured."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    user = NatsUser(_USER, secrets.token_hex(8))
    server = NatsServer(folder, [user], sync="10s")
    await server.start()
    try:
        connection = await connect(server.url, name=_USER, user=_USER, password=user.password)
        try:
            await ensure_streams(connection, StreamSettings())
            yield connection
        finally:
            await connection.close()
    finally:
        await server.stop()


async def fill(connection: NatsConnection, stored: int, events: Sequence[RecordedEvent[SessionEvent]]) -> int:
    """Add the events after the `stored` ones that are there; how many there are then."""
    for recorded in events:
        message = as_message(recorded)
        await connection.publish(message.subject, message.data, headers=dict(message.headers))
    log, stored = JetStreamLog(connection), stored + len(events)
    async with asyncio.timeout(_PATIENCE_S):
        while await log.last_sequence() < stored:  # noqa: ASYNC110 (no event tells)
            await asyncio.sleep(0.01)
    return stored
