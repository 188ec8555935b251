"""The whole service on a real server: NATS keeps its timers, any number of schedulers work."""

from datetime import timedelta

from agent_contracts.entities.schedules import StoredReminder, StoredScheduleRun
from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import TIMER_STREAM
from agent_contracts.session_events import inputs
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import rfc3339
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.scheduler.serving import serving
from foldline_testing.scheduler.world import AGENT, SESSION, T, World


def coming(world: World, seconds: float) -> str:
    return rfc3339(world.clock.now() + timedelta(seconds=seconds))


async def told(world: World, name: str = "r_1") -> StoredReminder:
    async def done() -> StoredReminder | None:
        reminder = await world.reminder(name)
        return reminder if reminder is not None and reminder.done is not None else None

    return await eventually(done)


async def became(world: World, outcome: str, name: str = T) -> StoredScheduleRun:
    async def there() -> StoredScheduleRun | None:
        return next((one for one in await world.runs(name) if one.outcome == outcome), None)

    return await eventually(there)


async def due_in(world: World, session: SessionId = SESSION) -> list[str]:
    return [one.reminder_id for one in await world.events(session) if isinstance(one, inputs.ReminderDue)]


async def test_two_schedulers_tell_each_reminder_once_and_begin_each_run_once(
    on_server: World, nats_server: NatsForTest
) -> None:
    async with serving(nats_server, count=2):
        for number in range(20):
            await on_server.remind(f"r_{number}", at=coming(on_server, 1))
        await on_server.schedule(at=coming(on_server, 1))
        await on_server.schedule("t_2", at=coming(on_server, 3600))
        await on_server.run_by_hand("t_2")
        for number in range(20):
            assert (await told(on_server, f"r_{number}")).done == "told"
        run = await became(on_server, "started")
        by_hand = await became(on_server, "started", "t_2")
        for one in (run, by_hand):
            assert one.session_id is not None
            await on_server.answers(one.session_id)
        await became(on_server, "succeeded")
        await became(on_server, "succeeded", "t_2")
    assert sorted(await due_in(on_server)) == sorted(f"r_{number}" for number in range(20))
    assert len(await on_server.begun()) == 2
    assert [one.outcome for one in await on_server.runs()] == ["started", "succeeded"]
    assert [one.outcome for one in await on_server.runs("t_2")] == ["asked", "started", "succeeded"]


async def test_what_came_due_while_no_scheduler_was_there_is_caught_up_with(
    on_server: World, nats_server: NatsForTest, connection: NatsConnection
) -> None:
    async with serving(nats_server):
        await on_server.remind("r_armed", at=coming(on_server, 1))
        await on_server.remind("r_later", at=coming(on_server, 3600))
        await on_server.schedule(at=coming(on_server, 1))
        await eventually(lambda: _so_many(on_server, 3))
    await on_server.remind("r_unseen", at=coming(on_server, 0.5))
    await connection.api(f"STREAM.PURGE.{TIMER_STREAM}")
    async with serving(nats_server):
        assert (await told(on_server, "r_armed")).done == "told"
        assert (await told(on_server, "r_unseen")).done == "told"
        await became(on_server, "started")
        armed = await eventually(lambda: _so_many(on_server, 1))
        assert list(armed) == [f"timer.reminder.{AGENT}.r_later"], "timers that were lost are set again"
    assert sorted(await due_in(on_server)) == ["r_armed", "r_unseen"]


async def _so_many(world: World, count: int) -> dict[str, str] | None:
    armed = await world.armed()
    return armed if len(armed) == count else None


async def test_a_changed_schedule_is_waited_for_at_its_new_time(
    on_server: World, nats_server: NatsForTest
) -> None:
    async with serving(nats_server, count=2):
        await on_server.schedule(at=coming(on_server, 3600))
        await eventually(lambda: _so_many(on_server, 1))
        moved = await on_server.schedule(at=coming(on_server, 0.5))
        run = await became(on_server, "started")
    assert run.due_at == moved.at
    assert len(await on_server.begun()) == 1


async def test_garbage_in_the_place_of_a_timer_or_an_entity_stops_nothing(
    on_server: World, nats_server: NatsForTest, connection: NatsConnection
) -> None:
    async with serving(nats_server):
        await connection.request(f"agt.{AGENT}.reminder.r_bad", b"\xff{", timeout=2)
        await connection.request(f"due.schedule.{AGENT}.t_bad", b"\xff{", timeout=2)
        await connection.request(f"due.schedule.{AGENT}.t_none", b'{"agent_id": "*"}', timeout=2)
        await on_server.remind(at=coming(on_server, 0.3))
        assert (await told(on_server)).done == "told"
