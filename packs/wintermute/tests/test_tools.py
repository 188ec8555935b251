"""What the tools do: in the agent's own log, with the ports that a runner has."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from agent_contracts.entities.agent_texts import AgentTextSpec
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.json_value import Json
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.commands import CommandRun
from agent_tools.registry import Registry
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.commands import ScriptedCommands
from foldline_testing.agent_tools.world import AGENT, SESSION, PackWorld
from foldline_testing.egress.web import answered, egress_to, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.agent.searching.duckduckgo import DuckDuckGo
from tool_runner.agent.searching.searxng import SearXNG
from tool_runner.agent.searching.services import SearchServices
from tool_runner.settings import RunnerSettings

P = "wintermute."


async def given(called: Called, tool: str, **arguments: Json) -> dict[str, Json]:
    event = await called.event(f"{P}{tool}", **arguments)
    result = getattr(event, "result", None)
    assert isinstance(result, dict), event
    return result


async def test_a_file_is_written_read_and_not_found(called: Called) -> None:
    assert await given(called, "write_file", path="notes/a.txt", content="hällo") == {
        "path": "notes/a.txt",
        "size": 6,
    }
    assert await given(called, "read_file", path="notes/a.txt") == {"content": "hällo"}
    await given(called, "write_file", path="notes/a.txt", content="anew")
    assert await given(called, "read_file", path="notes/a.txt") == {"content": "anew"}
    kind, message, _ = await called.error(f"{P}read_file", path="notes")
    assert (kind, message) == (ErrorKind.REJECTED, "notes is a folder, not a file")
    kind, _, _ = await called.error(f"{P}read_file", path="gone.txt")
    assert kind == ErrorKind.NOT_FOUND


async def test_a_file_that_is_cut_says_so_and_where_it_goes_on(called: Called) -> None:
    await given(called, "write_file", path="long.txt", content="0123456789\n" * 30_000)
    content = str((await given(called, "read_file", path="long.txt"))["content"])
    text, _, told = content.rpartition("\n…[")
    assert told.startswith(
        "cut after about 200,000 characters, of 30000 lines in all: file_read_text reads on"
    )
    offset = int(told.rstrip("]").rpartition(" ")[2])
    assert len(text) == offset
    rest = (await called.event("file_read_text", path="long.txt", offset=offset)).result["text"]
    assert rest.startswith(("0123456789\n" * 30_000)[offset : offset + 100])


async def test_memories_grow_are_overwritten_and_keep_their_versions(called: Called, world: World) -> None:
    assert await given(called, "append_memory", entry="Likes tea.") == {"status": "ok", "total_chars": 10}
    assert (await given(called, "append_memory", entry="Has a dog."))["total_chars"] == 21
    key = EntityKey(AGENT, EntityKind.NOTES, "memories")
    found = await world.entities.current(key)
    assert found is not None
    assert found.version == 2
    assert "Likes tea.\nHas a dog." in str(found.value)
    assert (await given(called, "update_memories", content="Likes tea."))["total_chars"] == 10
    assert len(await world.entities.history(key)) == 3
    kind, message, _ = await called.error(f"{P}update_memories", content="x" * 200_001)
    assert kind == ErrorKind.TOO_LARGE
    assert "nothing was written" in message


async def test_a_memory_is_appended_once_by_two_runners(called: Called) -> None:
    first, second = await called.twice(f"{P}append_memory", entry="Likes tea.")
    assert first.result == second.result == {"status": "ok", "total_chars": 10}


async def test_pulse_items_are_added_listed_updated_and_completed(called: Called) -> None:
    assert (await given(called, "pulse", action="list"))["items"] == []
    one = (await given(called, "pulse", action="add", content="boat"))["item"]
    assert one == {"id": 1, "content": "boat", "priority": 5, "status": "active"}
    await given(called, "pulse", action="add", content="roof", priority=1)
    assert [item["id"] for item in (await given(called, "pulse", action="list"))["items"]] == [2, 1]
    changed = (await given(called, "pulse", action="update", item_id=1, priority=10))["item"]
    assert changed == {"id": 1, "content": "boat", "priority": 10, "status": "active"}
    done = (await given(called, "pulse", action="complete", item_id=2))["item"]
    assert done == {"id": 2, "content": "roof", "priority": 1, "status": "completed"}
    for status, ids in (("active", [1]), ("completed", [2]), ("all", [2, 1])):
        items = (await given(called, "pulse", action="list", status=status))["items"]
        assert [item["id"] for item in items] == ids


@pytest.mark.parametrize(
    ("arguments", "kind", "path"),
    [
        ({"action": "add"}, ErrorKind.INVALID_ARGUMENTS, "/content"),
        ({"action": "complete"}, ErrorKind.INVALID_ARGUMENTS, "/item_id"),
        ({"action": "update", "item_id": 1}, ErrorKind.INVALID_ARGUMENTS, "/content"),
        ({"action": "complete", "item_id": 7}, ErrorKind.NOT_FOUND, "/item_id"),
    ],
)
async def test_what_pulse_lacks_is_said(
    called: Called, arguments: dict[str, Json], kind: str, path: str
) -> None:
    told, _, where = await called.error(f"{P}pulse", **arguments)
    assert (told, where) == (kind, path)


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/workspace/plan/f.txt", "plan/f.txt"),
        ("./f.txt", "f.txt"),
        ("/workspace/./plan//f.txt", "plan/f.txt"),
        ("f.txt", "f.txt"),
    ],
)
async def test_files_are_named_as_commands_see_them(called: Called, path: str, kept: str) -> None:
    assert (await given(called, "write_file", path=path, content="tea"))["path"] == kept
    assert await given(called, "read_file", path=path) == {"content": "tea"}


@pytest.mark.parametrize("path", ["/etc/passwd", "../f.txt", "/workspace/../f.txt", "/workspacex/f", "."])
async def test_what_lies_elsewhere_is_refused(called: Called, path: str) -> None:
    kind, _, _ = await called.error(f"{P}write_file", path=path, content="tea")
    assert kind in (ErrorKind.INVALID_ARGUMENTS, ErrorKind.REJECTED)


async def test_a_skill_is_made_and_overwritten(called: Called) -> None:
    text = "# How to make tea\n\nBoil water."
    made = await given(called, "add_skill", skill_name="tea", documentation=text)
    assert made == {"status": "ok", "path": "skills/tea.md"}
    await given(called, "add_skill", skill_name="tea", documentation="# Tea, anew\n\nWait.")
    found = (await called.event("read_skill", name="tea")).result
    assert (found["description"], found["content"]) == ("Tea, anew", "# Tea, anew\n\nWait.")


@pytest.mark.parametrize("stem", ["Tea time", "meal_plan", "calendar.md", "../calendar", "tæ"])
async def test_a_skill_has_the_name_it_was_given_or_none(called: Called, stem: str) -> None:
    kind, message, where = await called.error(f"{P}add_skill", skill_name=stem, documentation="x")
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, "/skill_name")
    assert "a-z0-9-" in message
    assert (await called.event("list_skills")).result["skills"] == []


SYSTEM: list[tuple[dict[str, Json], str | None]] = [
    ({"schedule_type": "daily", "at": "08:30"}, "30 8 * * *"),
    ({"schedule_type": "weekly", "at": "8:05", "day_of_week": "fri"}, "5 8 * * FRI"),
    ({"schedule_type": "monthly", "at": "9:00", "day_of_month": 15}, "@monthly 15 09:00"),
    ({"schedule_type": "monthly", "at": "09:00", "day_of_month": 30}, "@monthly 30 09:00"),
    ({"schedule_type": "monthly", "at": "09:00", "day_of_month": 31}, "@monthly 31 09:00"),
    ({"schedule_type": "interval", "interval_seconds": 61}, "@every 61"),
    (
        {
            "schedule_type": "interval",
            "interval_seconds": 5400,
            "window_start": "9:30",
            "window_end": "17:15",
        },
        "@every 5400 09:30-17:15",
    ),
    (
        {"schedule_type": "interval", "interval_seconds": 100_000, "window_start": "22:00"},
        "@every 100000 22:00-23:59",
    ),
    ({"schedule_type": "once", "at": "2099-03-29T08:30"}, None),
]


@pytest.mark.parametrize(("when", "cron"), SYSTEM)
async def test_a_system_one_runs_in_a_session_of_its_own(
    called: Called, world: World, when: dict[str, Json], cron: str | None
) -> None:
    made = await given(called, "set_reminder", message="Tea!", ai_prompt="Say it.", system=True, **when)
    once = "scheduled for 2099-03-29T08:30"
    assert made["status"] == ("scheduled" if cron else once)
    found = await world.entities.current(EntityKey(AGENT, EntityKind.SCHEDULE, str(made["job_id"])))
    assert found is not None
    assert (found.value.get("cron"), found.value["task"]) == (cron, "Say it.")
    listed = await given(called, "list_reminders")
    assert [one["message"] for one in listed["active"]] == ["Tea!"]
    assert (listed["completed"], listed["failed"]) == ([], [])


HERE: list[tuple[dict[str, Json], dict[str, Json]]] = [
    ({"schedule_type": "daily", "at": "8:30"}, {"every": "day", "clock": "08:30"}),
    (
        {"schedule_type": "weekly", "at": "08:05", "day_of_week": "fri"},
        {"every": "week", "clock": "08:05", "day": 4},
    ),
    (
        {"schedule_type": "monthly", "at": "09:00", "day_of_month": 31},
        {"every": "month", "clock": "09:00", "day": 31},
    ),
    (
        {
            "schedule_type": "interval",
            "interval_seconds": 61,
            "window_start": "09:30",
            "window_end": "17:00",
        },
        {"every": "interval", "seconds": 61, "window": ["09:30", "17:00"]},
    ),
]


@pytest.mark.parametrize(("when", "again"), HERE)
async def test_any_other_comes_again_in_this_chat(
    called: Called, world: World, when: dict[str, Json], again: dict[str, Json]
) -> None:
    made = await given(called, "set_reminder", message="Tea!", ai_prompt="Say it.", **when)
    found = await world.entities.current(EntityKey(AGENT, EntityKind.REMINDER, str(made["job_id"])))
    assert found is not None
    assert (found.value["message"], found.value["again"]) == ("Tea!\n\nSay it.", again)
    assert "quiet" not in found.value, "the model goes on with it"
    (listed,) = (await given(called, "list_reminders"))["active"]
    assert (listed["job_id"], listed["schedule"]) == (made["job_id"], again["every"])


async def test_one_that_comes_once_comes_in_this_chat(called: Called, world: World) -> None:
    made = await given(
        called, "set_reminder", message="Tea!", schedule_type="once", at="2099-03-29T08:30:00Z"
    )
    found = await world.entities.current(EntityKey(AGENT, EntityKind.REMINDER, str(made["job_id"])))
    assert found is not None
    assert (found.value["message"], found.value["quiet"]) == ("Tea!", True), "it is just shown"
    (listed,) = (await given(called, "list_reminders"))["active"]
    assert listed["next_run"] == "2099-03-29T08:30:00.000Z"


@pytest.mark.parametrize("system", [False, True])
async def test_a_time_that_people_say_is_that_of_the_call_in_the_agents_zone_and_is_told(
    called: Called, world: World, system: bool
) -> None:
    world.settings = RunnerSettings(timezone="Asia/Kolkata")
    asked: dict[str, Json] = {"message": "Tea!", "ai_prompt": "Say it.", "schedule_type": "once"}
    first, second = await called.twice(f"{P}set_reminder", **asked, at="tomorrow at 9", system=system)
    assert first.result == second.result
    status = str(first.result["status"])
    told = datetime.fromisoformat(status.removeprefix("scheduled for "))
    here = world.clock.now().astimezone(ZoneInfo("Asia/Kolkata"))
    assert (told.date(), told.hour) == (here.date() + timedelta(days=1), 9)
    assert told.utcoffset() == timedelta(hours=5, minutes=30)
    (listed,) = (await given(called, "list_reminders"))["active"]
    assert datetime.fromisoformat(listed["next_run"]) == told
    kind, message, _ = await called.error(f"{P}set_reminder", **asked, at="10 minutes ago", system=system)
    assert (kind, "is in the past" in message) == (ErrorKind.REJECTED, True), message


@pytest.mark.parametrize("system", [False, True])
async def test_one_that_comes_again_takes_the_same_words_for_its_time_of_day(
    called: Called, world: World, system: bool
) -> None:
    asked: dict[str, Json] = {"message": "Tea!", "ai_prompt": "Say it.", "system": system}
    weekly: dict[str, Json] = {"schedule_type": "weekly", "day_of_week": "mon", "at": "every Monday at 9"}
    made = await given(called, "set_reminder", **asked, **weekly)
    assert made["status"] == "scheduled for 09:00"
    kind = EntityKind.SCHEDULE if system else EntityKind.REMINDER
    found = await world.entities.current(EntityKey(AGENT, kind, str(made["job_id"])))
    assert found is not None
    when = found.value["cron"] if system else found.value["again"]["clock"]
    assert when == ("0 9 * * MON" if system else "09:00")
    wrong = weekly | {"day_of_week": "tue"}
    refused, message, path = await called.error(f"{P}set_reminder", **asked, **wrong)
    assert (refused, path) == (ErrorKind.INVALID_ARGUMENTS, "/at")
    assert "names another day" in message


async def test_a_system_one_without_a_prompt_runs_nothing_and_is_shown(called: Called, world: World) -> None:
    made = await given(called, "set_reminder", message="Tea!", schedule_type="daily", at="08:30", system=True)
    found = await world.entities.current(EntityKey(AGENT, EntityKind.REMINDER, str(made["job_id"])))
    assert found is not None
    assert (found.value["message"], found.value["quiet"]) == ("Tea!", True)
    assert await world.entities.list(AGENT, EntityKind.SCHEDULE) == []


async def test_those_that_came_or_were_missed_are_listed_the_newest_200(called: Called, world: World) -> None:
    for number in range(203):
        for done in ("told", "missed"):
            at = f"2026-01-01T{number // 60:02}:{number % 60:02}:00.000Z"
            value: Json = {"session_id": SESSION, "at": at, "message": f"m{number}", "done": done}
            key = EntityKey(AGENT, EntityKind.REMINDER, f"r_{done}{number}")
            await world.entities.write(key, value, EntityWriter.user(f"{done}{number}"))
    other: Json = {"session_id": "other", "at": "2026-02-01T00:00:00Z", "message": "x", "done": "told"}
    await world.entities.write(EntityKey(AGENT, EntityKind.REMINDER, "r_x"), other, EntityWriter.user("x"))
    listed = await given(called, "list_reminders")
    assert listed["active"] == []
    for name in ("completed", "failed"):
        assert [one["message"] for one in listed[name]] == [f"m{n}" for n in range(202, 2, -1)]
        assert listed[name][0]["last_run"] == "2026-01-01T03:22:00.000Z"


@pytest.mark.parametrize(
    ("when", "path"),
    [
        ({"schedule_type": "once"}, "/at"),
        ({"schedule_type": "daily", "at": "25:00"}, "/at"),
        ({"schedule_type": "weekly", "at": "08:00"}, "/day_of_week"),
        ({"schedule_type": "monthly", "at": "08:00"}, "/day_of_month"),
        ({"schedule_type": "interval"}, "/interval_seconds"),
        ({"schedule_type": "interval", "interval_seconds": 59}, "/interval_seconds"),
        ({"schedule_type": "interval", "interval_seconds": 60, "window_start": "noon"}, "/window_start"),
        ({"schedule_type": "daily", "at": "08:00", "window_end": "09:00"}, "/window_end"),
        ({"schedule_type": "once", "at": "soon"}, "/at"),
    ],
)
async def test_what_a_reminder_lacks_is_said(called: Called, when: dict[str, Json], path: str) -> None:
    kind, _, where = await called.error(f"{P}set_reminder", message="Tea!", **when)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)


async def test_the_web_is_searched_as_the_core_tool_does(world: World) -> None:
    world.search = SearchServices(())
    kind, _, _ = await Called(world).error(f"{P}search_web", query="boats")
    assert kind == ErrorKind.UPSTREAM


PAGE = b"""<html><body><div class="result"><a class="result__a" href="https://boats.example/">Boats</a>
<a class="result__snippet" href="#">All of them.</a></div></body></html>"""


@pytest.mark.parametrize("away", [b"", answered(b"", status=502), answered(b"<html>")])
async def test_duckduckgo_is_searched_where_searxng_does_not_answer(world: World, away: bytes) -> None:
    async with local_server(lambda _: away) as dead, local_server(lambda _: answered(PAGE)) as alive:
        egress = egress_to("s.test")
        world.search = SearchServices(
            [SearXNG(egress, dead.url("s.test")), DuckDuckGo(egress, alive.url("s.test", ""))]
        )
        found = await given(Called(world), "search_web", query="boats")
    assert (found["source"], found["count"]) == ("duckduckgo", 1)
    assert len(dead.seen) == len(alive.seen) == 1


async def test_a_command_gives_what_it_wrote_and_at_its_time_out_what_it_had_written(
    everything: Registry,
) -> None:
    runs = {
        "ls": CommandRun(command_id="", ending="exited", exit_code=2, stdout="a\n", stderr="b\n"),
        "sleep 99": CommandRun(command_id="", ending="timed_out", stdout="so far"),
    }
    commands = ScriptedCommands(runs)
    tool = everything.get(f"{P}execute_shell")
    assert tool is not None
    called = Called(PackWorld(registry=_only(everything), commands=commands))
    assert (await called.event(f"{P}execute_shell", command="ls")).result == {
        "stdout": "a\n",
        "stderr": "b\n",
        "exit_code": 2,
    }
    kind, message, _ = await called.error(f"{P}execute_shell", command="sleep 99", timeout=1)
    assert kind == ErrorKind.TIMEOUT
    assert "so far" in message
    assert [(one.text, one.timeout_s) for one in commands.asked] == [("ls", 30.0), ("sleep 99", 1.0)]


def _only(everything: Registry) -> Registry:
    from agent_contracts.tool_spec import RunsOn

    return everything.on(RunsOn.WORKSPACE)


def test_the_memories_are_the_text_that_the_prompt_shows(everything: Registry) -> None:
    from foldline_wintermute.orchestration.memories import MEMORIES

    (pack,) = [pack for pack in everything.packs if pack.name == "wintermute"]
    assert pack.about is not None
    (text,) = pack.about.texts
    assert AgentTextSpec(EntityKind.NOTES, text.name) == MEMORIES
    (nightly,) = pack.about.brings
    assert (nightly.kind, nightly.value["cron"]) == ("schedule", "0 3 * * *")
