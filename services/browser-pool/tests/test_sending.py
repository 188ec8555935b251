"""What pages send by themselves is judged before it leaves, by the policy of the call that
uses the browser."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
import pytest_asyncio

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.policies import POLICY_NAME, Grant, Match
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallPending
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from browser_pool.contexts.pages_gate import MOST_TOLD
from egress.proxy.terms import Terms
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.browser_pool.ways import EACH, INNER, LATE, SOCKET_OF_A_WORKER, WAYS, page
from foldline_testing.browser_pool.world import BrowserWorld
from foldline_testing.egress.web import LocalServer, answered, local_server

pytestmark = [pytest.mark.faults, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SETTLES_S = 0.7
_numbers = itertools.count(1)


def _posted_by(url: str) -> bytes:
    return f"<script>{INNER.format(U=url)}</script>".encode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site() -> AsyncIterator[LocalServer]:
    def answer(request: str) -> bytes:
        path = request.split(" ")[1]
        match path.partition("?")[0]:
            case "/sends":
                return answered(_posted_by(unquote(path.partition("?")[2])), "Content-Type: text/html")
            case "/307":
                return answered(b"", f"Location: {unquote(path.partition('?')[2])}", status=307)
            case "/worker.js":
                return answered(b"self.skipWaiting()", "Content-Type: text/javascript")
            case "/open":
                allows = ("Access-Control-Allow-Origin: *", "Access-Control-Allow-Methods: PUT")
                return answered(b"", *allows, "Access-Control-Allow-Headers: x-own")
            case "/":
                return answered(
                    page(running.url("b.test", ""), path.partition("?")[2]), "Content-Type: text/html"
                )
            case _:
                return answered(b"<title>Answer</title>Thank you", "Content-Type: text/html")

    async with local_server(answer) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def session(world: BrowserWorld) -> AsyncIterator[str]:
    name = f"s{next(_numbers)}"
    yield name
    world.grants = ()
    await world.contexts.close(SessionId(name))


@asynccontextmanager
async def under(world: BrowserWorld, policy: Json) -> AsyncIterator[None]:
    """The agent's policy meanwhile."""
    entities = Entities(world.log, world.clock, event_sources.GATEWAY)
    key = EntityKey(AGENT, EntityKind.POLICY, POLICY_NAME)
    await entities.write(key, policy, EntityWriter.user(f"policy-{next(_numbers)}"))
    try:
        yield
    finally:
        await entities.write(key, {}, EntityWriter.user(f"policy-{next(_numbers)}"))


def place_of(site: LocalServer, name: str) -> str:
    """Host and port, as they are told."""
    return urlsplit(site.url(f"{name}.test")).netloc


def arrived(site: LocalServer, path: str) -> list[str]:
    """The methods of the requests for it."""
    lines = [one.split(" ") for one in site.seen]
    return [method for method, target, *_ in lines if target.partition("?")[0] == path]


def without_the_proxys(world: BrowserWorld, session: str) -> None:
    """As for https, of which it sees nothing but hosts."""
    context = world.contexts.of(SessionId(session))
    assert context is not None
    context._proxies.begin(Terms(), Terms())


async def tried(world: BrowserWorld, session: str, site: LocalServer, code: str, path: str) -> Any:
    """A page tries it, towards another host; how the call ended that opened it, and what was noted."""
    tries = f"const U = {site.url('b.test', path)!r}; try {{ {code} }} catch (e) {{}}"
    url = site.url("a.test", f"/?{quote(tries)}")
    ended = await world.call("browser_navigate", {"url": url}, session)
    await asyncio.sleep(SETTLES_S)  # sleeps: quiet
    later = await world.get("browser_current_page", session)
    return ended, [*(getattr(ended, "result", None) or {}).get("notes", []), *later.get("notes", [])]


async def test_a_form_is_not_sent_before_a_yes_and_is_as_it_was_until_then(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    site.seen.clear()
    await world.get("browser_navigate", session, url=site.url("a.test"))
    await world.get("browser_type", session, selector="input", text="A teapot")
    ended = await world.call("browser_click", {"selector": "button"}, session)
    assert isinstance(ended, ToolCallPending), ended
    show = {"tool": "browser_click", "host": "a.test", "method": "POST", "path": "/order", "query": "n=1"}
    assert ended.show.items() >= {**show, "run": True}.items()
    assert [one["name"] for one in ended.show["outside"]] == ["a.test"], "it says what page it is from"
    assert ended.sent is not None
    assert [(one.method, one.path, one.verdict) for one in ended.sent.requests] == [
        ("POST", "/order", "asked")
    ]
    assert arrived(site, "/order") == []
    world.grants = (Grant(Match(tool="browser_click", host="a.test:*", method="POST"), once=True),)
    ended = await world.call("browser_click", {"selector": "button"}, session)
    assert isinstance(ended, ToolCallCompleted), ended
    assert arrived(site, "/order") == ["POST"]
    assert site.seen[-1].endswith("what=A+teapot") or "what=A+teapot" in "".join(site.seen)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("walls", ["both", "Chromium's alone"])
async def test_nothing_is_sent_to_others_by_a_page(
    world: BrowserWorld, site: LocalServer, session: str, way: str, walls: str
) -> None:
    site.seen.clear()
    await world.get("browser_navigate", session, url=site.url("a.test"))
    if walls != "both":
        without_the_proxys(world, session)
    path = f"/sent/{quote(way)}"
    ended, _ = await tried(world, session, site, WAYS[way], path)
    assert arrived(site, path) == []
    asked = [ended.show["method"]] if isinstance(ended, ToolCallPending) else []
    if way != "window":  # what that sends is for its own host: it is asked for if it comes in time
        assert asked == (["POST"] if way == "form in a window" else [])


@pytest.mark.parametrize("way", LATE)
@pytest.mark.parametrize("walls", ["both", "Chromium's alone"])
async def test_nothing_is_sent_to_others_by_a_redirect_nor_by_what_is_gone(
    world: BrowserWorld, site: LocalServer, session: str, way: str, walls: str
) -> None:
    site.seen.clear()
    path = f"/sent/{quote(way)}"
    world.grants = (Grant(Match(host="a.test:*")),)
    await world.get("browser_navigate", session, url=site.url("a.test"))
    if walls != "both":
        without_the_proxys(world, session)
    ended, notes = await tried(world, session, site, LATE[way], path)
    assert arrived(site, path) == []
    if not isinstance(ended, ToolCallPending):  # it is, where a whole page was to come of it in time
        assert any(note.startswith("kept back: a page wanted POST to b.test") for note in notes), notes


async def test_a_socket_of_a_worker_is_kept_back_by_the_proxy(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    site.seen.clear()
    _, notes = await tried(world, session, site, SOCKET_OF_A_WORKER, "/sent/socket")
    assert arrived(site, "/sent/socket") == []
    assert any(note.startswith("kept back: a page wanted WEBSOCKET to b.test") for note in notes), notes


@pytest.mark.parametrize("way", EACH)
async def test_each_way_leads_out_where_a_person_allowed_it(
    world: BrowserWorld, site: LocalServer, session: str, way: str
) -> None:
    site.seen.clear()
    world.grants = (Grant(Match(method="*")),)
    path = f"/sent/{quote(way)}"
    await tried(world, session, site, EACH[way], path)
    found = set(arrived(site, path))
    if way in ("put", "delete", "own method"):
        assert found == {"OPTIONS"}, "the server is asked before, and doesn't allow it"
    elif way != "later":  # whenever that is
        nowhere = {"shared worker", "service worker"}
        assert bool(found) is (way not in nowhere), "a way that never leads out shows nothing"


async def test_what_only_reports_is_kept_back_and_told_and_the_call_goes_on(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    site.seen.clear()
    code = "navigator.sendBeacon('/here', 'x'); fetch(U, {method: 'POST', mode: 'no-cors'})"
    ended, notes = await tried(world, session, site, code, "/there")
    assert isinstance(ended, ToolCallCompleted), ended
    assert {note.partition(" by itself")[0] for note in notes} == {
        f"kept back: a page wanted POST to {place_of(site, 'a')}",
        f"kept back: a page wanted POST to {place_of(site, 'b')}",
    }
    assert arrived(site, "/here") + arrived(site, "/there") == []


async def test_what_a_page_sends_to_its_own_host_is_asked_for(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    site.seen.clear()
    await world.get("browser_navigate", session, url=site.url("a.test"))
    code = "fetch('/own', {method: 'POST', body: 'x'}).catch(() => 0).then(() => 1)"
    ended = await world.call("browser_evaluate", {"code": code}, session)
    assert isinstance(ended, ToolCallPending), ended
    assert (ended.show["host"], ended.show["method"], ended.show["path"]) == ("a.test", "POST", "/own")
    code = f"new WebSocket({site.url('a.test', '/socket')!r}.replace('http', 'ws')); 1"
    ended = await world.call("browser_evaluate", {"code": code}, session)
    assert isinstance(ended, ToolCallPending), ended
    assert (ended.show["host"], ended.show["method"]) == ("a.test", "WEBSOCKET")
    assert arrived(site, "/own") + arrived(site, "/socket") == []


async def test_reading_asks_nobody(world: BrowserWorld, site: LocalServer, session: str) -> None:
    site.seen.clear()
    page = await world.get("browser_navigate", session, url=site.url("a.test"))
    assert page.get("notes", []) == []
    assert arrived(site, "/picture") == ["GET"], "another host's picture, too"
    await world.get("browser_type", session, selector="input", text="secret")
    code = "const a = document.createElement('a'); a.href = '/next?what=secret'; a.click(); 1"
    assert isinstance(await world.call("browser_evaluate", {"code": code}, session), ToolCallCompleted)
    await asyncio.sleep(SETTLES_S)  # sleeps: quiet
    assert arrived(site, "/next") == ["GET"]


async def test_a_rule_against_a_host_holds_for_pages(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    site.seen.clear()
    async with under(world, {"rules": [{"verdict": "deny", "match": {"host": "b.test"}}]}):
        ended = await world.call("browser_navigate", {"url": site.url("a.test")}, session)
        assert isinstance(ended, ToolCallCompleted), ended
        assert isinstance(ended.result, dict)
        assert arrived(site, "/picture") == []
        assert ended.result["notes"] == [
            f"kept back: a page wanted GET to {place_of(site, 'b')} by itself (Rule 1 of the policy)"
        ]
        assert ended.sent is not None
        assert {one.path: one.verdict for one in ended.sent.requests} == {"/": "sent", "/picture": "refused"}
    site.seen.clear()
    again = await world.get("browser_navigate", session, url=site.url("a.test"))
    assert again.get("notes", []) == []
    assert arrived(site, "/picture") == ["GET"]


async def test_who_is_cautious_is_shown_the_page_they_allowed_and_nothing_of_others(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    site.seen.clear()
    async with under(world, {"preset": "cautious"}):
        world.grants = (Grant(Match(tool="browser_navigate", host="a.test:*", method="GET"), once=True),)
        page = await world.get("browser_navigate", session, url=site.url("a.test"))
        assert page["title"] == "Page"
        assert (arrived(site, "/"), arrived(site, "/picture")) == (["GET"], [])
        assert page["notes"][0].startswith("kept back: a page wanted GET to b.test:")


async def test_who_is_free_is_asked_nothing(world: BrowserWorld, site: LocalServer, session: str) -> None:
    site.seen.clear()
    async with under(world, {"preset": "free"}):
        await world.get("browser_navigate", session, url=site.url("a.test"))
        await world.get("browser_click", session, selector="button")
    assert arrived(site, "/order") == ["POST"]


async def test_a_page_sends_no_more_to_another_origin_than_its_server_allows(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    site.seen.clear()
    world.grants = (Grant(Match(method="*")),)
    await world.get("browser_navigate", session, url=site.url("a.test"))
    for path in ("/closed", "/open"):
        url = site.url("b.test", path)
        code = (
            f"fetch({url!r}, {{method: 'PUT', headers: {{'x-own': 'y'}}, body: 'x'}}).then(() => 1, () => 0)"
        )
        told = await world.get("browser_evaluate", session, code=code)
        assert told["result"] == (1 if path == "/open" else 0)
    assert arrived(site, "/closed") == ["OPTIONS"]
    assert arrived(site, "/open") == ["OPTIONS", "PUT"]
    code = (
        f"fetch({site.url('b.test', '/open')!r}, {{headers: {{authorization: 'y'}}}}).then(() => 1, () => 0)"
    )
    assert (await world.get("browser_evaluate", session, code=code))["result"] == 0
    assert arrived(site, "/open") == ["OPTIONS", "PUT", "OPTIONS"]


async def test_sessions_are_judged_each_by_its_own_call(world: BrowserWorld, site: LocalServer) -> None:
    site.seen.clear()
    for name in ("one", "two"):
        await world.get("browser_navigate", name, url=site.url("a.test"))
    world.grants = (Grant(Match(tool="browser_click", method="POST")),)
    allowed = await world.call("browser_click", {"selector": "button"}, "one")
    world.grants = ()
    assert isinstance(allowed, ToolCallCompleted), allowed
    asked = await world.call("browser_click", {"selector": "button"}, "two")
    assert isinstance(asked, ToolCallPending), asked
    assert arrived(site, "/order") == ["POST"]
    for name in ("one", "two"):
        await world.contexts.close(SessionId(name))


async def test_once_is_for_the_call_and_not_for_what_a_page_sends_later(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    site.seen.clear()
    world.grants = (Grant(Match(tool="browser_navigate", host="a.test:*"), once=True),)
    code = "setTimeout(() => fetch('/now', {method: 'POST'}), 0); "
    code += "setTimeout(() => fetch('/later', {method: 'POST'}), 1500)"
    ended, _ = await tried(world, session, site, code, "/x")
    assert isinstance(ended, ToolCallCompleted), ended
    await asyncio.sleep(1.5)  # sleeps: quiet
    assert (arrived(site, "/now"), arrived(site, "/later")) == (["POST"], [])
    told = await world.get("browser_current_page", session)
    assert told["notes"] == [
        f"kept back: a page wanted POST to {place_of(site, 'a')} by itself (It sends something out)"
    ]


async def test_a_page_that_tries_very_often_fills_nothing(
    world: BrowserWorld, site: LocalServer, session: str
) -> None:
    code = "for (let i = 0; i < 300; i++) fetch(`http://h${i}.test/`, {method: 'POST', mode: 'no-cors'})"
    _, notes = await tried(world, session, site, code, "/x")
    context = world.contexts.of(SessionId(session))
    assert context is not None
    assert MOST_TOLD < len(notes) <= 2 * (MOST_TOLD + 1)
    assert len(context.sending._told) <= MOST_TOLD
