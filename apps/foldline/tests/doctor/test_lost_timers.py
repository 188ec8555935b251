"""Timers that NATS lost are told by `foldline doctor`."""

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.event_sources import Actor
from agent_contracts.log.subjects import TIMER_STREAM
from agent_contracts.session_events import inputs
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter, Write
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.clock import SystemClock
from foldline.doctor.finding import Severity
from foldline.doctor.stores import timers
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.session_engine.world import AGENT, SESSION, World
from session_domain import missing_timers


async def test_one_timer_that_nats_lost_is_told_and_set_again(
    nats_server: NatsForTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing_timers, "_SETTLES_S", 0.0)
    admin = await connect(nats_server.url, name="test")
    try:
        await ensure_streams(admin, StreamSettings())
        world = World(JetStreamLog(admin), JetStreamLog(admin, stream=TIMER_STREAM))
        await world.given(
            inputs.Created(agent_id=AGENT, token_limit=1000, title="t", run_timeout_s=3600.0),
            inputs.UserMessage(text="hi"),
        )
        assert (await timers(admin)).verdict is Severity.OK
        await admin.api(f"STREAM.MSG.DELETE.{TIMER_STREAM}", {"seq": 1})
        found = await timers(admin)
        assert found.verdict is Severity.PROBLEM
        assert f"run_timeout of session {SESSION}" in found.text
        assert await world.timers().put_back(missing_timers.ALL_PARTITIONS) == 1
        assert (await timers(admin)).verdict is Severity.OK
        reminder = StoredReminder(SESSION, at="2999-01-01T00:00:00.000Z", message="tea")
        key = EntityKey(AGENT, EntityKind.REMINDER, "r_1")
        await Entities(JetStreamLog(admin), SystemClock(), event_sources.GATEWAY).change(
            key, EntityWriter("1", Actor.USER, since=0), lambda _: Write(msgspec.to_builtins(reminder))
        )
        found = await timers(admin)
        assert "reminder r_1" in found.text
    finally:
        await admin.close()
