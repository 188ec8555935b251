"""How late reminders are told that come due close together: from a due time until the log has the input."""

import asyncio
import contextlib
import secrets
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import SecretStr

from agent_contracts import service_names
from agent_contracts.ids import SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import decode
from agent_contracts.log.subjects import TIMER_STREAM, all_inputs
from agent_contracts.session_events.inputs import ReminderDue
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.user import NatsUser
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.services.discovery import installed
from agent_platform.services.embedded.nats_server import NatsServer
from agent_platform.services.streams import prepare
from bench.table import Figure, at_most
from foldline_testing.scheduler.world import World
from scheduler.app import serve
from scheduler.settings import SchedulerSettings

GROUP = "reminders"
_USER = "bench"
_SESSIONS = 100
_PATIENCE_S = 120.0


async def measure(folder: Path, *, count: int, within_s: float) -> list[Figure]:
    """So many reminders of a hundred sessions, due evenly within so many seconds; one scheduler, and a server
    that syncs each write."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    user = NatsUser(_USER, secrets.token_hex(8))
    server = NatsServer(folder, [user], sync="always")
    await server.start()
    try:
        connection = await connect(server.url, name=_USER, user=_USER, password=user.password)
        await prepare(connection, [installed(service_names.SCHEDULER)])
        timers = JetStreamLog(connection, stream=TIMER_STREAM)
        world = World(JetStreamLog(connection), timers, SystemClock())
        settings = SchedulerSettings(
            nats_url=server.url, nats_credentials=SecretStr(f"{_USER}:{user.password}")
        )
        scheduler = asyncio.create_task(serve(settings))
        try:
            late_ms = sorted(await _told(world, count, within_s))
        finally:
            scheduler.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await scheduler
            await connection.close()
    finally:
        await server.stop()
    note = f"{count:,} reminders within {within_s:g} s; the log's tail has them then"
    return [
        Figure(GROUP, "reminder due to logged p50", late_ms[count // 2], "ms", None, note),
        Figure(GROUP, "reminder due to logged p99", late_ms[count * 99 // 100], "ms", at_most(1000), note),
    ]


async def _told(world: World, count: int, within_s: float) -> list[float]:
    """How many milliseconds late each is."""
    await world.agent()
    for number in range(_SESSIONS):
        await world.session(SessionId(f"s_{number}"))
    first = world.clock.now() + timedelta(seconds=5 + count / 40)
    due = {f"r_{number}": first + timedelta(seconds=number * within_s / count) for number in range(count)}
    turns = asyncio.Semaphore(20)

    async def remind(number: int, name: str, at: datetime) -> None:
        async with turns:
            await world.remind(name, session_id=f"s_{number % _SESSIONS}", at=rfc3339(at))

    await asyncio.gather(*(remind(number, *one) for number, one in enumerate(due.items())))
    while len(await world.armed()) < count:
        if world.clock.now() > first:
            raise TimeoutError("the machine is too busy: reminders come due that nobody has set a timer for")
        await asyncio.sleep(0.2)
    late: list[float] = []
    async with asyncio.timeout(_PATIENCE_S):
        async for message in world.log.tail([all_inputs(type_of(ReminderDue))], after=0):
            told: ReminderDue = decode(message).event
            late.append((world.clock.now() - due[told.reminder_id]).total_seconds() * 1000)
            if len(late) == count:
                break
    return late
