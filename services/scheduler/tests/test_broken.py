"""What can't be read, or whose session can't: it holds up nothing else, and is told once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from agent_contracts import event_sources
from agent_contracts.entities.schedules import StoredReminder
from agent_contracts.ids import SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.inputs import ReminderDue
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.process.clock import rfc3339
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.scheduler.serving import serving
from foldline_testing.scheduler.world import AGENT, SESSION, R, SetClock, T, World, reminder_key, schedule_key
from scheduler.entity_writes import EntityWrites
from scheduler.reconciler import Reconciler
from scheduler.standing_since import StandingSince
from scheduler.timers import ScheduleTimers
from session_domain.sessions import FoldedSessions


async def breaks(world: World, session_id: SessionId) -> None:
    """An event of the session is lost: a decision says that it came after one that isn't there."""
    key = SessionKey(AGENT, session_id)
    lost = Origin(event_sources.ENGINE, prev=(await world.state(session_id)).last_sequence - 1)
    message, _ = event_message(ev.TurnStarted(), key.decision(type_of(ev.TurnStarted)), lost, world.clock)
    await world.log.append(message)


async def test_a_run_whose_session_lost_an_event_has_failed_and_the_next_begins() -> None:
    clock = SetClock()
    world = World(clock=clock)
    await world.agent()
    await world.schedule()
    clock.passes(hours=1)
    await world.scheduler().schedules.advance(AGENT, T)
    run = await world.last_run()
    assert run is not None
    assert run.session_id is not None
    await breaks(world, run.session_id)
    clock.passes(hours=1)
    await world.scheduler().schedules.advance(AGENT, T)
    runs = await world.runs()
    assert [one.outcome for one in runs] == ["started", "failed", "started"]
    assert "the event before it here is" in (runs[1].reason or "")
    assert len(await world.begun()) == 2


async def test_a_reminder_of_a_session_that_lost_an_event_is_missed() -> None:
    clock = SetClock()
    world = World(clock=clock)
    await world.agent()
    await world.session()
    await world.remind()
    await breaks(world, SESSION)
    clock.passes(hours=1)
    await world.scheduler().reminders.advance(AGENT, R)
    reminder = await world.reminder()
    assert reminder is not None
    assert reminder.done == "missed"


async def test_what_will_fail_again_is_left_until_the_next_look() -> None:
    world = World()
    await world.agent()
    await world.schedule(cron="never")  # as no door writes it
    await world.write(reminder_key(), {"session_id": SESSION, "at": "soon", "message": "x"})
    await world.timers.append(NewMessage(f"timer.reminder.{AGENT}.r_9", b"nothing", {}))
    one = world.scheduler()
    look = Reconciler(world.entities, ScheduleTimers(world.timers), world.clock, one.reminders, one.schedules)
    assert await look.look() == 0


async def test_a_task_goes_on_at_its_times_after_a_clock_was_far_ahead() -> None:
    clock = SetClock()
    world = World(clock=clock)
    await world.agent()
    await world.schedule()

    async def runs() -> None:
        await world.scheduler().schedules.advance(AGENT, T)
        run = await world.last_run()
        assert run is not None
        for one in run.running:
            await world.answers(one.session_id)
        await world.scheduler().schedules.advance(AGENT, T)

    clock.passes(hours=1)
    await runs()
    clock.passes(days=400)
    await runs()
    clock.passes(days=-400, minutes=30)
    await runs()
    clock.passes(minutes=30)
    await runs()
    started = [one.begun_by.due_at for one in await world.begun() if one.begun_by is not None]
    assert [at and at[:16] for at in started] == ["2026-03-02T09:00", "2027-04-06T09:00", "2026-03-02T10:00"]


async def test_the_service_goes_on_beside_a_reminder_and_a_task_that_have_no_time(
    on_server: World, nats_server: NatsForTest
) -> None:
    await on_server.write(reminder_key("r_0"), {"session_id": SESSION, "at": "soon", "message": "x"})
    await on_server.write(
        schedule_key("t_0"), {"name": "n", "task": "t", "cron": "0 * * * *", "timezone": "X"}
    )
    async with serving(nats_server):
        await on_server.remind(at=rfc3339(on_server.clock.now() + timedelta(seconds=1)))

        async def told() -> StoredReminder | None:
            reminder = await on_server.reminder()
            return reminder if reminder is not None and reminder.done is not None else None

        assert (await eventually(told, within=60)).done == "told"


ERRORS = [RuntimeError("out of luck"), OSError("no such device"), KeyError("missing")]
each_error = pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)


def failing_once(monkeypatch: pytest.MonkeyPatch, port: type, method: str, error: Exception) -> None:
    """The next call of a port's method raises; later ones do what they always did."""
    does: Callable[..., Any] = getattr(port, method)
    left = [error]

    async def raises(*args: Any, **more: Any) -> Any:
        if left:
            raise left.pop()
        return await does(*args, **more)

    monkeypatch.setattr(port, method, raises)


@each_error
@pytest.mark.parametrize(
    ("port", "method"),
    [(ScheduleTimers, "armed"), (Entities, "list_of_everyone"), (ScheduleTimers, "arm"), (Log, "last")],
)
async def test_a_look_that_breaks_is_logged_and_made_again(
    port: type, method: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, steady = SetClock(), [0.0]
    world = World(clock=clock)
    await world.agent()
    await world.session()
    await world.remind()
    reconciling = world.scheduler(lambda: steady[0]).reconciling
    failing_once(monkeypatch, type(world.log) if port is Log else port, method, error)
    with capture_logs() as logs:
        await reconciling.tick()
    assert [line["log_level"] for line in logs if line["event"] == "scheduler.bug"] == ["error"]
    steady[0] += 3_600
    clock.passes(hours=1)
    await reconciling.tick()
    reminder = await world.reminder()
    assert reminder is not None
    assert reminder.done == "told"


@each_error
@pytest.mark.parametrize(
    ("port", "method"),
    [
        (EntityWrites, "find"),
        (EntityWrites, "append"),
        (FoldedSessions, "newest"),
        (StandingSince, "of"),
        (EffectiveSettings, "of"),
    ],
)
async def test_a_reminder_whose_telling_breaks_is_told_once_by_the_next_delivery(
    port: type, method: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SetClock()
    world = World(clock=clock)
    await world.agent()
    await world.session()
    await world.remind()
    clock.passes(hours=1)
    reminders = world.scheduler().reminders
    failing_once(monkeypatch, port, method, error)
    with pytest.raises(type(error)):
        await reminders.advance(AGENT, R)
    assert not any(lock.locked() for lock in reminders._turns.values())
    await reminders.advance(AGENT, R)
    await reminders.advance(AGENT, R)
    told = [
        one async for one in events(world.log.read(f"ses.{AGENT}.>")) if isinstance(one.event, ReminderDue)
    ]
    assert len(told) == 1
