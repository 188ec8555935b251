"""How fast a projector that starts from nothing catches up with a full log."""

import asyncio
import contextlib
import secrets
import time
from pathlib import Path

from agent_contracts.ids import SessionId
from agent_platform.clock import SystemClock
from agent_platform.connection import Connection, connect
from agent_platform.embedded.nats_config import NatsUser
from agent_platform.embedded.nats_server import NatsServer
from agent_platform.embedded.postgres import PostgresServer
from agent_platform.embedded.postgres_cluster import ClusterPasswords
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.metrics import Metrics
from agent_platform.projections.metrics import ProjectionMetrics
from agent_platform.projections.projector import Projector
from agent_platform.stream_configs import StreamSettings
from agent_platform.streams import ensure_streams
from bench.conversation import Conversation, as_message
from bench.lag import Lag
from bench.table import Figure, at_least
from session_engine.projections.projection import SessionsProjection

GROUP = "projector"
_SESSIONS = 50
_USER = "bench"
_PATIENCE_S = 60.0


async def measure(folder: Path, *, events: int) -> list[Figure]:
    """50 sessions, one after another, in a log of their own; tables in a Postgres of their own."""
    for part in ("nats", "postgres"):
        await asyncio.to_thread((folder / part).mkdir, parents=True)
    user = NatsUser(_USER, secrets.token_hex(8))
    server = NatsServer(folder / "nats", [user], sync="10s")  # filling it is not what is measured
    passwords = ClusterPasswords(secrets.token_hex(8), secrets.token_hex(8))
    postgres = PostgresServer(folder / "postgres", passwords)
    await asyncio.gather(server.start(), postgres.start())
    try:
        connection = await connect(server.url, name=_USER, user=_USER, password=user.password)
        try:
            await ensure_streams(connection, StreamSettings())
            return await _measured(connection, postgres.dsn, await _filled(connection, events))
        finally:
            await connection.close()
    finally:
        await asyncio.gather(server.stop(), postgres.stop())


async def _filled(connection: Connection, events: int) -> int:
    """Fill the log; its last sequence."""
    log, stored = JetStreamLog(connection), 0
    for number in range(_SESSIONS):
        story = Conversation(SessionId(f"s_{number}"), first=stored + 1).grow(events // _SESSIONS)
        for recorded in story:
            message = as_message(recorded)
            await connection.publish(message.subject, message.data, headers=message.headers)
        stored += len(story)
        async with asyncio.timeout(_PATIENCE_S):
            while await log.last_sequence() < stored:  # noqa: ASYNC110 (no event tells)
                await asyncio.sleep(0.01)
    return stored


async def _measured(connection: Connection, dsn: str, last: int) -> list[Figure]:
    projection = SessionsProjection()
    numbers = ProjectionMetrics(Metrics().registry, projection.name)
    projector = Projector(projection, dsn, JetStreamLog(connection), SystemClock(), numbers)
    async with Lag(dsn) as lag:
        began, used = time.perf_counter(), time.process_time()
        running = asyncio.create_task(projector.run())
        try:
            await lag.until(last)
            took, used = time.perf_counter() - began, time.process_time() - used
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
    note = f"{last:,} events of {_SESSIONS} sessions, start included"
    return [
        Figure(GROUP, "projector, catching up", last / took, "events/s", at_least(10_000), note),
        Figure(GROUP, "projector, of its own processor time", last / used, "events/s"),
    ]
