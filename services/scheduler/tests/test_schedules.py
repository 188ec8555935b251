"""Schedules: a fresh session at each time, once, whoever crashes; what was missed, overlaps, and failures."""

import asyncio

import msgspec
import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import StoredScheduleRun
from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import QUOTAS_BUCKET
from agent_contracts.outside import Source
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_domain.schedules.rules import enabled, paused
from agent_domain.schedules.runs import runs_key
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.bucket import Bucket
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.scheduler.world import AGENT, START, SetClock, T, World, schedule_key

TIMER = f"timer.schedule.{AGENT}.{T}"


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def world(clock: SetClock) -> World:
    world = World(clock=clock)
    await world.agent()
    return world


async def look(world: World, times: int = 1) -> None:
    for _ in range(times):
        await world.scheduler().schedules.advance(AGENT, T)


async def outcomes(world: World) -> list[tuple[str, str]]:
    return [(run.due_at[11:16], run.outcome) for run in await world.runs()]


async def last_session(world: World) -> SessionId:
    last = await world.last_run()
    assert last is not None
    assert last.session_id is not None
    return last.session_id


async def test_at_its_time_a_session_begins_with_the_task(world: World, clock: SetClock) -> None:
    await world.schedule(model="openai/x", token_limit=500)
    await look(world)
    assert await world.armed() == {TIMER: "2026-03-02T09:00:00.000Z"}

    clock.passes(hours=1, seconds=0.2)
    await look(world, times=3)

    created, message = await world.events(await last_session(world))
    assert isinstance(created, inputs.Created)
    assert (created.title, created.model, created.token_limit) == ("News", "openai/x", 500)
    assert created.begun_by == inputs.BegunBy("schedule", T, "2026-03-02T09:00:00.000Z")
    assert message == inputs.UserMessage("read the news")
    assert await outcomes(world) == [("09:00", "started")]
    assert await world.armed() == {TIMER: "2026-03-02T10:00:00.000Z"}


async def test_a_session_has_what_the_writer_of_its_task_had_read(world: World, clock: SetClock) -> None:
    page = (Source("web", "evil.example", "7", SessionId("s_0")),)
    made = msgspec.json.decode(msgspec.json.encode(await world.schedule()))
    await world.entities.write(schedule_key(), made, EntityWriter.user("again").having(page))
    clock.passes(hours=1, seconds=0.2)
    await look(world, times=3)
    assert (await world.state(await last_session(world))).outside == page


async def test_many_schedulers_at_once_begin_one_session(world: World, clock: SetClock) -> None:
    await world.schedule()
    clock.passes(hours=1)
    await asyncio.gather(*(world.scheduler().schedules.advance(AGENT, T) for _ in range(20)))
    assert len(await world.begun()) == 1


@pytest.mark.parametrize("restarts_at_s", [-1, 0, 1, 50, 3000])
async def test_a_restart_before_at_or_after_a_time_neither_moves_nor_repeats_it(
    world: World, clock: SetClock, restarts_at_s: int
) -> None:
    await world.schedule(at="2026-03-02T09:00:00.000Z")
    await look(world)
    clock.at = START
    clock.passes(hours=1, seconds=restarts_at_s)
    await look(world, times=2)
    clock.at = START
    clock.passes(hours=2)
    await look(world, times=2)
    [created] = await world.begun()
    assert created.begun_by is not None
    assert created.begun_by.due_at == "2026-03-02T09:00:00.000Z"


async def test_of_what_was_missed_the_last_is_caught_up_with_and_no_burst(
    world: World, clock: SetClock
) -> None:
    await world.schedule(cron="*/5 * * * *")
    clock.passes(hours=9, minutes=2)
    await look(world, times=3)
    assert await outcomes(world) == [("17:00", "started")]


async def test_what_is_late_is_skipped_by_a_task_that_says_so_and_else_runs_however_late(
    world: World, clock: SetClock
) -> None:
    await world.schedule(misfire="skip")
    await world.schedule("t_2", at="2026-03-02T09:00:00.000Z")
    clock.passes(hours=1, minutes=2)
    await look(world)
    clock.passes(hours=26)
    await world.scheduler().schedules.advance(AGENT, "t_2")
    assert await outcomes(world) == [("09:00", "missed")]
    late = "Late: this was due on Monday, 2 March 2026 at 09:00 (UTC), 26 hours ago."
    [run] = await world.runs("t_2")
    assert (run.outcome, run.reason) == ("started", late)
    [created] = await world.begun()
    assert created.begun_by is not None
    assert created.begun_by.late == late
    assert run.session_id is not None
    assert (await world.events(run.session_id))[1] == inputs.UserMessage(f"read the news\n\n{late}")


async def test_one_that_was_changed_paused_or_deleted_begins_nothing_at_an_old_time(
    world: World, clock: SetClock
) -> None:
    hourly = await world.schedule()
    clock.passes(minutes=59)
    await world.schedule(cron="30 * * * *")
    clock.passes(minutes=1)
    await look(world)
    assert await world.begun() == []
    await world.write(schedule_key(), paused(hourly))
    clock.passes(hours=3)
    await look(world)
    assert await world.begun() == []
    await world.write(schedule_key(), enabled(paused(hourly), clock.now()))
    await look(world)
    assert await world.begun() == [], "what was due while it was paused isn't caught up with"
    await world.delete(schedule_key())
    clock.passes(hours=3)
    await look(world)
    assert await world.begun() == []


async def test_a_change_of_something_else_moves_no_time(world: World, clock: SetClock) -> None:
    await world.schedule()
    clock.passes(hours=1, minutes=5)
    await world.schedule(task="read other news")
    await look(world)
    [created] = await world.begun()
    assert created.begun_by is not None
    assert created.begun_by.due_at == "2026-03-02T09:00:00.000Z"
    [_, said] = await world.events(await last_session(world))
    assert isinstance(said, inputs.UserMessage)
    assert said.text.startswith("read other news")


async def test_one_that_is_brought_back_does_not_begin_again_what_it_began(
    world: World, clock: SetClock
) -> None:
    once = await world.schedule(at="2026-03-02T09:00:00.000Z")
    clock.passes(hours=1)
    await look(world)
    await world.delete(schedule_key())
    clock.passes(seconds=10)
    await world.write(schedule_key(), once)
    await look(world)
    assert len(await world.begun()) == 1
    hourly = await world.schedule("t_2")
    await world.delete(schedule_key("t_2"))
    clock.passes(hours=5)
    await world.write(schedule_key("t_2"), hourly)
    await world.scheduler().schedules.advance(AGENT, "t_2")
    assert len(await world.begun()) == 1, "it wasn't there when it was due"


async def test_what_became_of_it_brought_back_begins_no_second_session(world: World, clock: SetClock) -> None:
    await world.schedule()
    clock.passes(hours=1)
    await look(world)
    began = await last_session(world)
    before = StoredScheduleRun("2026-03-02T08:00:00.000Z", "skipped", decided="2026-03-02T08:00:00.000Z")
    await world.write(runs_key(AGENT, T), before)
    await look(world)
    assert await last_session(world) == began
    assert len(await world.begun()) == 1


async def test_a_run_ends_as_its_session_does(world: World, clock: SetClock) -> None:
    await world.schedule()
    clock.passes(hours=1)
    await look(world)
    await world.answers(await last_session(world))
    await look(world)
    clock.passes(hours=1)
    await look(world)
    await world.fails(await last_session(world), "the disk is full")
    await look(world)
    clock.passes(hours=1)
    await look(world)
    session = await last_session(world)
    await world.happens(session, inputs.Archived())
    await world.happens(session, ev.Completed("archived"))
    await look(world)
    assert await outcomes(world) == [
        ("09:00", "started"),
        ("09:00", "succeeded"),
        ("10:00", "started"),
        ("10:00", "failed"),
        ("11:00", "started"),
        ("11:00", "stopped"),
    ]
    failed = (await world.runs())[3]
    assert (failed.reason, failed.failures, failed.running) == ("the disk is full", 1, ())


async def test_a_run_that_waits_or_will_be_tried_again_goes_on(world: World, clock: SetClock) -> None:
    await world.schedule()
    clock.passes(hours=1)
    await look(world)
    session = await last_session(world)
    await world.happens(session, ev.TurnStarted())
    await look(world)
    assert await outcomes(world) == [("09:00", "started")]


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        ("skip", [("09:00", "started"), ("10:00", "skipped"), ("11:00", "skipped"), ("09:00", "succeeded")]),
        (
            "queue",
            [
                ("09:00", "started"),
                ("10:00", "queued"),
                ("11:00", "queued"),
                ("09:00", "succeeded"),
                ("10:00", "started"),
            ],
        ),
        (
            "parallel",
            [("09:00", "started"), ("10:00", "started"), ("11:00", "started"), ("09:00", "succeeded")],
        ),
    ],
)
async def test_a_time_while_the_run_before_is_not_over(
    world: World, clock: SetClock, overlap: str, expected: list[tuple[str, str]]
) -> None:
    await world.schedule(overlap=overlap)
    clock.passes(hours=1)
    await look(world)
    first = await last_session(world)
    for _ in range(2):
        clock.passes(hours=1)
        await look(world)
    await world.answers(first)
    await look(world, times=2)
    assert await outcomes(world) == expected


async def test_a_run_whose_session_was_erased_holds_up_nothing(world: World, clock: SetClock) -> None:
    await world.schedule()
    clock.passes(hours=1)
    await look(world)
    last = await world.last_run()
    assert last is not None
    gone = msgspec.structs.replace(last.running[0], session_id=SessionId("st_gone"))
    await world.write(runs_key(AGENT, T), msgspec.structs.replace(last, running=(gone,)))
    clock.passes(hours=1)
    await look(world)
    assert (await outcomes(world))[-2:] == [("09:00", "stopped"), ("10:00", "started")]


async def test_an_agent_that_used_up_its_day_begins_nothing_and_its_run_says_why(
    world: World, clock: SetClock
) -> None:
    await world.schedule()
    quota = DailyQuota(Bucket(MemoryLog(), QUOTAS_BUCKET), clock, limit=1)
    scheduler = world.scheduler(bounded=CountedLog(world.log, quota, bounded=True))
    clock.passes(hours=1)
    await scheduler.schedules.advance(AGENT, T)
    assert await world.begun() == []
    last = await world.last_run()
    assert last is not None
    assert (last.outcome, last.session_id) == ("failed", None)
    assert "may add 1 bytes a day" in (last.reason or "")


async def test_after_five_failures_in_a_row_it_pauses_itself_and_says_why(
    world: World, clock: SetClock
) -> None:
    await world.schedule()

    async def run(*, fails: bool) -> None:
        clock.passes(hours=1)
        await look(world)
        session = await last_session(world)
        await (world.fails(session, "no model") if fails else world.answers(session))
        await look(world)

    for fails in (True, True, False, True, True, True, True):
        await run(fails=fails)
        kept = await world.kept_schedule()
        assert kept is not None
        assert kept.enabled, "a success in between counts anew"
    await run(fails=True)
    kept = await world.kept_schedule()
    assert kept is not None
    assert not kept.enabled
    assert kept.paused_because == "5 runs failed one after another. The last one: no model"
    clock.passes(hours=5)
    await look(world)
    assert len(await world.begun()) == 8

    await world.write(schedule_key(), enabled(kept, clock.now()))
    for _ in range(4):
        await run(fails=True)
    kept = await world.kept_schedule()
    assert kept is not None
    assert kept.enabled, "it has five more"


async def test_a_run_by_hand_begins_at_once_even_of_one_that_is_paused(world: World, clock: SetClock) -> None:
    hourly = await world.schedule()
    clock.passes(minutes=10)
    await world.run_by_hand()
    await look(world, times=2)
    await world.write(schedule_key(), paused(hourly))
    clock.passes(minutes=10)
    await world.run_by_hand()
    await look(world, times=2)
    assert await outcomes(world) == [
        ("08:10", "asked"),
        ("08:10", "started"),
        ("08:20", "asked"),
        ("08:20", "started"),
    ]
    assert all(run.by_hand for run in await world.runs())
    await world.write(schedule_key(), hourly)
    clock.passes(minutes=40)
    await look(world)
    assert (await outcomes(world))[-1] == ("09:00", "skipped")


async def test_a_deleted_agents_schedules_begin_nothing(world: World, clock: SetClock) -> None:
    await world.schedule()
    await world.delete(EntityKey(AGENT, EntityKind.AGENT, AGENT))
    clock.passes(hours=1)
    await look(world)
    assert await world.begun() == []


async def test_times_are_those_of_the_zone(world: World, clock: SetClock) -> None:
    clock.at = clock.at.replace(month=3, day=28)
    await world.schedule(cron="30 2 * * *", timezone="Europe/Oslo")
    await look(world)
    assert await world.armed() == {TIMER: "2026-03-29T01:00:00.000Z"}, "the clocks jump over half past two"
    clock.at = clock.at.replace(day=29, hour=1, minute=0)
    await look(world)
    assert await outcomes(world) == [("01:00", "started")]
    assert await world.armed() == {TIMER: "2026-03-30T00:30:00.000Z"}
