"""Tools that are core tools in protoAgent's words: the web, the inbox, the question to a person."""

from typing import Any

import msgspec
import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Transient
from agent_contracts.event_sources import Actor
from agent_contracts.tool_spec import RunsOn
from agent_contracts.wakes import PERSON, InboxItem, Priority
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.registry import Registry
from foldline_testing.agent_tools.called import Called
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.agent.searching.port import SearchQuery, WebResult
from tool_runner.agent.searching.services import SearchServices

HTML = "Content-Type: text/html"
PAGE = (
    b"<html><head><title>T</title><script>alert(1)</script></head><body><nav>menu</nav>"
    b"<main><h1>Example Domain</h1><p>This domain is for use in examples.</p></main></body></html>"
)


class Finding:
    """A search service that finds as many as it has, and keeps what it was asked."""

    name = "finding"

    def __init__(self, *found: WebResult) -> None:
        self.found = list(found)
        self.asked: list[SearchQuery] = []

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """See `SearchService`."""
        self.asked.append(query)
        return self.found[: query.count]


class NotAnswering:
    """A search service that is down."""

    name = "down"

    async def search(self, query: SearchQuery) -> list[WebResult]:
        """See `SearchService`."""
        raise Transient("DuckDuckGo doesn't answer", kind=ErrorKind.UPSTREAM)


@pytest.fixture
def called(whole: Registry) -> Called:
    """An agent with the pack and the core tools, on the ports of a real runner."""
    return Called(World(registry=whole.on(RunsOn.TOOLS)), "protoagent")


async def test_what_is_found_is_numbered_as_in_the_seed(whole: Registry) -> None:
    finding = Finding(
        WebResult("LangGraph Introduction", "https://langchain.com/langgraph", "LangGraph is a\n framework"),
        *(WebResult("", f"https://x.test/{n}", "") for n in range(20)),
    )
    called = Called(World(registry=whole.on(RunsOn.TOOLS), search=SearchServices([finding])), "protoagent")
    assert await called.text("web_search", query="LangGraph tutorial", max_results=2) == (
        "2 result(s) for 'LangGraph tutorial':\n"
        "1. LangGraph Introduction — https://langchain.com/langgraph\n   LangGraph is a framework\n"
        "2. (no title) — https://x.test/0"
    )
    await called.text("web_search", query="q")
    await called.text("web_search", query="q", max_results=99)
    await called.text("web_search", query="q", max_results=-5)
    assert [one.count for one in finding.asked] == [2, 5, 10, 1]


async def test_a_search_that_finds_nothing_or_fails_says_so(whole: Registry) -> None:
    called = Called(World(registry=whole.on(RunsOn.TOOLS), search=SearchServices([Finding()])), "protoagent")
    assert await called.text("web_search", query="x") == "No results for 'x'."
    called = Called(
        World(registry=whole.on(RunsOn.TOOLS), search=SearchServices([NotAnswering()])), "protoagent"
    )
    assert (await called.error("web_search", query="x"))[0] == ErrorKind.UPSTREAM


async def test_a_page_is_read_as_what_it_says(called: Called) -> None:
    async with local_server(lambda _: answered(PAGE, HTML)) as server:
        url = server.url("a.test", "/page")
        text = await called.text("fetch_url", url=url)
        assert text.startswith(f"[200] {url}\nExample Domain")
        assert "This domain is for use in examples." in text
        assert "alert" not in text
        assert "menu" not in text
        cut = await called.text("fetch_url", url=url, max_chars=7)
        assert cut == f"[200] {url}\nExample…[truncated]"


async def test_anything_else_is_read_as_it_is_up_to_8_000_characters(called: Called) -> None:
    async with local_server(lambda _: answered(b'{"a": 1}', "Content-Type: application/json")) as server:
        url = server.url("a.test")
        assert await called.text("fetch_url", url=url) == f'[200] {url}\n{{"a": 1}}'
    async with local_server(lambda _: answered(b"x" * 9_000, "Content-Type: text/plain")) as server:
        url = server.url("a.test")
        assert await called.text("fetch_url", url=url) == f"[200] {url}\n{'x' * 8_000}…[truncated]"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "javascript:alert(1)", "ftp://a.test/x", "a.test", "//[x"]
)
async def test_only_the_web_is_read(called: Called, url: str) -> None:
    kind, message, path = await called.error("fetch_url", url=url)
    assert (kind, path) == (ErrorKind.INVALID_ARGUMENTS, "/url")
    assert message == f"Error: url must start with http:// or https:// — got {url!r}"


async def test_an_answer_that_is_no_success_is_an_error(called: Called) -> None:
    async with local_server(lambda _: answered(b"gone", status=404)) as server:
        url = server.url("a.test")
        kind, message, _ = await called.error("fetch_url", url=url)
        assert (kind, message) == (ErrorKind.UPSTREAM, f"Error: HTTP 404 for {url}")
    assert (await called.error("fetch_url", url="http://169.254.169.254/latest"))[0] == ErrorKind.BLOCKED


async def left(called: Called, number: int, priority: Priority, message: str, **more: Any) -> None:
    """Something is left in the inbox, as the scheduler keeps it."""
    world: Any = called.world
    at = f"2026-01-31T12:{number:02d}:00.000Z"
    source = more.pop("source", "shop")
    item = InboxItem(source, f"w{number}", message, at, "2199-01-01T00:00:00.000Z", priority=priority, **more)
    key = EntityKey(AGENT, EntityKind.INBOX, f"w_{number}")
    await world.entities.write(key, msgspec.to_builtins(item), EntityWriter(f"left:{number}", Actor.SERVICE))


async def test_what_was_left_is_taken_once_by_its_urgency(called: Called) -> None:
    assert await called.text("check_inbox") == "Inbox empty."
    await left(called, 1, "later", "Stock is low")
    await left(called, 2, "next", "The build\nbroke", source=PERSON, data={"source": "ci"})
    await left(called, 3, "next", "Hello", source=PERSON)
    await left(called, 4, "next", "Mine", data={"source": "not the shop"})
    assert await called.text("check_inbox", priority_floor="now") == "Inbox empty."
    assert await called.text("check_inbox", limit=2) == "[next] (from ci) The build broke\n[next] Hello"
    assert await called.text("check_inbox") == "[next] (from shop) Mine"
    assert await called.text("check_inbox") == "Inbox empty."
    assert await called.text("check_inbox", priority_floor="later") == "[later] (from shop) Stock is low"


async def test_a_question_is_the_core_tools_own(called: Called) -> None:
    show = await called.shown("ask_human", question="Merge it?")
    assert show == {"kind": "ask_user", "question": "Merge it?", "options": None}


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("web_search", {}, "/query"),
        ("web_search", {"query": "x", "max_results": "5"}, "/max_results"),
        ("web_search", {"query": "x", "count": 5}, "/count"),
        ("fetch_url", {}, "/url"),
        ("fetch_url", {"url": "https://a.test", "max_chars": 0}, "/max_chars"),
        ("fetch_url", {"url": "https://a.test", "method": "POST"}, "/method"),
        ("check_inbox", {"priority_floor": "soon"}, "/priority_floor"),
        ("check_inbox", {"limit": 1.5}, "/limit"),
        ("check_inbox", {"all": True}, "/all"),
        ("ask_human", {}, "/question"),
        ("ask_human", {"question": ""}, "/question"),
        ("ask_human", {"question": "x", "options": ["y"]}, "/options"),
    ],
)
async def test_what_is_missing_too_much_or_wrong_is_named(
    called: Called, tool: str, arguments: dict[str, Any], path: str
) -> None:
    kind, _, where = await called.error(tool, **arguments)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)
