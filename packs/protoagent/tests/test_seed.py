"""protoAgent's tools as its documentation has them: arguments, defaults, results and errors, by table.

Those that reach others are in `test_seed_outside.py`.
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.notebook import NOTEBOOK, tab_key
from agent_contracts.event_sources import Actor
from agent_contracts.tool_spec import RunsOn
from agent_contracts.wakes import InboxItem
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.registry import Registry
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.clock import MovableClock
from foldline_testing.agent_tools.seeds import Like, Run, Seed, Taken, flaws, renamed
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.agent.searching.port import SearchQuery, WebResult
from tool_runner.agent.searching.services import SearchServices

NOW = datetime(2026, 4, 17, 17, 23, 42, 644_000, UTC)
OUTSIDE = ("github", "discord", "delegates")
"""Families whose rows are in `test_seed_outside.py`."""
FIELDS = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
COFFEE = ("memory_ingest", {
    "content": "Operator's preferred coffee is a Gibraltar with oat milk.",
    "domain": "preferences", "heading": "coffee",
})  # fmt: skip
BEAD = ("beads_create", {"title": "Mend the roof"})
ID = "bd-[0-9a-f]{8}"
JOB = (
    "schedule_task",
    {"prompt": "Review last week's incidents.", "when": "0 9 * * 1-5", "job_id": "review"},
)
NO_STEPS = (
    'Error: request_user_input needs at least one form step. Pass steps=[{"schema": {"type": "object", '
    '"properties": {…}, "required": […]}}], or use ask_human for a single question.'
)
NO_PART = "is not part of arithmetic, which has numbers, + - * / // % ** and parentheses"
ATLEAST = "Input should be greater than or equal to"
STRING = "Input should be a valid string"
INTEGER = "Input should be a valid integer"
BOOLEAN = "Input should be a valid boolean"


FORM = {
    "kind": "user_input", "title": "Trip", "description": "",
    "steps": [{"title": None, "description": None, "fields": [
        {"name": "name", "label": "name", "type": "text", "required": True, "help": "", "default": None,
            "options": None},
    ]}],
    "answer_schema": {
        "type": "object", "properties": {"name": {"type": "string", "maxLength": 2000, "minLength": 1}},
        "required": ["name"], "additionalProperties": False,
    },
}  # fmt: skip
SEEDS = {
    "current_time": Seed(
        {}, {"timezone": "UTC"}, ("timezone", 1, STRING),
        "2026-04-17T13:23:42.644000-04:00 (America/New_York)\nHuman: Friday, April 17 2026, 13:23:42 EDT",
        more={"timezone": "America/New_York"},
        refuses=[({"timezone": "Not/A_Zone"},
            "Error: unknown timezone 'Not/A_Zone'. Use an IANA name such as "
                  "UTC or America/New_York.")],
    ),
    "calculator": Seed(
        {"expression": "2 ** 10"}, {}, ("expression", 10, STRING), "2 ** 10 = 1024",
        refuses=[
            ({"expression": "1 / 0"}, "Error: division by zero"),
            ({"expression": "abs(-5)"}, f"Error: not a valid expression: 'abs(-5)': 'a' {NO_PART}"),
            ({"expression": "(1).__class__"},
                f"Error: not a valid expression: '(1).__class__': '.' {NO_PART}"),
            ({"expression": "__import__"}, f"Error: not a valid expression: '__import__': '_' {NO_PART}"),
        ],
    ),
    "web_search": Seed(
        {"query": "LangGraph tutorial"}, {"max_results": 5},
        ("max_results", "5", INTEGER),
        "2 result(s) for 'LangGraph tutorial':\n"
        "1. LangGraph Introduction — https://langchain.com/langgraph\n"
        "   LangGraph is a framework for building...\n"
        "2. Another — https://x.test/",
    ),
    "fetch_url": Seed(
        {"url": "http://a.test/page"}, {"max_chars": 8_000}, ("max_chars", 0, f"{ATLEAST} 1"),
        "[200] http://a.test/page\nExample Domain\nThis domain is for use in documentation examples.",
        refuses=[({"url": "file:///etc/passwd"},
                  "Error: url must start with http:// or https:// — got 'file:///etc/passwd'")],
    ),
    "ask_human": Seed(
        {"question": "Merge it?"}, {}, ("question", "", "String should have at least 1 character"),
        {"kind": "ask_user", "question": "Merge it?", "options": None},
    ),
    "request_user_input": Seed(
        {"title": "Trip", "steps": [{"schema": FIELDS}]}, {"description": ""},
        ("steps", {}, "Input should be a valid array"),
        FORM,
        refuses=[({"steps": []}, NO_STEPS)],
    ),
    "notes_list": Seed(
        {}, {}, None,
        "Todo (read: on, write: on)\nDiary (read: off, write: off)\nRules (read: on, write: off)",
    ),
    "notes_read": Seed(
        {}, {"tab": ""}, ("tab", 1, STRING), "# Todo\n- milk\n\n# Rules\nBe kind",
        refuses=[({"tab": "Diary"}, "Error: tab 'Diary' is not shared: its Agent read is off"),
                 ({"tab": "Nope"}, "Error: no such tab 'Nope'. Tabs: Todo, Diary, Rules")],
    ),
    "notes_write": Seed(
        {"tab": "Todo", "content": "- tea"}, {"mode": "append"},
        ("mode", "prepend", "Input should be 'append' or 'replace'"),
        "Appended to 'Todo' (4 words, 12 chars).",
        refuses=[({"tab": "Rules"}, "Error: tab 'Rules' is read-only for you: its Agent write is off")],
    ),
    "notes_revert": Seed(
        {"tab": "Todo"}, {"steps": 1}, ("steps", 0, f"{ATLEAST} 1"),
        "Reverted 'Todo' (2 words, 6 chars) by 1 step.",
        before=[("notes_write", {"tab": "Todo", "content": "- tea"})],
    ),
    "memory_ingest": Seed(
        {"content": "Operator's preferred coffee is a Gibraltar with oat milk."},
        {"domain": "general", "heading": None}, ("domain", 1, STRING),
        "Stored chunk 1 in 'preferences'.", more={"domain": "preferences"},
    ),
    "memory_recall": Seed(
        {"query": "coffee"}, {"k": 5}, ("k", "5", INTEGER),
        "[preferences] coffee: Operator's preferred coffee is a Gibraltar with oat milk.", before=[COFFEE],
    ),
    "memory_list": Seed(
        {}, {"domain": None, "limit": 10}, ("limit", "10", INTEGER),
        Like(r"#1 2026-\S+ \[preferences\] coffee: Operator's preferred coffee is a Gibraltar with oat "
             r"milk\."),
        before=[COFFEE],
    ),
    "memory_stats": Seed({}, {}, None, "Total: 1\n  preferences: 1", before=[COFFEE]),
    "daily_log": Seed(
        {"content": "Shipped it."}, {}, ("content", 1, STRING),
        "Stored chunk 1 in 'daily-log'.",
    ),
    "schedule_task": Seed(
        {"prompt": "Review it.", "when": "2099-05-01T15:00:00"}, {"job_id": None},
        ("when", 9, STRING),
        "Scheduled job review next at 2099-05-01T15:00:00.000Z.", more={"job_id": "review"},
        refuses=[({"when": "soon"}, "Error: 'soon' has 1 fields, not the five: minute, hour, "
                  "day-of-month, month, day-of-week")],
    ),
    "list_schedules": Seed(
        {}, {}, None,
        "review  next=2026-04-20T09:00:00.000Z  schedule='0 9 * * 1-5'  Review last week's incidents.",
        before=[JOB],
    ),
    "cancel_schedule": Seed(
        {"job_id": "review"}, {}, ("job_id", 1, STRING), "Canceled review.",
        before=[JOB], refuses=[({"job_id": "gone"}, "Error: no such job gone.")],
    ),
    "beads_create": Seed(
        {"title": "Mend the roof"}, {"description": "", "priority": 2, "issue_type": "task"},
        ("priority", 4, "Input should be less than or equal to 3"),
        Like(f"Created {ID}: Mend the roof \\(task, p2\\)"),
    ),
    "beads_list": Seed(
        {}, {"include_closed": False}, ("include_closed", "no", BOOLEAN),
        Like(f"\\[open\\] {ID} \\(p2, task\\) Mend the roof"), before=[BEAD],
    ),
    "beads_update": Seed(
        {"issue_id": Taken(0, ID)},
        {"status": "", "title": "", "description": "", "priority": -1, "issue_type": ""},
        ("status", "asleep", "Input should be 'open', 'in_progress', 'blocked', 'deferred' "
                    "or 'closed'; /status: Input should be ''"),
                    Like(f"Updated {ID}: \\[blocked\\] Mend the roof"),
        before=[BEAD], more={"status": "blocked"},
        refuses=[({}, "Error: nothing to change was given"),
                 ({"issue_id": "bd-0", "status": "open"}, "Error: no such issue bd-0")],
    ),
    "beads_close": Seed(
        {"issue_id": Taken(0, ID)}, {"reason": ""}, ("reason", 1, STRING),
        Like(f"Closed {ID}: Mend the roof"), before=[BEAD],
        refuses=[({"issue_id": "bd-0"}, "Error: no such issue bd-0")],
    ),
    "check_inbox": Seed(
        {}, {"priority_floor": "next", "limit": 10},
        ("priority_floor", "soon", "Input should be 'now', 'next' or 'later'"),
        "[next] (from shop) Stock is low",
    ),
}  # fmt: skip


class Stopped(MovableClock):
    """A clock that stands still."""

    def now(self) -> datetime:
        """Always the same."""
        return NOW


class Finding:
    """A search service that finds these two."""

    name = "finding"

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """See `SearchService`."""
        first = "LangGraph is a framework for building..."
        return [
            WebResult("LangGraph Introduction", "https://langchain.com/langgraph", first),
            WebResult("Another", "https://x.test/", ""),
        ]


PAGE = b"<nav>menu</nav><main><h1>Example Domain</h1><p>This domain is for use in documentation examples."


@pytest.fixture
async def run(whole: Registry) -> AsyncIterator[Run]:
    """A runner of the pack and the core tools, with people's notes, an item in the inbox, and a page."""
    registry = whole.on(RunsOn.TOOLS)
    world = World(registry=registry, search=SearchServices([Finding()]), clock=Stopped())
    called = Called(world, "protoagent")
    tabs = {"Todo": ("- milk", True, True), "Diary": ("x", False, False), "Rules": ("Be kind", True, False)}
    item = InboxItem(
        "shop", "w1", "Stock is low", "2026-04-17T12:00:00.000Z", "2199-01-01T00:00:00.000Z", priority="next"
    )
    kept: dict[EntityKey, Any] = {EntityKey(AGENT, EntityKind.STATE, NOTEBOOK): [*tabs]}
    for name, (content, read, write) in tabs.items():
        value = {"content": content, "agentRead": read, "agentWrite": write}
        kept[EntityKey(AGENT, EntityKind.STATE, tab_key(name))] = value
    kept[EntityKey(AGENT, EntityKind.INBOX, "w_1")] = msgspec.to_builtins(item)
    for number, (key, value) in enumerate(kept.items()):
        await world.entities.write(key, value, EntityWriter(f"kept:{number}", Actor.SERVICE))
    async with local_server(lambda _: answered(PAGE, "Content-Type: text/html")) as server:
        yield renamed(called.run, "http://a.test/", server.url("a.test", "/"))


def test_each_tool_has_a_row(whole: Registry) -> None:
    (pack,) = [pack for pack in whole.packs if pack.name == "protoagent"]
    names = {tool.spec.name for tool in pack.tools if tool.spec.family not in OUTSIDE}
    assert names == SEEDS.keys()


@pytest.mark.parametrize("name", SEEDS)
async def test_it_takes_gives_and_refuses_what_the_seed_says(whole: Registry, run: Run, name: str) -> None:
    tool = whole.get(f"protoagent.{name}")
    assert tool is not None
    found = await flaws(run, tool.spec, SEEDS[name])
    assert found == [], "\n".join(found)
