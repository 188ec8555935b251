"""Reminders: told once, at their time, whoever crashes; missed where nobody is left to tell."""

import asyncio
from datetime import datetime, timedelta

import msgspec
import pytest

from agent_contracts.entities.schedules import Recurrence
from agent_contracts.errors import Transient
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.outside import Source
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_platform.entities.entity import EntityWriter
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.scheduler.world import AGENT, SESSION, R, SetClock, World, reminder_key


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def world(clock: SetClock) -> World:
    world = World(clock=clock)
    await world.agent()
    await world.session()
    return world


async def due_in(world: World) -> list[inputs.ReminderDue]:
    return [one for one in await world.events() if isinstance(one, inputs.ReminderDue)]


async def look(world: World, times: int = 1) -> None:
    for _ in range(times):
        await world.scheduler().reminders.advance(AGENT, R)


async def test_a_reminder_waits_for_its_time_and_is_then_told_to_its_session(
    world: World, clock: SetClock
) -> None:
    reminder = await world.remind()
    await look(world)
    assert await world.armed() == {f"timer.reminder.{AGENT}.{R}": reminder.at}
    clock.passes(minutes=59, seconds=59.9)
    await look(world)
    assert await due_in(world) == []

    clock.passes(seconds=0.1)
    await look(world, times=3)

    assert await due_in(world) == [inputs.ReminderDue(R, "call Ann")]
    assert (await world.state(SESSION)).queue[-1].text == "call Ann"
    told = await world.reminder()
    assert told is not None
    assert told.done == "told"


async def test_what_was_to_be_said_is_from_where_its_writer_had_read(world: World, clock: SetClock) -> None:
    page = (Source("web", "evil.example", "7", SESSION),)
    reminder = await world.remind()
    writer = EntityWriter.user("again").having(page)
    await world.entities.write(reminder_key(), msgspec.to_builtins(reminder), writer)
    clock.passes(hours=1)
    await look(world, times=2)
    assert await due_in(world) == [inputs.ReminderDue(R, "call Ann", page)]
    assert (await world.state(SESSION)).queue[-1].outside == page
    kept = await world.entities.current(reminder_key())
    assert kept is not None
    assert kept.outside == page, "that it was told changes nothing of that"


async def test_one_that_is_only_shown_says_so_to_its_session(world: World, clock: SetClock) -> None:
    reminder = msgspec.structs.replace(await world.remind(), quiet=True)
    await world.entities.write(reminder_key(), msgspec.to_builtins(reminder), EntityWriter.user("again"))
    clock.passes(hours=1)
    await look(world, times=2)
    assert await due_in(world) == [inputs.ReminderDue(R, "call Ann", quiet=True)]
    assert not (await world.state(SESSION)).is_addressed


async def test_a_timer_that_comes_too_early_comes_again(world: World, clock: SetClock) -> None:
    reminder = await world.remind()
    clock.passes(minutes=59, seconds=58)
    with pytest.raises(Transient) as early:
        await world.scheduler().reminders.advance(AGENT, R, reminder.at)
    assert early.value.retry_after == 2
    clock.passes(seconds=2)
    await world.scheduler().reminders.advance(AGENT, R, reminder.at)
    assert len(await due_in(world)) == 1


async def test_many_schedulers_at_once_tell_once(world: World, clock: SetClock) -> None:
    await world.remind()
    clock.passes(hours=1)
    await asyncio.gather(*(world.scheduler().reminders.advance(AGENT, R) for _ in range(20)))
    assert len(await due_in(world)) == 1


async def test_one_that_was_missed_is_told_however_late_and_says_when_it_was_due(
    world: World, clock: SetClock
) -> None:
    await world.remind()
    clock.passes(hours=27)
    await look(world, times=3)
    [due] = await due_in(world)
    assert due.late == "Late: this was due on Monday, 2 March 2026 at 09:00 (UTC), 26 hours ago."
    assert (await world.state(SESSION)).queue[-1].text == f"call Ann\n\n{due.late}"
    told = await world.reminder()
    assert told is not None
    assert told.done == "told"


async def test_one_that_was_changed_or_cancelled_is_told_at_no_old_time(
    world: World, clock: SetClock
) -> None:
    first = await world.remind()
    await look(world)
    moved = await world.remind(at="2026-03-02T11:00:00.000Z")
    clock.passes(hours=1)
    await world.scheduler().reminders.advance(AGENT, R, first.at)
    assert await due_in(world) == []
    assert await world.armed() == {f"timer.reminder.{AGENT}.{R}": moved.at}
    await world.delete(reminder_key())
    clock.passes(hours=2)
    await look(world)
    assert await due_in(world) == []


async def test_one_that_is_brought_back_after_its_time_is_not_told_again(
    world: World, clock: SetClock
) -> None:
    reminder = await world.remind()
    clock.passes(hours=1)
    await look(world)
    clock.passes(seconds=5)
    await world.write(reminder_key(), reminder)
    await look(world)
    assert len(await due_in(world)) == 1
    later = await world.remind("r_2")
    await world.delete(reminder_key("r_2"))
    clock.passes(minutes=30)
    await world.write(reminder_key("r_2"), later)
    clock.passes(minutes=30)
    await world.scheduler().reminders.advance(AGENT, "r_2")
    assert len(await due_in(world)) == 2, "its time was still to come"


async def test_one_that_took_a_moment_to_be_written_is_told(world: World, clock: SetClock) -> None:
    await world.remind(at="2026-03-02T07:59:58.000Z")
    await look(world)
    assert len(await due_in(world)) == 1


@pytest.mark.parametrize("over", ["archived", "failed", "gone"])
async def test_a_session_that_is_over_is_not_reminded(world: World, clock: SetClock, over: str) -> None:
    await world.remind(session_id="s_none" if over == "gone" else SESSION)
    if over == "archived":
        await world.happens(SESSION, inputs.Archived())
        await world.happens(SESSION, ev.Completed("archived"))
    elif over == "failed":
        await world.fails(SESSION)
    before = len(await world.events())
    clock.passes(hours=1)
    await look(world, times=2)
    assert len(await world.events()) == before
    missed = await world.reminder()
    assert missed is not None
    assert missed.done == "missed"


async def test_one_whose_session_was_erased_is_missed_by_a_scheduler_that_knew_the_session(
    clock: SetClock,
) -> None:
    log = MemoryLog()
    world = World(log, clock=clock)
    await world.agent()
    await world.session()
    scheduler = world.scheduler()
    await world.remind("r_before")
    await world.remind(R)
    clock.passes(hours=1)
    await scheduler.reminders.advance(AGENT, "r_before")
    assert await due_in(world) != []
    erased = [one.sequence async for one in log.read(SessionKey(AGENT, SESSION).everything)]
    for sequence in erased:
        log.lose(sequence)

    await scheduler.reminders.advance(AGENT, R)

    missed = await world.reminder()
    assert missed is not None
    assert missed.done == "missed"
    assert await world.events() == []


async def test_one_that_comes_again_is_told_each_time_once_and_waits_for_the_next(
    world: World, clock: SetClock
) -> None:
    again = Recurrence("interval", seconds=600)
    first = await world.remind(again=again)
    clock.passes(hours=1)
    await look(world, times=3)
    assert len(await due_in(world)) == 1
    coming = await world.reminder()
    assert coming is not None
    assert (coming.done, coming.again) == (None, again)
    assert datetime.fromisoformat(coming.at) - clock.now() == timedelta(minutes=10)
    assert coming.at > first.at
    await look(world)
    assert await world.armed() == {f"timer.reminder.{AGENT}.{R}": coming.at}
    clock.passes(minutes=10)
    await look(world, times=2)
    assert len(await due_in(world)) == 2


async def test_of_times_that_were_missed_the_last_is_told_late_and_it_ends_with_its_session(
    world: World, clock: SetClock
) -> None:
    await world.remind(again=Recurrence("day", clock="09:00"))
    clock.passes(days=10)
    await look(world, times=2)
    assert [one.late for one in await due_in(world)] == [
        "Late: this was due on Monday, 2 March 2026 at 09:00 (UTC), 9 days ago."
    ]
    coming = await world.reminder()
    assert coming is not None
    assert coming.done is None
    assert datetime.fromisoformat(coming.at) > clock.now()
    await world.happens(SESSION, inputs.Archived())
    clock.passes(days=1)
    await look(world)
    over = await world.reminder()
    assert over is not None
    assert over.done == "missed"
