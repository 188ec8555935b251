"""How fast a projector that starts from nothing catches up with a full log."""

import asyncio
import contextlib
import secrets
import time
from pathlib import Path

from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import DLQ_STREAM
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.metrics import Metrics
from agent_platform.process.clock import SystemClock
from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_cluster import ClusterPasswords
from bench.conversation import Conversation
from bench.lag import Lag
from bench.log_server import fill, log_server
from bench.table import Figure, at_least
from projections.project.log_projection import LogProjection
from projector.handlers import Projector
from projector.projecting.letters import DeadLetterWriter
from projector.projecting.metrics import ProjectionMetrics

GROUP = "projector"
_SESSIONS = 50


async def measure(folder: Path, *, events: int) -> list[Figure]:
    """50 sessions, one after another, in a log of their own; tables in a Postgres of their own."""
    await asyncio.to_thread((folder / "postgres").mkdir, parents=True)
    passwords = ClusterPasswords(secrets.token_hex(8), secrets.token_hex(8))
    postgres = PostgresServer(folder / "postgres", passwords)
    await postgres.start()
    try:
        async with log_server(folder / "nats") as connection:
            stored = 0
            for number in range(_SESSIONS):
                story = Conversation(SessionId(f"s_{number}"), first=stored + 1).grow(events // _SESSIONS)
                stored = await fill(connection, stored, story)
            return await _measured(connection, postgres.dsn, stored)
    finally:
        await postgres.stop()


async def _measured(connection: NatsConnection, dsn: str, last: int) -> list[Figure]:
    projection = LogProjection()
    numbers = ProjectionMetrics(Metrics().registry, projection.name)
    letters = DeadLetterWriter(JetStreamLog(connection, stream=DLQ_STREAM))
    projector = Projector(projection, dsn, JetStreamLog(connection), SystemClock(), numbers, letters)
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
