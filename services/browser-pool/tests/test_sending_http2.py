"""A WebSocket inside a connection of HTTP/2 that is open already (RFC 8441) is kept back like any other."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import quote

import pytest
import pytest_asyncio
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived
from h2.settings import SettingCodes

from agent_contracts.ids import SessionId
from agent_contracts.policies import Grant, Match
from agent_contracts.session_events.results import ToolCallCompleted
from browser_pool.chromium.proxies import Proxies
from foldline_testing.agent_tools.world import until
from foldline_testing.browser_pool.ways import page
from foldline_testing.browser_pool.world import BrowserWorld, browser_world, trusting_world
from foldline_testing.egress.certificates import certificate_for

pytestmark = [pytest.mark.faults, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SETTLES_S = 0.7
SOCKET = "a connection of HTTP/1.1"
_numbers = itertools.count(1)
_SOCKET = "new {0}(U.replace('http', 'ws'))"
_OF_A_WORKER = "new Worker(blob(`const U = '${{U}}'; fetch(U).then(() => {0})`))"
_IN_A_WORKER = """new Worker(blob(`const inner = "const U = '${{U}}'; fetch(U).then(() => {0})";
    new Worker(URL.createObjectURL(new Blob([inner])))`))"""
WAYS = {
    "of a worker": _OF_A_WORKER.format(_SOCKET.format("WebSocket")),
    "of a worker of a worker": _IN_A_WORKER.format(_SOCKET.format("WebSocket")),
    "a stream of a worker": _OF_A_WORKER.format(_SOCKET.format("WebSocketStream")),
    "a stream of a page": f"fetch(U).then(() => {_SOCKET.format('WebSocketStream')})",
    "of a page": f"fetch(U).then(() => {_SOCKET.format('WebSocket')})",
}


@dataclass
class Site:
    """Speaks HTTP/2 alone, offers WebSockets there, and takes each. A client that offers HTTP/1.1 alone wants
    one, too: that is `SOCKET`."""

    port: int = 0
    seen: list[str] = field(default_factory=list)

    def url(self, host: str, path: str = "/") -> str:
        return f"https://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tls = writer.get_extra_info("ssl_object")
        if tls.selected_alpn_protocol() != "h2":
            self.seen.append(SOCKET)
            writer.close()
            return
        http = H2Connection(H2Configuration(client_side=False))
        http.initiate_connection()
        http.update_settings({SettingCodes.ENABLE_CONNECT_PROTOCOL: 1})
        writer.write(http.data_to_send())
        while data := await reader.read(65536):
            for event in http.receive_data(data):
                if isinstance(event, RequestReceived):
                    self._answer(http, event)
                elif isinstance(event, DataReceived):
                    http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            writer.write(http.data_to_send())
        writer.close()

    def _answer(self, http: H2Connection, asked: RequestReceived) -> None:
        headers = {bytes(k).decode(): bytes(v).decode() for k, v in asked.headers}
        method, (path, _, query) = headers[":method"], headers[":path"].partition("?")
        self.seen.append(" ".join([method, path, headers.get(":protocol", "")]).strip())
        allowed = [("access-control-allow-origin", "*"), ("content-type", "text/html")]
        http.send_headers(asked.stream_id, [(":status", "200"), *allowed])
        if method != "CONNECT":
            http.send_data(asked.stream_id, page(self.url("b.test", ""), query), end_stream=True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    here = Site()
    tls, _ = certificate_for("a.test", tmp_path_factory.mktemp("tls"))
    tls.set_alpn_protocols(["h2"])
    server = await asyncio.start_server(here.serve, "127.0.0.1", 0, ssl=tls)
    async with server:
        here.port = server.sockets[0].getsockname()[1]
        yield here


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[BrowserWorld]:
    async with trusting_world() as world:
        yield world


@pytest_asyncio.fixture(loop_scope="module")
async def session(world: BrowserWorld, site: Site) -> AsyncIterator[str]:
    name = f"s{next(_numbers)}"
    site.seen.clear()
    yield name
    world.grants = ()
    await world.contexts.close(SessionId(name))


async def tried(world: BrowserWorld, site: Site, session: str, code: str) -> list[str]:
    """A page tries it, towards `/sent` of another host; what was noted, once that was read."""
    tries = f"const U = {site.url('b.test', '/sent')!r}; {code}"
    ended = await world.call(
        "browser_navigate", {"url": site.url("a.test", f"/tries?{quote(tries)}")}, session
    )
    assert isinstance(ended, ToolCallCompleted), ended
    await until(lambda: "GET /sent" in site.seen)
    await asyncio.sleep(SETTLES_S)  # sleeps: quiet
    later = await world.get("browser_current_page", session)
    assert isinstance(ended.result, dict)
    return [*ended.result.get("notes", []), *later.get("notes", [])]


@pytest.mark.parametrize("way", WAYS)
async def test_a_socket_inside_an_open_connection_is_kept_back(
    world: BrowserWorld, site: Site, session: str, way: str
) -> None:
    notes = await tried(world, site, session, WAYS[way])
    assert any(note.startswith("kept back: a page wanted WEBSOCKET to b.test") for note in notes), notes
    assert not [one for one in site.seen if one.endswith("websocket")]


@pytest.mark.parametrize("way", WAYS)
async def test_it_has_a_connection_of_its_own_where_a_person_allows_it(
    world: BrowserWorld, site: Site, session: str, way: str
) -> None:
    world.grants = (Grant(Match(method="WEBSOCKET", host="b.test:*")),)
    await tried(world, site, session, WAYS[way])
    assert SOCKET in site.seen
    assert not [one for one in site.seen if one.endswith("websocket")], "that is what nobody could judge"


async def test_a_chromium_that_knows_one_proxy_alone_sends_it_unseen(
    world: BrowserWorld, site: Site, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the second proxy is for. Where this fails, Chromium has changed, and one would do."""
    monkeypatch.setattr(Proxies, "rules", property(lambda one: f"http://127.0.0.1:{one.port}"))
    async with browser_world() as alone:
        await tried(alone, site, session, WAYS["of a worker"])
        assert "CONNECT /sent websocket" in site.seen
