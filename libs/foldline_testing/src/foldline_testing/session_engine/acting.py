"""Somebody who acts on timers that come due, on a real server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import ServiceRuntime
from foldline_testing.session_engine.world import World
from session_engine.service import TIMERS


@contextlib.asynccontextmanager
async def acting(world: World, connection: NatsConnection) -> AsyncIterator[None]:
    """Somebody acts on timers that come due."""
    tracing = Tracing("test")
    timers = world.timers()
    service = ServiceRuntime(connection, HealthChecks(), Metrics(), tracing)
    consumer = JetStreamConsumer(service, TIMERS, timers.handle, timers.given_up)
    task = asyncio.create_task(consumer.run())
    yield
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    tracing.close()
