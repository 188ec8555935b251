"""What pages send over TLS is kept back as well: the proxy sees its host alone, Chromium asks about all."""

import asyncio
import itertools
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

import pytest
import pytest_asyncio

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.policies import POLICY_NAME, Grant, Match
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallPending
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.browser_pool.ways import LATE, SOCKET_OF_A_WORKER, page
from foldline_testing.browser_pool.world import BrowserWorld, trusting_world
from foldline_testing.egress.certificates import certificate_for
from foldline_testing.egress.web import answered

pytestmark = [pytest.mark.faults, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_numbers = itertools.count(1)
SETTLES_S = 0.7
SENDS = "fetch('{U}', {{method: 'POST', mode: 'no-cors', body: 'x'}}); navigator.sendBeacon('{U}', 'x')"
PAGE = """<title>Page</title><form action="/order" method="POST"><button>Order</button></form><script>
const U = 'HOME/sent';
SENDS; new Worker(URL.createObjectURL(new Blob([`fetch('${U}', {method: 'PUT', body: 'x'})`])));
const add = (with_) => document.body.append(Object.assign(document.createElement('iframe'), with_));
add({src: 'HOME/frame'}); add({src: '/frame'});
add({sandbox: 'allow-scripts', srcdoc: `<script>SENDS<\\/script>`});
new WebSocket(U.replace('http', 'ws'));
</script>"""


@dataclass
class Site:
    port: int = 0
    seen: list[str] = field(default_factory=list)

    def url(self, host: str, path: str = "/") -> str:
        return f"https://{host}:{self.port}{path}"

    @property
    def sent(self) -> list[str]:
        """What wasn't only read."""
        return [one for one in self.seen if not one.startswith("GET /")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    here = Site()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, path, *_ = head.split(" ")
            here.seen.append(f"{method} {path}")
            sends = SENDS.format(U=here.url("b.test", "/sent"))
            pages = {"/frame": f"<script>{sends}</script>"}
            path, _, query = path.partition("?")
            if path == "/307":
                answer = answered(b"", f"Location: {unquote(query)}", status=307)
            elif path == "/tries":
                answer = answered(page(here.url("b.test", ""), query), "Content-Type: text/html")
            else:
                body = pages.get(path) or PAGE.replace("SENDS", sends).replace("HOME", here.url("b.test", ""))
                answer = answered(body.encode(), "Content-Type: text/html")
            writer.write(answer)
            await writer.drain()
        writer.close()

    tls, _ = certificate_for("a.test", tmp_path_factory.mktemp("tls"))
    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    async with server:
        here.port = server.sockets[0].getsockname()[1]
        yield here


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[BrowserWorld]:
    async with trusting_world() as world:
        yield world


@pytest_asyncio.fixture(loop_scope="module")
async def session(world: BrowserWorld) -> AsyncIterator[str]:
    name = f"s{next(_numbers)}"
    yield name
    world.grants = ()
    await world.contexts.close(SessionId(name))


async def test_a_page_is_read_and_nothing_that_it_sends_leaves(
    world: BrowserWorld, site: Site, session: str
) -> None:
    site.seen.clear()
    page = await world.call("browser_navigate", {"url": site.url("a.test")}, session)
    await asyncio.sleep(SETTLES_S)  # sleeps: quiet
    assert isinstance(page, ToolCallCompleted), page
    assert {"GET /", "GET /frame"} <= set(site.seen)
    assert site.sent == []
    assert "GET /sent" not in site.seen, "that is the WebSocket"
    assert isinstance(await world.call("browser_click", {"selector": "button"}, session), ToolCallPending)
    assert site.sent == []
    world.grants = (Grant(Match(tool="browser_click", host="a.test:*", method="POST"), once=True),)
    sent = await world.call("browser_click", {"selector": "button"}, session)
    assert isinstance(sent, ToolCallCompleted), sent
    assert site.sent == ["POST /order"]


async def test_each_of_these_ways_leads_out_where_a_person_allows_it(
    world: BrowserWorld, site: Site, session: str
) -> None:
    site.seen.clear()
    world.grants = (Grant(Match(method="*")),)
    await world.get("browser_navigate", session, url=site.url("a.test"))
    await asyncio.sleep(SETTLES_S)  # sleeps: quiet
    assert site.sent.count("POST /sent") == 8
    assert "GET /sent" in site.seen


async def tried(world: BrowserWorld, site: Site, session: str, code: str) -> list[str]:
    """A page tries it, towards `/sent` of another host; what was noted."""
    tries = f"const U = {site.url('b.test', '/sent')!r}; {code}"
    ended = await world.call(
        "browser_navigate", {"url": site.url("a.test", f"/tries?{quote(tries)}")}, session
    )
    await asyncio.sleep(SETTLES_S)  # sleeps: quiet
    later = await world.get("browser_current_page", session)
    return [*(getattr(ended, "result", None) or {}).get("notes", []), *later.get("notes", [])]


@pytest.mark.parametrize("way", LATE)
async def test_no_redirect_and_nothing_that_is_gone_sends_to_a_host_that_may_be_read_alone(
    world: BrowserWorld, site: Site, session: str, way: str
) -> None:
    site.seen.clear()
    world.grants = (Grant(Match(host="a.test:*")),)
    await tried(world, site, session, LATE[way])
    assert not [one for one in site.seen if one.endswith(" /sent")]
    assert "GET /picture" in site.seen, "that host, which is read"
    world.grants = (Grant(Match(method="*")),)
    await tried(world, site, session, LATE[way])
    assert "POST /sent" in site.seen


async def test_a_socket_of_a_worker_is_known_by_its_proxy(
    world: BrowserWorld, site: Site, session: str
) -> None:
    site.seen.clear()
    notes = await tried(world, site, session, SOCKET_OF_A_WORKER)
    assert any(note.startswith("kept back: a page wanted WEBSOCKET to b.test") for note in notes), notes
    assert "GET /picture" in site.seen, "what is read goes to the same host"
    assert "GET /sent" not in site.seen
    world.grants = (Grant(Match(method="WEBSOCKET", host="b.test:*")),)
    await tried(world, site, session, SOCKET_OF_A_WORKER)
    assert "GET /sent" in site.seen


async def test_a_socket_that_is_allowed_for_its_path_is_not_refused_by_the_proxy_which_does_not_see_it(
    world: BrowserWorld, site: Site, session: str
) -> None:
    site.seen.clear()
    world.grants = (Grant(Match(method="WEBSOCKET", host="b.test:*", path="/sent")),)
    await tried(world, site, session, "new WebSocket(U.replace('http', 'ws'))")
    assert "GET /sent" in site.seen


async def test_the_proxy_alone_keeps_a_host_back(world: BrowserWorld, site: Site, session: str) -> None:
    site.seen.clear()
    await world.get("browser_current_page", session)
    context = world.contexts.of(SessionId(session))
    assert context is not None
    entities = Entities(world.log, world.clock, event_sources.GATEWAY)
    key = EntityKey(AGENT, EntityKind.POLICY, POLICY_NAME)
    rules = {"rules": [{"verdict": "deny", "match": {"host": "b.test"}}]}
    await entities.write(key, rules, EntityWriter.user("deny"))
    try:
        context._chromium.pausing.forget(context._proxies.port)
        await world.get("browser_navigate", session, url=site.url("a.test"))
        await asyncio.sleep(SETTLES_S)  # sleeps: quiet
        assert "GET /frame" in site.seen
        assert site.seen.count("GET /frame") == 1, "that of the page's own host"
        assert "POST /sent" not in site.seen
    finally:
        await entities.write(key, {}, EntityWriter.user("allow"))
