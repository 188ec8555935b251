"""What a new agent begins with: it passes every check that what agents make passes, and it works."""

import asyncio
import itertools
import json
from datetime import date, timedelta
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind
from agent_contracts.questions.generation import GenerationResult
from agent_contracts.session_events.results import ToolCallCompleted, Usage
from agent_contracts.tool_spec import Effect
from agent_domain.starters import STARTERS, Starter
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

MAKES = {
    EntityKind.TOOL: "create_tool",
    EntityKind.FUNCTION: "create_function",
    EntityKind.LIBRARY: "create_library",
    EntityKind.COMPONENT: "create_ui_component",
    EntityKind.SKILL: "create_skill",
}


@pytest.fixture
def world(sandbox: Sandbox) -> World:
    return World(sandbox=sandbox, check=None)


class Agent:
    """A new agent, which calls its tools one after another."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._calls = 0

    async def begin(self) -> None:
        """It has the starters."""
        entities = Entities(self.world.log, self.world.clock, event_sources.RUNNER)
        for one in STARTERS:
            key = EntityKey(AGENT, one.kind, one.name)
            await entities.write(key, one.value, EntityWriter.user(f"first:{key.subject}"))

    async def __call__(self, tool: str, **arguments: Any) -> Any:
        """What the tool gives, or its error."""
        self._calls += 1
        event = await self.world.run(tool, arguments, call_id=f"c{self._calls}", effect=Effect.EXTERNAL)
        return event.result if isinstance(event, ToolCallCompleted) else event.error


@pytest.fixture
async def agent(world: World) -> Agent:
    made = Agent(world)
    await made.begin()
    return made


@pytest.mark.parametrize("starter", STARTERS, ids=lambda one: f"{one.kind}-{one.name}")
async def test_a_starter_is_what_the_agent_would_have_stored_itself(world: World, starter: Starter) -> None:
    asked = {key: value for key, value in starter.value.items() if key != "enabled" and value is not None}
    made = await world.run(MAKES[starter.kind], {"name": starter.name, **asked}, effect=Effect.RECORDED)
    assert isinstance(made, ToolCallCompleted), made
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    stored = await entities.current(EntityKey(AGENT, starter.kind, starter.name))
    assert stored is not None
    assert stored.value == starter.value


async def test_the_list_is_kept_read_ticked_off_and_cleared(agent: Agent) -> None:
    assert await agent("todo") == {"open": [], "done": []}
    today = agent.world.clock.now().date().isoformat()
    milk, eggs = (await agent("todo", add=["milk", "eggs; drop table todo"]))["open"]
    assert (milk, eggs["text"]) == ({"id": 1, "text": "milk", "added": today}, "eggs; drop table todo")
    ticked = await agent("todo", done=[1], add=["tea"])
    assert [one["id"] for one in ticked["open"]] == [2, 3]
    assert ticked["done"] == [{**milk, "done": today}]
    assert (await agent("todo", remove=[1, 2, 9]))["unknown"] == [9]
    assert [one["text"] for one in (await agent("todo"))["open"]] == ["tea"]
    refused = await agent("todo", add=[""])
    assert (refused.kind, refused.path) == (ErrorKind.INVALID_ARGUMENTS, "/add/0")


async def test_to_read_the_list_writes_nothing_and_each_change_is_shown_to_who_watches(agent: Agent) -> None:
    async def seen() -> tuple[int, Any]:
        written = [one async for one in agent.world.log.read(f"agt.{AGENT}.>")]
        return len(written), (await agent("get_state", key="todo/changed"))["value"]

    nothing = await seen()
    await agent("todo")
    assert await seen() == nothing
    await agent("todo", add=["milk"])
    written, mark = await seen()
    await agent("todo")
    assert await seen() == (written, mark)
    assert (await seen())[1] is not None
    await agent("todo", done=[1])
    assert (await seen())[1] != mark


async def test_calls_at_the_same_time_lose_no_entry(agent: Agent) -> None:
    await asyncio.gather(*(agent("todo", add=[f"entry {n}"]) for n in range(4)))
    assert sorted(one["text"] for one in (await agent("todo"))["open"]) == [f"entry {n}" for n in range(4)]


async def test_what_is_done_can_be_open_again_on_the_page(agent: Agent) -> None:
    await agent("todo", add=["milk"], done=[1])
    assert (await agent("todo", done=[1]))["open"] == []
    code = "return functions.call('todo_items', { reopen: [1] })"
    shown = (await agent("run_sandbox_code", code=code))["result"]
    assert [[one["id"] for one in shown[part]] for part in ("open", "done")] == [[1], []]


def workdays_after(one: date, other: date) -> int:
    """As the calendar says, day by day."""
    days = (other - one).days
    return sum((one + timedelta(n)).weekday() < 5 for n in range(1, days + 1))


async def test_what_lies_between_two_dates_is_what_the_calendar_says(agent: Agent) -> None:
    days = [date(2026, 2, 28), date(2024, 2, 29), date(1969, 12, 31), date(2027, 1, 1), date(2000, 3, 5)]
    for one, other in itertools.pairwise(sorted(days)):
        told = await agent("date_math", date=one.isoformat(), until=other.isoformat())
        year, week, _ = other.isocalendar()
        assert told["until"] | {"years": 0, "months": 0, "days": 0} == {
            "date": other.isoformat(),
            "weekday": other.strftime("%A"),
            "iso_week": f"{year}-W{week:02}",
            "direction": "later",
            "total_days": (other - one).days,
            "workdays": workdays_after(one, other),
            "years": 0,
            "months": 0,
            "days": 0,
        }
    told = (await agent("date_math", date="2026-03-30", until="2024-01-31"))["until"]
    assert [told[key] for key in ("direction", "years", "months", "days")] == ["earlier", 2, 1, 30]


@pytest.mark.parametrize(
    ("start", "amounts", "then"),
    [
        ("2026-01-31", {"months": 1}, "2026-02-28"),
        ("2024-02-29", {"years": 1}, "2025-02-28"),
        ("2026-03-31", {"months": -13, "days": 1}, "2025-03-01"),
        ("2026-11-20", {"workdays": 1}, "2026-11-23"),
        ("2026-11-22", {"workdays": -6}, "2026-11-13"),
    ],
)
async def test_a_date_so_much_later_is_found(
    agent: Agent, start: str, amounts: dict[str, int], then: str
) -> None:
    assert (await agent("date_math", date=start, **amounts))["then"]["date"] == then


def workdays_later(day: date, count: int) -> date:
    """As one would count on a calendar."""
    left = abs(count)
    while left:
        day += timedelta(1 if count > 0 else -1)
        left -= day.weekday() < 5
    return day


async def test_workdays_are_counted_from_any_day(agent: Agent) -> None:
    days = [date(2026, 11, 16) + timedelta(n) for n in range(7)]
    counts = [-12, -5, -1, 0, 1, 4, 5, 6, 10]
    code = f"""const {{ add, parse, format }} = require('calendar')
    return {[str(day) for day in days]}.map((day) =>
      {counts}.map((workdays) => format(add(parse(day), {{ workdays }}))))"""
    found = (await agent("run_sandbox_code", code=code))["result"]
    assert found == [[str(workdays_later(day, count)) for count in counts] for day in days]


async def test_what_is_no_date_is_said_to_be_none(agent: Agent) -> None:
    refused = await agent("date_math", date="2026-02-30")
    assert refused.kind is ErrorKind.REJECTED
    assert "2026-02-30 is no date" in refused.message
    far = await agent("date_math", date="2026-02-28", years=9_000)
    assert "too far away" in far.message


PLACE = {"name": "Oslo", "admin1": "Oslo", "country": "Norway", "latitude": 59.9, "longitude": 10.75}
FORECAST = {
    "current": {"time": "2026-11-22T12:00", "temperature_2m": -1.5, "weather_code": 71, "wind_speed_10m": 9},
    "daily": {
        "time": ["2026-11-22", "2026-11-23"],
        "weather_code": [71, 42],
        "temperature_2m_min": [-4, -2],
        "temperature_2m_max": [-1, 1],
        "precipitation_sum": [3.5, 0],
    },
}


def weather(request: str) -> bytes:
    """What open-meteo.com would answer."""
    if request.startswith("GET /v1/search?name=Nowhere&"):
        return answered(b'{"generationtime_ms": 0.5}', "Content-Type: application/json")
    if request.startswith("GET /v1/search?name=Oslo&count=1&language=en&countryCode=NO "):
        return answered(json.dumps({"results": [PLACE]}).encode(), "Content-Type: application/json")
    if request.startswith("GET /v1/forecast?latitude=59.9&longitude=10.75&timezone=auto&forecast_days=2&"):
        return answered(json.dumps(FORECAST).encode(), "Content-Type: application/json")
    return answered(b'{"error": true, "reason": "broken"}', status=400)


async def test_the_weather_is_told_in_words_and_so_is_why_it_is_not(agent: Agent) -> None:
    code = next(str(one.value["code"]) for one in STARTERS if one.name == "weather")
    async with local_server(weather) as server:
        for host, here in (("geocoding-api", "a.test"), ("api", "b.test")):
            code = code.replace(f"https://{host}.open-meteo.com", server.url(here, ""))
        await agent("update_tool", name="weather", code=code)
        assert await agent("weather", place="Oslo", country="no", days=2) == {
            "place": "Oslo, Oslo, Norway",
            "units": "°C, mm, km/h",
            "now": {"time": "2026-11-22T12:00", "sky": "light snow", "temperature": -1.5, "wind": 9},
            "days": [
                {"date": "2026-11-22", "sky": "light snow", "from": -4, "to": -1, "rain": 3.5},
                {"date": "2026-11-23", "sky": "weather code 42", "from": -2, "to": 1, "rain": 0},
            ],
        }
        assert "no place is called Nowhere" in (await agent("weather", place="Nowhere")).message
        assert "a.test" in (await agent("weather", place="Broken")).message


async def test_without_a_network_the_weather_says_what_it_could_not_reach(agent: Agent) -> None:
    refused = await agent("weather", place="Oslo")
    assert "geocoding-api.open-meteo.com" in refused.message


HTML = "Content-Type: text/html; charset=utf-8"
PAGE = """<html><head><title>Tea &amp; you</title><script>var a = "<p>not this</p>"</script></head>
<body><!-- nor > this --><h1>Tea</h1><p>Steep&nbsp;it.</p><style>p { }</style></body></html>"""


async def test_a_page_is_summed_up_by_a_model_that_sees_its_text_alone(agent: Agent) -> None:
    models = agent.world.models = ScriptedModels(GenerationResult(text="About tea.", usage=Usage(40, 3)))
    async with local_server(
        lambda asked: answered(PAGE.encode() if "/tea " in asked else b"<script>x()</script>", HTML)
    ) as server:
        told = await agent("summarize_page", url=server.url("a.test", "/tea"), question="How long?")
        assert told == {
            "url": server.url("a.test", "/tea"),
            "title": "Tea & you",
            "summary": "About tea.",
            "characters": len("Tea & you Tea Steep it."),
            "cut": False,
        }
        assert "How long?" in models.asked[0].prompt
        assert "<page>\nTea & you Tea Steep it.\n</page>" in models.asked[0].prompt
        assert "no text" in (await agent("summarize_page", url=server.url("a.test", "/empty"))).message
