"""Wintermute's twelve tools as its documentation has them: arguments, defaults, results, errors, by table."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_tools.registry import PACKS, Registry
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.seeds import Like, Run, Seed, flaws, renamed
from foldline_testing.egress.web import answered, local_server
from foldline_testing.session_domain.story import answers, says, story, wants
from foldline_testing.tool_runner.world import World
from foldline_testing.workspace_host.world import shell_world
from tool_runner.agent.searching.port import SearchQuery, WebResult
from tool_runner.agent.searching.services import SearchServices
from workspace_host.host_tools import discover

STRING = "Input should be a valid string"
INTEGER = "Input should be a valid integer"
TEA = {"message": "Tea!", "schedule_type": "daily", "at": "08:30"}
ID = "[A-Za-z0-9_-]+"
SEEDS = {
    "execute_shell": Seed(
        {"command": "echo out; echo err >&2; exit 3"}, {"timeout": 30}, ("timeout", "30", INTEGER),
        {"stdout": "out\n", "stderr": "err\n", "exit_code": 3},
        refuses=[({"command": "echo so far; sleep 60", "timeout": 1},
                  "it was ended after 1 s, with all that it started. It wrote, stdout: so far\n stderr: "
                  "(nothing)")],
    ),
    "read_file": Seed(
        {"path": "notes/a.txt"}, {}, ("path", 1, STRING), {"content": "hällo"},
        before=[("write_file", {"path": "notes/a.txt", "content": "hällo"})],
        refuses=[({"path": "notes"}, "notes is a folder, not a file"),
                 ({"path": "gone.txt"}, "There is no file at gone.txt")],
    ),
    "write_file": Seed(
        {"path": "notes/a.txt", "content": "hällo"}, {}, ("content", None, STRING),
        {"path": "notes/a.txt", "size": 6},
    ),
    "search_web": Seed(
        {"query": "boats"}, {"max_results": 5}, ("max_results", "5", INTEGER),
        {
            "query": "boats", "source": "searxng",
            "results": [{"title": "Boats", "url": "https://x.test/", "snippet": "All of them."}], "count": 1,
        },
    ),
    "fetch_url": Seed(
        {"url": "http://a.test/page"}, {"max_chars": 20_000},
        ("max_chars", 0, "Input should be greater than or equal to 1"),
        {
            "url": "http://a.test/page", "content_type": "text/html", "length": 14,
            "content": "Example",
        },
        more={"max_chars": 7},
    ),
    "spawn_sub_session": Seed(
        {"objective": "Dig."},
        {
            "context_blobs": None, "system_prompt_mode": "minimal", "timeout": 300, "depends_on": None,
            "depends_on_previous": False, "not_before": None,
        },
        None, {"status": "spawned", "session_id": Like(ID)},
        refuses=[({"system_prompt_mode": "all"}, "Invalid enum value 'all'")],
        missing="Object missing required field `{name}`", extra="Object contains unknown field `{name}`",
    ),
    "set_reminder": Seed(
        {"message": "Tea!", "schedule_type": "daily"},
        {
            "ai_prompt": None, "at": None, "day_of_week": None, "day_of_month": None,
            "interval_seconds": None, "window_start": None, "window_end": None, "system": False,
        },
        ("schedule_type", "yearly", "Input should be 'once', 'daily', 'weekly', 'monthly' or 'interval'"),
        {"status": "scheduled", "job_id": Like(ID)}, more={"at": "08:30"},
        refuses=[({}, "daily needs at"),
            ({"schedule_type": "weekly", "at": "8:30"}, "weekly needs day_of_week")],
    ),
    "list_reminders": Seed(
        {}, {}, None,
        {
            "active": [{
                "job_id": Like(ID), "message": "Tea!", "next_run": Like(r"\S+T08:30:00\.000Z"),
                "last_run": None,
                "schedule": "day",
            }],
            "completed": [], "failed": [],
        },
        before=[("set_reminder", TEA)],
    ),
    "append_memory": Seed(
        {"entry": "Likes tea."}, {}, ("entry", 1, STRING), {"status": "ok", "total_chars": 21},
        before=[("append_memory", {"entry": "Has a dog."})],
        refuses=[({"entry": "x" * 4_001},
            "append_memory: /entry: String should have at most 4000 characters")],
    ),
    "update_memories": Seed(
        {"content": "Likes tea."}, {}, ("content", 1, STRING), {"status": "ok", "total_chars": 10},
        before=[("append_memory", {"entry": "Has a dog."})],
    ),
    "pulse": Seed(
        {"action": "add"}, {"content": None, "item_id": None, "priority": 5, "status": "active"},
        ("priority", 11, "Input should be less than or equal to 10"),
        {"item": {"id": 1, "content": "boat", "priority": 5, "status": "active"}, "items": None,
         "more": None},
        more={"content": "boat"},
        refuses=[({}, "add needs content"), ({"action": "complete", "item_id": 7}, "there is no item 7")],
    ),
    "add_skill": Seed(
        {"skill_name": "calendar", "documentation": "# Calendar\n\nOpen it."}, {},
        ("documentation", "", "String should have at least 1 character"),
        {"status": "ok", "path": "skills/calendar.md"},
        before=[("add_skill", {"skill_name": "calendar", "documentation": "# Before"})],
    ),
}  # fmt: skip
EXECUTION, RESEARCH = {"execute_shell", "read_file", "write_file"}, {"search_web", "fetch_url"}


class Finding:
    """A search service that finds this."""

    name = "searxng"

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """See `SearchService`."""
        return [WebResult("Boats", "https://x.test/", "All of them.")]


async def in_the_fold(tool: str, arguments: dict[str, Any]) -> Any:
    """A call that the engine answers."""
    told = story(100_000).given(says())
    asked = wants(told, f"wintermute.{tool}", 0, runs_on=RunsOn.ENGINE, arguments=arguments)
    told.given(answers(told, "", [asked]))
    ended = [one.event for one in told.recorded if isinstance(one.event, ToolCallCompleted | ToolCallFailed)]
    return ended[-1]


@pytest.fixture
async def run_of(world: World) -> AsyncIterator[Callable[[str], Any]]:
    """The runner of a tool."""
    world.search = SearchServices([Finding()])
    page = answered(b"<main>Example Domain</main>", "Content-Type: text/html")
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(local_server(lambda _: page))

        async def run(name: str) -> Run:
            if name == "spawn_sub_session":
                return in_the_fold
            if name != "execute_shell":
                ran = Called(world, "wintermute").run
                return renamed(ran, "http://a.test/", server.url("a.test", "/"))
            host = await stack.enter_async_context(shell_world())
            entry = EntryPoint("wintermute", "foldline_wintermute", PACKS)
            host.registry = discover(host.isolation, [entry])
            return Called(host, "wintermute").run

        yield run


@pytest.fixture(scope="module")
def specs(everything: Registry) -> dict[str, ToolSpec]:
    (pack,) = [pack for pack in everything.packs if pack.name == "wintermute"]
    return {spec.name: spec for spec in pack.catalogue().tools}


def test_each_of_the_twelve_has_a_row(specs: dict[str, ToolSpec]) -> None:
    assert specs.keys() == SEEDS.keys()
    assert {spec.tool for spec in specs.values()} == {f"wintermute.{name}" for name in SEEDS}


@pytest.mark.processes
@pytest.mark.parametrize("name", SEEDS)
async def test_it_takes_gives_and_refuses_what_the_seed_says(
    specs: dict[str, ToolSpec], run_of: Callable[[str], Any], name: str
) -> None:
    found = await flaws(await run_of(name), specs[name], SEEDS[name])
    assert found == [], "\n".join(found)


def test_only_commands_files_and_the_web_are_for_workers(specs: dict[str, ToolSpec]) -> None:
    assert {name for name, spec in specs.items() if spec.for_workers} == EXECUTION | RESEARCH


def test_what_only_reads_is_pure_and_what_goes_outside_is_external(specs: dict[str, ToolSpec]) -> None:
    by_effect = {effect: {n for n, one in specs.items() if one.effect is effect} for effect in Effect}
    assert by_effect[Effect.PURE] == {"read_file", "list_reminders"}
    assert by_effect[Effect.EXTERNAL] == {"execute_shell", *RESEARCH}
