"""Timers on a real server: it keeps them, and the engine acts on them."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from agent_contracts.ids import CallId
from agent_contracts.log import subjects
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.subjects import DLQ_STREAM, TIMER_STREAM
from agent_contracts.log.timers import Timer, decode_timer, encode_timer
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.users import nats_users
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.process.stop_points import STOP_DIR, arm, has_fired
from agent_platform.services.consuming.dead_letter import DeadLetterRecord
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.discovery import consumers_of, discover, rights_of
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.plugin import StartNats
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_platform.warm import WarmProcess, WarmProgram
from foldline_testing.session_engine import alone
from foldline_testing.session_engine.acting import acting
from foldline_testing.session_engine.world import AGENT, KEY, SESSION, World, answer
from session_engine.service import TIMERS

ENGINE = WarmProgram(alone.engine)
CALL = CallId("m000003-00")
EXPIRES = f"{SESSION}~{CALL}"
DUE = KEY.input("foldline.session.timer_due.v1")
FAILED = KEY.decision("foldline.session.failed.v1")


async def asked(world: World, expires_in_s: float) -> None:
    """A session whose model asked the user, who has so many seconds to answer."""
    created = inputs.Created(agent_id=AGENT, token_limit=1000, title="t")
    await world.given(created, inputs.UserMessage(text="hi"))
    await world.result(answer("m000003", "ask_user"))
    await world.settle()
    expires_at = rfc3339(SystemClock().now() + timedelta(seconds=expires_in_s))
    await world.result(results.ToolCallPending(CALL, {"kind": "ask_user"}, "r", expires_at))
    await world.settle()


async def has_come_due(world: World, timer_id: str = EXPIRES) -> StoredMessage:
    return await eventually(lambda: world.schedule.last(subjects.due_subject(timer_id)))


@pytest.mark.parametrize("expires_in_s", [0.3, 0, -3600])
async def test_a_question_expires_when_its_time_comes_or_at_once_if_it_has(
    world: World, connection: NatsConnection, expires_in_s: float
) -> None:
    async with acting(world, connection):
        await asked(world, expires_in_s)
        due = await eventually(lambda: world.log.last(DUE))
        await world.settle()
    kinds = [type(event) for event in await world.events()]
    assert kinds[-3:] == [inputs.TimerDue, ev.ToolCallCancelled, ev.ModelCallRequested]
    pending = await world.log.last(KEY.results)
    assert pending is not None
    assert due.envelope is not None
    assert due.envelope.time >= msgspec.json.decode(pending.data)["expires_at"]


async def test_a_timer_outlives_its_server_and_whoever_set_it(
    world: World, connection: NatsConnection, nats_server: NatsForTest
) -> None:
    await asked(world, 0.5)
    nats_server.restart()

    async def reconnected() -> bool | None:
        return connection.epoch > 0 or None

    await eventually(reconnected)
    await has_come_due(world)  # nobody is there to act on it
    async with acting(world, connection):
        await eventually(lambda: world.log.last(DUE))


async def test_a_timer_that_is_set_again_replaces_the_one_before(world: World) -> None:
    times = [rfc3339(SystemClock().now() + timedelta(seconds=seconds)) for seconds in (3600, 1800, 0.3)]
    for due_at in times:
        timer = Timer(AGENT, SESSION, "call_expiry", due_at, CALL)
        where = subjects.timer_subject(timer.id)
        await world.schedule.append(NewMessage(where, encode_timer(timer), timer.headers()))
        assert len([message async for message in world.schedule.read(where)]) <= 1
    due = await has_come_due(world)
    assert decode_timer(due.subject, due.data).due_at == times[-1]
    assert [message async for message in world.schedule.read("timer.>")] == []


async def test_what_is_no_timer_is_set_aside_and_not_tried_again(
    world: World, connection: NatsConnection
) -> None:
    async with acting(world, connection):
        await world.schedule.append(NewMessage("due.garbage", b"\xff{", {}))
        other = NewMessage("due.other", encode_timer(Timer(AGENT, SESSION, "run_timeout", "")), {})
        await world.schedule.append(other)
        dead = JetStreamLog(connection, stream=DLQ_STREAM)
        await eventually(lambda: dead.get(2))
        stored = [message async for message in dead.read(f"dlq.{TIMER_STREAM}.*")]
        info = await connection.api(f"CONSUMER.INFO.{TIMER_STREAM}.{TIMERS.name}")
    letters = [msgspec.json.decode(message.data, type=DeadLetterRecord) for message in stored]
    assert sorted((letter.subject, letter.attempts) for letter in letters) == [
        ("due.garbage", 1),
        ("due.other", 1),
    ]
    assert info["num_redelivered"] == 0


@contextlib.asynccontextmanager
async def engine_process(url: str, folder: Path) -> AsyncIterator[WarmProcess]:
    """An engine by itself, as its own user, with its stop points in `folder`."""
    environment = {
        **os.environ,
        "FOLDLINE_NATS_URL": url,
        "FOLDLINE_NATS_CREDENTIALS": "engine:pw-engine",
        STOP_DIR: str(folder),
    }
    process = await ENGINE.start(environment, folder)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.faults
@pytest.mark.timeout(300)
async def test_no_timer_is_lost_with_the_engine_that_was_about_to_set_it_or_to_act_on_it(
    nats_servers: StartNats, tmp_path: Path
) -> None:
    rights = rights_of(discover())
    server = nats_servers(nats_users(rights, {name: f"pw-{name}" for name in ("admin", *rights)}))
    url = server.url_for("engine").replace("engine:pw-engine@", "")
    admin = await connect(server.url_for("admin"), name="admin")
    await ensure_streams(admin, StreamSettings())
    impatient = [
        msgspec.structs.replace(spec, ack_wait_s=2.0, max_deliver=-1) for spec in consumers_of(discover())
    ]
    await ensure_consumers(admin, impatient)
    world = World(JetStreamLog(admin))
    await world.happens(inputs.Created(agent_id=AGENT, token_limit=1000, title="t", run_timeout_s=0.3))
    await world.happens(inputs.UserMessage(text="hi"))
    for name in ("timers.setting", "timers.due"):
        arm(tmp_path, name)
        async with engine_process(url, tmp_path) as victim:
            assert await asyncio.wait_for(victim.wait(), 60) == -signal.SIGKILL
        assert has_fired(tmp_path, name)
    async with engine_process(url, tmp_path):
        failed = await eventually(lambda: world.log.last(FAILED), within=60)
    assert msgspec.json.decode(failed.data)["message"] == "Timed out after 0.3s"
    assert [type(event) for event in await world.events()][-2:] == [inputs.TimerDue, ev.Failed]
    await admin.close()
