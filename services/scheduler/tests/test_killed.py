"""Schedulers and NATS that are killed at any moment: everything comes due once, and nothing is lost."""

import asyncio
import contextlib
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import NewMessage, decode
from agent_contracts.log.subjects import TIMER_STREAM, WAKE_CREDENTIALS_BUCKET, WAKE_STREAM, all_inputs
from agent_contracts.session_events.inputs import Created, ReminderDue, Woken
from agent_domain.wakes.credentials import CredentialsRegister, WakeCredentials
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.nats.connection import connect
from agent_platform.nats.users import nats_users
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.process.stop_points import STOP_DIR, arm, has_fired
from agent_platform.services.consuming.dead_letter import DeadLetterStore
from agent_platform.services.discovery import discover, rights_of
from agent_platform.services.streams import prepare
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.plugin import StartNats
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_platform.warm import WarmProcess, WarmProgram
from foldline_testing.scheduler import alone
from foldline_testing.scheduler.world import AGENT, World
from foldline_testing.scheduler.wrong_clock import WrongClock, scheduler_with
from scheduler.wakes.consumers import WAKES

SCHEDULER = WarmProgram(alone.scheduler)
MOMENTS = (
    "scheduler.arming",
    "scheduler.due",
    "scheduler.telling",
    "scheduler.told",
    "scheduler.starting",
    "scheduler.started",
)
SESSIONS = 30
LATEST = timedelta(seconds=35)

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]


@contextlib.asynccontextmanager
async def process(server: NatsForTest, folder: Path) -> AsyncIterator[WarmProcess]:
    """A scheduler by itself, as its own user, with its stop points in `folder`."""
    environment = {
        **os.environ,
        **settings_of(server),
        STOP_DIR: str(folder),
    }
    started = await SCHEDULER.start(environment, folder)
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
            await started.wait()


@contextlib.asynccontextmanager
async def product(start: StartNats) -> AsyncIterator[tuple[World, NatsForTest]]:
    """An agent on a server that knows every service's user."""
    services = discover()
    rights = rights_of(services)
    server = start(nats_users(rights, {name: f"pw-{name}" for name in ("admin", *rights)}))
    admin = await connect(server.url_for("admin"), name="admin")
    await prepare(admin, services)
    world = World(
        JetStreamLog(admin, patience_s=60),
        JetStreamLog(admin, stream=TIMER_STREAM, patience_s=60),
        SystemClock(),
    )
    await world.agent()
    yield world, server
    await admin.close()


def coming(world: World, seconds: float) -> str:
    return rfc3339(world.clock.now() + timedelta(seconds=seconds))


def settings_of(server: NatsForTest) -> dict[str, str]:
    """The settings of a scheduler that works as its own user."""
    return {
        "FOLDLINE_NATS_URL": server.url_for("scheduler").replace("scheduler:pw-scheduler@", ""),
        "FOLDLINE_NATS_CREDENTIALS": "scheduler:pw-scheduler",
    }


async def told(world: World) -> Counter[str]:
    """How often each reminder was told."""
    found = world.log.read(all_inputs(type_of(ReminderDue)))
    return Counter([decode(one).event.reminder_id async for one in found])


async def until_told(world: World, count: int, within: float) -> None:
    async def all_told() -> bool | None:
        return len(await told(world)) == count or None

    await eventually(all_told, within=within)


async def test_a_scheduler_that_is_killed_at_any_moment_is_followed_by_one_that_does_it_once(
    nats_servers: StartNats, tmp_path: Path
) -> None:
    async with product(nats_servers) as (world, server):
        await world.session()
        for number, moment in enumerate(MOMENTS):
            arm(tmp_path, moment)
            async with process(server, tmp_path) as victim:
                await world.remind(f"r_{number}", at=coming(world, 0.5))
                await world.schedule(f"t_{number}", at=coming(world, 0.5))
                assert await asyncio.wait_for(victim.wait(), 60) == -signal.SIGKILL
            assert has_fired(tmp_path, moment)
        async with process(server, tmp_path), process(server, tmp_path):
            await until_told(world, len(MOMENTS), 60)

            async def all_begun() -> bool | None:
                return len(await world.begun()) == len(MOMENTS) or None

            await eventually(all_begun, within=60)
            await asyncio.sleep(6)  # sleeps: work; what was in the hands of the killed comes again
        assert set((await told(world)).values()) == {1}
        for number in range(len(MOMENTS)):
            [run] = await world.runs(f"t_{number}")
            schedule = await world.kept_schedule(f"t_{number}")
            assert schedule is not None
            assert (run.outcome, run.due_at) == ("started", schedule.at)


async def flood(world: World, server: NatsForTest, folder: Path, count: int, spread_s: float) -> None:
    """So many reminders within so many seconds, while schedulers and NATS are killed; told once each."""
    chance = random.Random(count)
    for number in range(SESSIONS):
        await world.session(SessionId(f"s_{number}"))
    begins_in = 2 + count / 200
    due = [coming(world, begins_in + chance.random() * spread_s) for _ in range(count)]
    turns = asyncio.Semaphore(50)

    async def remind(number: int) -> None:
        async with turns:
            await world.remind(f"r_{number}", session_id=f"s_{number % SESSIONS}", at=due[number])

    async def killing() -> None:
        while True:
            async with process(server, folder) as victim:
                await asyncio.sleep(chance.uniform(1, 3))
                victim.kill()
                await victim.wait()

    victims = [asyncio.create_task(killing()) for _ in range(2)]
    await asyncio.gather(*(remind(number) for number in range(count)))
    for _ in range(2):
        await asyncio.sleep(spread_s / 3)  # sleeps: work
        server.restart()
    for one in victims:
        one.cancel()
    await asyncio.gather(*victims, return_exceptions=True)
    async with process(server, folder):
        await until_told(world, count, 60 + count / 20)
        await asyncio.sleep(6)  # sleeps: work
    assert set((await told(world)).values()) == {1}
    for number in range(count):
        reminder = await world.reminder(f"r_{number}")
        assert reminder is not None
        assert reminder.done == "told"


async def test_300_reminders_within_10_seconds_while_schedulers_and_nats_are_killed(
    nats_servers: StartNats, tmp_path: Path
) -> None:
    async with product(nats_servers) as (world, server):
        await flood(world, server, tmp_path, 300, 10)


@pytest.mark.chaos
@pytest.mark.timeout(1200)
async def test_5000_reminders_within_10_seconds_while_schedulers_and_nats_are_killed(
    nats_servers: StartNats, tmp_path: Path
) -> None:
    async with product(nats_servers) as (world, server):
        await flood(world, server, tmp_path, 5000, 10)


async def woken(log: Log) -> Counter[str]:
    """How often each wake was told to a session."""
    return Counter([decode(one).event.wake_id async for one in log.read(all_inputs(type_of(Woken)))])


async def test_300_wakes_each_sent_twice_while_schedulers_and_nats_are_killed(
    nats_servers: StartNats, tmp_path: Path
) -> None:
    """What NATS took is told once: to sessions that are there, to sessions of its own, and in the inbox."""
    count, chance = 300, random.Random(1)
    async with product(nats_servers) as (world, server):
        admin = await connect(server.url_for("admin"), name="services")
        register = CredentialsRegister(bucket(admin, WAKE_CREDENTIALS_BUCKET))
        shop = WakeCredentials(rfc3339(world.clock.now()), "t", "$2b$04$" + "a" * 53, rate=100_000)
        await register.add("shop", shop)
        for number in range(5):
            await world.session(SessionId(f"s_{number}"))
        wakes, turns = JetStreamLog(admin, stream=WAKE_STREAM, patience_s=2), asyncio.Semaphore(20)

        async def send(number: int) -> None:
            """As another service does it: again and again, until it is told that its wake was stored."""
            body = msgspec.json.encode(a_wake(number))
            async with turns:
                await asyncio.sleep(chance.random() * 0.3)  # sleeps: work
                while True:
                    try:
                        await wakes.append(NewMessage("wake.shop.order", body, {}))
                        return
                    except Transient:
                        await asyncio.sleep(0.2)

        async def killing() -> None:
            while True:
                async with process(server, tmp_path) as victim:
                    await asyncio.sleep(chance.uniform(1, 3))
                    victim.kill()
                    await victim.wait()

        async def restarting() -> None:
            for _ in range(3):
                await asyncio.sleep(chance.uniform(0.5, 1.5))  # sleeps: work
                server.restart()

        victims = [asyncio.create_task(killing()) for _ in range(2)]
        twice = [*range(count), *range(count)]
        chance.shuffle(twice)
        await asyncio.gather(restarting(), *(send(number) for number in twice))
        for one in victims:
            one.cancel()
        await asyncio.gather(*victims, return_exceptions=True)

        async def all_handled() -> bool | None:
            info = await admin.api(f"CONSUMER.INFO.{WAKE_STREAM}.{WAKES.name}")
            return not (info["num_pending"] or info["num_ack_pending"]) or None

        async with process(server, tmp_path), process(server, tmp_path):
            await eventually(all_handled, within=90)
        told_once = await woken(world.log)
        kept = await Entities(world.log, world.clock, "/test").list(AGENT, EntityKind.INBOX)
        assert set(told_once.values()) == {1}
        assert sorted(told_once) == sorted(str(number) for number in range(count) if number % 6 != 5)
        assert sorted(one.value["wake_id"] for one in kept) == sorted(str(n) for n in range(5, count, 6))
        created = [decode(one).event async for one in world.log.read(all_inputs(type_of(Created)))]
        by_wakes = [one for one in created if one.begun_by and one.begun_by.what == "wake"]
        assert len(by_wakes) == len(range(4, count, 6))
        assert await DeadLetterStore(admin).all() == []
        await admin.close()


def a_wake(number: int) -> dict[str, Any]:
    """Of six, four go to sessions, one to the agent, and one into the inbox."""
    target = "agent/default" if number % 6 > 3 else f"session/s_{number % 5}"
    return {
        "specversion": "1.0",
        "id": str(number),
        "source": "/orders",
        "type": "order",
        "subject": target,
        "priority": "later" if number % 6 == 5 else "now",
        "data": {"message": f"Order {number}"},
    }


async def test_a_clock_that_was_an_hour_ahead_silences_nothing(
    nats_servers: StartNats, tmp_path: Path
) -> None:
    clock = WrongClock(tmp_path)
    async with product(nats_servers) as (world, server), scheduler_with(clock, settings_of(server)):
        await world.session()
        await world.schedule(cron="* * * * *", overlap="parallel")
        await world.remind("r_during", at=coming(world, 600))
        clock.ahead_by(3600)
        await until_told(world, 1, within=60)

        async def runs() -> list[datetime]:
            return [due for _, due, _ in await world.begun_at()]

        await eventually(runs, within=60)  # by the clock that is ahead
        clock.ahead_by(0)
        right = world.clock.now()

        async def runs_again() -> bool | None:
            return (
                any(right < due <= began < due + LATEST for _, due, began in await world.begun_at()) or None
            )

        await eventually(runs_again, within=180)
        await world.remind("r_after", at=coming(world, 1))
        await until_told(world, 2, within=60)
        assert await told(world) == {"r_during": 1, "r_after": 1}
