"""Calls of the real database and schedules: each write happens once, and goes back with the log."""

from typing import Any

import pytest

from agent_contracts.tool_spec import RunsOn
from agent_tools.registry import Registry
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.tool_runner.world import World


@pytest.fixture
def called(whole: Registry) -> Called:
    """An agent with the pack and the core tools, on the ports of a real runner."""
    return Called(World(registry=whole.on(RunsOn.TOOLS)), "protoagent")


@pytest.mark.parametrize(
    ("tool", "arguments", "shown_by", "lines"),
    [
        ("memory_ingest", {"content": "likes tea"}, "memory_list", 1),
        ("memory_ingest", {"content": "likes tea", "heading": "tea"}, "memory_list", 1),
        ("daily_log", {"content": "slept"}, "memory_list", 1),
        ("beads_create", {"title": "Fix the roof"}, "beads_list", 1),
        ("schedule_task", {"prompt": "look", "when": "0 9 * * *", "job_id": "look"}, "list_schedules", 1),
        ("schedule_task", {"prompt": "look", "when": "0 9 * * *"}, "list_schedules", 1),
    ],
)
async def test_a_call_whose_runner_died_writes_once_and_says_the_same(
    called: Called, tool: str, arguments: dict[str, Any], shown_by: str, lines: int
) -> None:
    first, second = await called.twice(tool, **arguments)
    assert first.result == second.result
    shown = await called.text(shown_by)
    assert len(shown.split("\n")) == lines


async def test_what_is_changed_on_the_board_is_changed_once(called: Called) -> None:
    issue = (await called.text("beads_create", title="Fix the roof")).split()[1].rstrip(":")
    for tool, more in (("beads_update", {"status": "blocked"}), ("beads_close", {"reason": "done"})):
        first, second = await called.twice(tool, issue_id=issue, **more)
        assert first.result == second.result
    assert (await called.text("beads_list", include_closed=True)).startswith(f"[closed] {issue}")


async def test_what_was_written_is_as_it_was_at_each_event_of_the_log(called: Called) -> None:
    world: Any = called.world
    await called.text("memory_ingest", content="likes tea", domain="preferences", heading="drink")
    before = await world.log.last_sequence()
    await called.text("memory_ingest", content="likes coffee", domain="preferences", heading="drink")
    await called.text("beads_create", title="Buy coffee")
    database = await world.databases.of(AGENT)
    find = "SELECT content FROM protoagent_memory WHERE protoagent_memory MATCH 'likes'"
    async with database.as_of(before) as past:
        assert [row for (row,) in (await past.read(find, ())).rows] == ["likes tea"]
        assert "protoagent_beads" not in {table.name for table in await past.tables()}
    assert await called.text("memory_recall", query="likes") == "[preferences] drink: likes coffee"


async def test_jobs_are_scheduled_listed_and_cancelled_by_the_seed_s_words(called: Called) -> None:
    assert await called.text("list_schedules") == "No scheduled jobs."
    weekdays = await called.text(
        "schedule_task", prompt="Review the week", when="0 9 * * 1-5", job_id="review"
    )
    assert weekdays.startswith("Scheduled job review next at 20")
    assert weekdays.endswith("T09:00:00.000Z.")
    once = await called.text("schedule_task", prompt="Say  hello\nto all", when="2190-05-01T15:00:00")
    job_id = once.split()[2]
    assert once == f"Scheduled job {job_id} next at 2190-05-01T15:00:00.000Z."
    lines = sorted((await called.text("list_schedules")).split("\n"))
    assert lines[0].startswith("review  next=20")
    assert lines[0].endswith("  schedule='0 9 * * 1-5'  Review the week")
    assert lines[1] == (
        f"{job_id}  next=2190-05-01T15:00:00.000Z  schedule='2190-05-01T15:00:00.000Z'  Say hello to all"
    )
    for job in ("review", job_id):
        assert await called.text("cancel_schedule", job_id=job) == f"Canceled {job}."
        assert (await called.error("cancel_schedule", job_id=job))[1] == f"Error: no such job {job}."
    assert await called.text("list_schedules") == "No scheduled jobs."


@pytest.mark.parametrize(
    ("arguments", "kind", "path"),
    [
        ({"when": "0 9 * * *"}, "invalid_arguments", "/prompt"),
        ({"prompt": "x"}, "invalid_arguments", "/when"),
        ({"prompt": "x", "when": "tomorrow"}, "invalid_arguments", "/when"),
        ({"prompt": "x", "when": "61 9 * * *"}, "invalid_arguments", "/when"),
        ({"prompt": "x", "when": "2020-01-01T00:00:00"}, "rejected", "/when"),
        ({"prompt": "x", "when": "2190-13-01T00:00:00"}, "invalid_arguments", "/when"),
        ({"prompt": "x", "when": "0 9 * * *", "job_id": "a b"}, "invalid_arguments", "/job_id"),
        ({"prompt": "x", "when": "0 9 * * *", "job_id": "taken"}, "conflict", "/job_id"),
        ({"prompt": "x", "when": "0 9 * * *", "timezone": "UTC"}, "invalid_arguments", "/timezone"),
    ],
)
async def test_a_job_that_can_not_be_is_an_error(
    called: Called, arguments: dict[str, Any], kind: str, path: str
) -> None:
    await called.text("schedule_task", prompt="first", when="0 9 * * *", job_id="taken")
    found, message, where = await called.error("schedule_task", **arguments)
    assert (found, where) == (kind, path)
    assert message
