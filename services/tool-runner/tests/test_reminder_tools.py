"""Reminders and scheduled tasks as the model sets them."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.schedules import (
    MOST_REMINDERS,
    MOST_SCHEDULES,
    StoredReminder,
    StoredScheduleRun,
)
from agent_contracts.errors import ErrorKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import SessionId
from agent_domain.schedules.planning import to_json
from agent_domain.schedules.runs import runs_key
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import rfc3339
from foldline_testing.agent_tools.world import AGENT, SESSION, delivery
from foldline_testing.tool_runner.world import World
from tool_runner.settings import RunnerSettings

CRON = {"name": "News", "task": "Read the news", "cron": "0 9 * * MON"}


@pytest.fixture
def world() -> World:
    return World(settings=RunnerSettings(timezone="Europe/Oslo"))


class Calls:
    """Calls of one session, each with an id of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._count = 0

    async def __call__(self, tool: str, **arguments: Any) -> Any:
        self._count += 1
        event = await self.world.run(tool, arguments, call_id=f"c{self._count}")
        assert event.result, event
        return event.result

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str | None]:
        """Kind and path of the error."""
        self._count += 1
        error = (await self.world.run(tool, arguments, call_id=f"c{self._count}")).error
        return error.kind, error.path


@pytest.fixture
def call(world: World) -> Calls:
    return Calls(world)


async def values(world: World, kind: EntityKind) -> dict[str, Any]:
    return {one.key.name: one.value for one in await world.entities.list(AGENT, kind)}


async def test_a_reminder_is_an_entity_of_its_session_until_it_is_cancelled(
    world: World, call: Calls
) -> None:
    made = await call("set_reminder", at="2199-02-25T09:00:00+02:00", message="Look again")
    assert made == {"id": made["id"], "at": "2199-02-25T07:00:00.000Z"}
    assert made["id"].startswith("r_")
    value = {"session_id": SESSION, "at": made["at"], "message": "Look again"}
    assert await values(world, EntityKind.REMINDER) == {made["id"]: value}
    listed = await call("list_reminders")
    assert listed == {"reminders": [{**made, "message": "Look again"}]}
    assert await call("cancel_reminder", id=made["id"]) == {"deleted": True}
    assert await call("cancel_reminder", id=made["id"]) == {"deleted": False}
    assert await call("list_reminders") == {"reminders": []}


async def test_a_naive_time_is_in_the_agents_zone_else_in_the_servers(world: World, call: Calls) -> None:
    summer = "2199-07-01T09:00"
    assert (await call("set_reminder", at=summer, message="x"))["at"] == "2199-07-01T07:00:00.000Z"
    await world.entities.write(
        EntityKey(AGENT, EntityKind.SETTING, "timezone"), "Asia/Kolkata", EntityWriter.user("zone")
    )
    assert (await call("set_reminder", at=summer, message="x"))["at"] == "2199-07-01T03:30:00.000Z"
    made = await call("create_scheduled_task", name="n", task="t", at=summer)
    assert made["next_run"] == "2199-07-01T03:30:00.000Z"


@pytest.mark.parametrize(
    ("at", "message", "refusal"),
    [
        ("2020-01-01T00:00:00Z", "x", (ErrorKind.REJECTED, "/at")),
        ("tomorrow", "x", (ErrorKind.INVALID_ARGUMENTS, "/at")),
        ("2199-01-01", "x", (ErrorKind.INVALID_ARGUMENTS, "/at")),
        ("2199-01-01T00:00", " ", (ErrorKind.INVALID_ARGUMENTS, "/message")),
        ("2199-01-01T00:00", "x" * 10_001, (ErrorKind.TOO_LARGE, "/message")),
    ],
)
async def test_what_can_not_be_a_reminder_is_refused_and_nothing_is_stored(
    world: World, call: Calls, at: str, message: str, refusal: tuple[str, str]
) -> None:
    assert await call.refused("set_reminder", at=at, message=message) == refusal
    assert await values(world, EntityKind.REMINDER) == {}


async def test_the_same_call_run_again_after_its_time_sets_no_second_reminder(world: World) -> None:
    at = rfc3339(world.clock.now() + timedelta(seconds=30))
    message = await world.request("set_reminder", {"at": at, "message": "x"})
    await world.runner().handle(delivery(message))
    first = await world.result()
    world.clock.ahead = timedelta(minutes=5)
    made = await values(world, EntityKind.REMINDER)
    repeat = World(log=world.log, clock=world.clock, settings=RunnerSettings(timezone="Europe/Oslo"))
    again = await repeat.request("set_reminder", {"at": at, "message": "x"}, call_id="c2")
    await repeat.runner().handle(delivery(again))
    assert (await repeat.ended("c2")).error.kind == ErrorKind.REJECTED
    assert first is not None
    await world.runner("r2").handle(delivery(message, 2, again=True))
    assert await values(world, EntityKind.REMINDER) == made


async def test_reminders_of_another_session_are_not_this_ones(world: World, call: Calls) -> None:
    made = await call("set_reminder", at="2199-01-01T00:00", message="x")
    other = SessionId("s2")
    listed = await world.run("list_reminders", call_id="o1", session_id=other)
    assert listed.result == {"reminders": []}
    cancelled = await world.run("cancel_reminder", {"id": made["id"]}, call_id="o2", session_id=other)
    assert cancelled.result == {"deleted": False}
    assert len(await values(world, EntityKind.REMINDER)) == 1


async def test_an_agent_has_a_bounded_number_of_reminders_that_wait(world: World, call: Calls) -> None:
    waiting = to_json(StoredReminder(SESSION, "2199-01-01T00:00:00Z", "x"))
    told = to_json(StoredReminder(SESSION, "2020-01-01T00:00:00Z", "x", done="told"))
    for number in range(MOST_REMINDERS):
        key = EntityKey(AGENT, EntityKind.REMINDER, f"r_{number}")
        await world.entities.write(key, told if number == 0 else waiting, EntityWriter.user(f"w{number}"))
    assert (await call("set_reminder", at="2199-01-01T00:00", message="the last"))["id"]
    refusal = await call.refused("set_reminder", at="2199-01-01T00:00", message="x")
    assert refusal == (ErrorKind.TOO_LARGE, None)


async def test_a_scheduled_task_is_listed_paused_goes_on_and_is_deleted(world: World, call: Calls) -> None:
    made = await call("create_scheduled_task", **CRON, timezone="UTC", token_limit=5_000)
    assert (made["name"], made["next_run"][11:]) == ("News", "09:00:00.000Z")
    (listed,) = (await call("list_scheduled_tasks"))["tasks"]
    assert listed == {
        "id": made["id"],
        "name": "News",
        "task": "Read the news",
        "type": "cron",
        "at": None,
        "cron": "0 9 * * MON",
        "timezone": "UTC",
        "next_run": made["next_run"],
        "last_run": None,
        "last_outcome": None,
        "enabled": True,
        "paused_because": None,
        "model": None,
    }
    off = {"id": made["id"], "enabled": False}
    assert await call("disable_scheduled_task", id=made["id"]) == off
    assert await call("disable_scheduled_task", id=made["id"]) == off
    assert await call("list_scheduled_tasks") == {"tasks": []}
    (paused,) = (await call("list_scheduled_tasks", include_disabled=True))["tasks"]
    assert (paused["enabled"], paused["next_run"]) == (False, None)
    assert await call("enable_scheduled_task", id=made["id"]) == {"id": made["id"], "enabled": True}
    assert (await call("list_scheduled_tasks"))["tasks"] == [listed]
    assert await call("cancel_scheduled_task", id=made["id"]) == {"deleted": True}
    assert await call("cancel_scheduled_task", id=made["id"]) == {"deleted": False}


async def test_a_list_tells_how_each_task_last_went(world: World, call: Calls) -> None:
    made = await call("create_scheduled_task", **CRON)
    run = StoredScheduleRun("2030-01-07T08:00:00Z", "failed", SessionId("s_9"), reason="no model", failures=2)
    scheduler = Entities(world.log, world.clock, event_sources.SCHEDULER)
    value = msgspec.to_builtins(run)
    await scheduler.write(runs_key(AGENT, made["id"]), value, EntityWriter("w", Actor.SERVICE))
    (listed,) = (await call("list_scheduled_tasks"))["tasks"]
    assert (listed["last_run"], listed["last_outcome"]) == ("2030-01-07T08:00:00Z", "failed")


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"at": "2199-01-01T00:00"}, (ErrorKind.INVALID_ARGUMENTS, "/cron")),
        ({"cron": None}, (ErrorKind.INVALID_ARGUMENTS, "/at")),
        ({"cron": "61 * * * *"}, (ErrorKind.INVALID_ARGUMENTS, "/cron")),
        ({"timezone": "Europe/Olso"}, (ErrorKind.INVALID_ARGUMENTS, "/timezone")),
        ({"task": ""}, (ErrorKind.INVALID_ARGUMENTS, "/task")),
        ({"name": " "}, (ErrorKind.INVALID_ARGUMENTS, "/name")),
        ({"token_limit": 0}, (ErrorKind.INVALID_ARGUMENTS, "/token_limit")),
        ({"overlap": "never"}, (ErrorKind.INVALID_ARGUMENTS, "/overlap")),
        ({"cron": None, "at": "2020-01-01T00:00Z"}, (ErrorKind.REJECTED, "/at")),
    ],
)
async def test_what_can_not_be_scheduled_is_refused_by_the_field_that_is_wrong(
    world: World, call: Calls, change: dict[str, Any], refusal: tuple[str, str | None]
) -> None:
    assert await call.refused("create_scheduled_task", **{**CRON, **change}) == refusal
    assert await values(world, EntityKind.SCHEDULE) == {}


@pytest.mark.parametrize("tool", ["enable_scheduled_task", "disable_scheduled_task"])
async def test_a_task_that_is_not_there_can_not_be_switched(call: Calls, tool: str) -> None:
    assert await call.refused(tool, id="t_none") == (ErrorKind.NOT_FOUND, "/id")


async def test_a_task_whose_only_time_is_over_does_not_go_on(world: World, call: Calls) -> None:
    at = rfc3339(world.clock.now() + timedelta(minutes=1))
    made = await call("create_scheduled_task", name="Once", task="x", at=at)
    await call("disable_scheduled_task", id=made["id"])
    world.clock.ahead = timedelta(minutes=5)
    assert await call.refused("enable_scheduled_task", id=made["id"]) == (ErrorKind.REJECTED, "/at")


async def test_an_agent_has_a_bounded_number_of_tasks(world: World, call: Calls) -> None:
    for number in range(MOST_SCHEDULES):
        key = EntityKey(AGENT, EntityKind.SCHEDULE, f"t_{number}")
        await world.entities.write(key, {**CRON, "timezone": "UTC"}, EntityWriter.user(f"w{number}"))
    assert await call.refused("create_scheduled_task", **CRON) == (ErrorKind.TOO_LARGE, None)
