"""The clock is wrong for a while, or nothing ran for a while: all comes once, and soon after it is right.

Here NATS never tells that a timer came due: that all comes in time is the scheduler's own doing.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from agent_contracts.entities.schedules import Recurrence
from agent_contracts.json_value import Json
from agent_contracts.session_events import inputs
from agent_platform.process.clock_watch import CHECK_S, ClockWatch
from foldline_testing.scheduler.world import AGENT, SetClock, World
from scheduler.schedules import what_counts

LATEST = timedelta(seconds=35)
MINUTE = timedelta(minutes=1)
OFF = (timedelta(hours=1), timedelta(days=1), timedelta(hours=27))
WRONG_BY = [*OFF, *(-one for one in OFF)]


class Life:
    """A world whose clock may be wrong; `right` is the time that it really is."""

    def __init__(self, at: datetime | None = None) -> None:
        self.clock = SetClock() if at is None else SetClock(at)
        self.world = World(clock=self.clock)
        self.right = self.clock.at
        self._began = self.right
        self._changes = 0
        self._runs = self.world.scheduler(self.steady)

    def steady(self) -> float:
        return (self.right - self._began).total_seconds()

    async def lasts(self, time: timedelta, wrong_by: timedelta = timedelta(0)) -> None:
        """So much time passes, with a clock that is wrong."""
        until = self.right + time
        while self.right < until:
            self.right += timedelta(seconds=CHECK_S)
            self.clock.at = self.right + wrong_by
            await self._runs.reconciling.tick()
            await self._hears_of_changes()

    async def passes_unnoticed(self, time: timedelta) -> None:
        """Foldline is off for so long, and starts again."""
        self.right += time
        self.clock.at = self.right
        self._runs = self.world.scheduler(self.steady)

    async def _hears_of_changes(self) -> None:
        async for message in self.world.log.read("agt.*.reminder.*", after=self._changes):
            self._changes = message.sequence
            await self._runs.reminders.advance(AGENT, message.subject.rpartition(".")[2])

    async def runs(self) -> dict[datetime, datetime]:
        """When each run was due, and when it began by the clock. Fails where one began twice."""
        begun = await self.world.begun_at()
        counts = Counter((name, due) for name, due, _ in begun)
        assert {run: count for run, count in counts.items() if count > 1} == {}
        return {due: began for _, due, began in begun}

    async def told(self, name: str) -> list[inputs.ReminderDue]:
        events = await self.world.events()
        return [one for one in events if isinstance(one, inputs.ReminderDue) and one.reminder_id == name]


@pytest.fixture
async def life() -> Life:
    life = Life()
    await life.world.agent()
    await life.world.session()
    return life


def minutes(after: datetime, up_to: datetime) -> set[datetime]:
    first = after.replace(second=0, microsecond=0) + MINUTE
    return {first + MINUTE * n for n in range(10_000) if first + MINUTE * n <= up_to}


@pytest.mark.parametrize("by", WRONG_BY, ids=str)
async def test_a_task_of_each_minute_goes_on_after_the_clock_was_wrong(life: Life, by: timedelta) -> None:
    await life.world.schedule(cron="* * * * *", overlap="parallel")
    await life.lasts(MINUTE * 3)
    await life.lasts(MINUTE, by)
    right_since = life.right
    await life.lasts(MINUTE * 4)
    runs = await life.runs()
    due = minutes(right_since, life.right - LATEST)
    assert due <= set(runs)
    assert max(runs[one] - one for one in due) <= LATEST


@pytest.mark.parametrize("by", WRONG_BY, ids=str)
async def test_a_reminder_and_a_task_that_come_once_come_once(life: Life, by: timedelta) -> None:
    at = life.right + MINUTE * 6
    for number in range(7):
        await life.world.remind(f"r_{number}", at=stamp(at - MINUTE * (5 - number)))
        await life.world.schedule(f"t_{number}", at=stamp(at - MINUTE * (5 - number)))
    await life.lasts(MINUTE * 3)
    await life.lasts(MINUTE, by)
    await life.lasts(MINUTE * 6)
    assert [len(await life.told(f"r_{number}")) for number in range(7)] == [1] * 7
    assert len(await life.world.begun()) == len(await life.runs()) == 7


@pytest.mark.parametrize("by", WRONG_BY, ids=str)
async def test_a_reminder_that_comes_again_does_so_after_a_wrong_clock(life: Life, by: timedelta) -> None:
    await life.world.remind(
        "r_often", at=stamp(life.right + MINUTE), again=Recurrence("interval", seconds=60)
    )
    nine = Recurrence("day", clock="09:00")
    await life.world.remind("r_daily", at="2026-03-02T09:00:00.000Z", again=nine)
    await life.lasts(MINUTE * 3)
    await life.lasts(MINUTE, by)
    before = len(await life.told("r_often"))
    await life.lasts(MINUTE * 4)
    assert len(await life.told("r_often")) >= before + 2
    told = len(await life.told("r_daily"))
    await life.lasts(timedelta(hours=1), timedelta(0))
    today = 1 if by < timedelta(days=1) else 2  # with a clock a day ahead, tomorrow's came too
    assert told <= len(await life.told("r_daily")) <= today


async def test_what_was_written_by_a_clock_that_was_ahead_is_not_silent(life: Life) -> None:
    await life.lasts(MINUTE)
    await life.lasts(MINUTE, timedelta(days=1))
    await life.world.schedule(cron="* * * * *", overlap="parallel")
    await life.world.schedule("t_2", cron="@every 60", overlap="parallel")
    await life.world.remind("r_1", again=Recurrence("interval", seconds=60))
    await life.lasts(MINUTE * 4)
    assert len(await life.world.runs()) >= 3
    assert len(await life.world.runs("t_2")) >= 3
    assert len(await life.told("r_1")) >= 2


@pytest.mark.parametrize("off", [timedelta(minutes=5), *OFF, timedelta(days=40)], ids=str)
async def test_what_came_due_while_all_was_off_comes_late_and_says_so(life: Life, off: timedelta) -> None:
    due = life.right + MINUTE * 2
    await life.world.remind(at=stamp(due))
    await life.world.schedule(at=stamp(due))
    await life.lasts(MINUTE)
    await life.passes_unnoticed(off)
    since = life.right
    await life.lasts(MINUTE)
    [told] = await life.told("r_1")
    assert told.late is not None
    assert told.late.startswith("Late: this was due on Monday, 2 March 2026 at 08:02 (UTC), ")
    [began] = (await life.runs()).values()
    assert began - since <= LATEST
    [created] = await life.world.begun()
    assert created.begun_by is not None
    assert created.begun_by.late == told.late


@pytest.mark.parametrize("change", ["2026-03-29T01:00:00+00:00", "2026-10-25T01:00:00+00:00"])
async def test_where_summer_time_begins_and_ends_each_comes_once_and_in_time(change: str) -> None:
    life = Life(datetime.fromisoformat(change).astimezone(UTC) - timedelta(hours=2))
    await life.world.agent()
    await life.world.session()
    zone = {"timezone": "Europe/Oslo", "overlap": "parallel"}
    await life.world.schedule("t_hourly", cron="30 * * * *", **zone)
    await life.world.schedule("t_night", cron="30 2 * * *", **zone)
    await life.world.remind(
        "r_night", at=stamp(life.right + MINUTE), again=Recurrence("day", "Europe/Oslo", clock="02:30")
    )
    await life.lasts(timedelta(hours=4))
    assert len(await life.world.begun()) == 5
    runs = await life.runs()
    assert len(await life.world.runs("t_night")) == 1
    assert max(began - due for due, began in runs.items()) <= LATEST
    assert len(await life.told("r_night")) == 2  # the first, then the one of this night


def test_a_clock_that_was_set_is_noticed_and_one_that_is_slewed_is_not() -> None:
    clock, steady = SetClock(), 0.0
    watch = ClockWatch(clock, lambda: steady)
    clock.passes(seconds=5.5)
    steady += 5
    assert watch.moved() is None
    clock.passes(hours=-1)
    steady += 5
    assert watch.moved() == timedelta(hours=-1, seconds=-5)
    assert watch.moved() is None


def stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"


SCHEDULE: dict[str, Json] = {"name": "n", "task": "t", "cron": "0 9 * * *", "timezone": "Europe/Oslo"}


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({"name": "other", "task": "another", "model": "m"}, False),
        ({"enabled": True}, False),
        ({"enabled": False}, True),
        ({"cron": "0 10 * * *"}, True),
        ({"timezone": "Asia/Kathmandu"}, True),
        ({"at": "2027-01-01T09:00"}, True),
    ],
)
def test_a_schedule_stands_anew_where_what_says_when_it_is_due_was_changed(
    change: dict[str, Json], counts: bool
) -> None:
    assert (what_counts(SCHEDULE) != what_counts({**SCHEDULE, **change})) is counts


def test_a_value_that_is_none_is_due_never() -> None:
    assert what_counts(None) is None
