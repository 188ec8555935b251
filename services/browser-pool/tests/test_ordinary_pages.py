"""What people do in browsers goes on as ever while each request is judged."""

import asyncio
import base64
import hashlib
import itertools
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from agent_contracts.ids import SessionId
from agent_contracts.policies import Grant, Match
from foldline_testing.browser_pool.world import BrowserWorld
from foldline_testing.egress.web import answered

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

HTML = "Content-Type: text/html"
KEEP = "Cache-Control: max-age=3600"
UPLOADED = 3 * 1024 * 1024
_ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_numbers = itertools.count(1)

PAGES = {
    "/": """<title>Home</title><form action="/moved" method="post" enctype="multipart/form-data">
        <input type="file" name="file"><button>Send</button></form>
        <a href="/pop-up" target="_blank">Open</a><a id="pdf" href="/paper.pdf">Paper</a>""",
    "/pop-up": "<title>Pop-up</title><script>opener && opener.postMessage('hello', '*')</script>",
    "/cached": "<title>Cached</title><script src='/kept.js'></script>",
    "/done": "<title>Done</title>",
    "/half": r"""<title>x</title><body><script>document.title = 'half \ud800'; name = '\udc00';
        const frame = document.createElement('iframe'); frame.name = '\ud800'; frame.src = '/done?\ud800';
        document.body.append(frame);
        </script>""",
}
UPLOAD = f"""const data = new DataTransfer();
    data.items.add(new File(['x'.repeat({UPLOADED})], 'big.txt'));
    document.querySelector('input').files = data.files; 1"""
SOCKET = """new Promise((done, failed) => {
    const socket = new WebSocket(location.origin.replace('http', 'ws'));
    socket.onopen = () => socket.send('over there'); socket.onerror = () => failed(new Error('refused'));
    socket.onmessage = (said) => { done(said.data); socket.close() } })"""
STREAM = """new Promise((done) => { const all = []; const source = new EventSource('/events');
    source.onmessage = (one) => { all.push(one.data);
        if (all.length === 3) { source.close(); done(all) } } })"""


@dataclass
class Place:
    port: int = 0
    seen: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def url(self, path: str = "/") -> str:
        return f"http://a.test:{self.port}{path}"


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: str) -> None:
    """One short message of a WebSocket (RFC 6455), sent back."""
    key = next(line[19:] for line in head.splitlines() if line.lower().startswith("sec-websocket-key: "))
    accept = base64.b64encode(hashlib.sha1(f"{key}{_ACCEPT}".encode()).digest()).decode()
    writer.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )
    _, length = await reader.readexactly(2)
    mask, data = await reader.readexactly(4), await reader.readexactly(length & 0x7F)
    said = bytes(one ^ mask[at % 4] for at, one in enumerate(data))
    writer.write(bytes([0x81, len(said)]) + said)
    await reader.read(64)


def _answer(path: str) -> bytes:
    match path:
        case "/moved":
            return answered(b"", "Location: /done", status=303)
        case "/kept.js":
            return answered(b"1", "Content-Type: text/javascript", KEEP)
        case "/paper.pdf":
            return answered(b"%PDF-1.4 paper", "Content-Type: application/pdf")
        case "/secret":
            return answered(b"no", HTML, 'WWW-Authenticate: Basic realm="x"', status=401)
        case _:
            return answered(PAGES.get(path, "<title>?</title>").encode(), HTML)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place() -> AsyncIterator[Place]:
    here = Place()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, path, *_ = head.split(" ")
            here.seen.append(f"{method} {path}")
            lengths = [line[15:] for line in head.lower().splitlines() if line.startswith("content-length:")]
            here.bodies.append(await reader.readexactly(int((lengths or ["0"])[0])))
            if "upgrade: websocket" in head.lower():
                await _echo(reader, writer, head)
            elif path == "/events":
                writer.write(b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n\r\n")
                for number in range(3):
                    writer.write(f"data: {number}\n\n".encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)  # sleeps: poll
            else:
                writer.write(_answer(path.partition("?")[0]))
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        here.port = server.sockets[0].getsockname()[1]
        yield here


@pytest_asyncio.fixture(loop_scope="module")
async def session(world: BrowserWorld, place: Place) -> AsyncIterator[str]:
    name = f"s{next(_numbers)}"
    place.seen.clear()
    place.bodies.clear()
    yield name
    world.grants = ()
    await world.contexts.close(SessionId(name))


async def test_a_file_is_uploaded_whole_and_the_answer_is_followed(
    world: BrowserWorld, place: Place, session: str
) -> None:
    world.grants = (Grant(Match(host="a.test:*")),)
    await world.get("browser_navigate", session, url=place.url())
    await world.get("browser_evaluate", session, code=UPLOAD)
    await world.get("browser_click", session, selector="button")
    assert (await world.get("browser_current_page", session))["title"] == "Done"
    assert place.seen == ["GET /", "POST /moved", "GET /done"]
    assert place.bodies[1].count(b"x") >= UPLOADED


async def test_a_socket_and_a_stream_carry_what_is_said(
    world: BrowserWorld, place: Place, session: str
) -> None:
    world.grants = (Grant(Match(method="*")),)
    await world.get("browser_navigate", session, url=place.url())
    assert (await world.get("browser_evaluate", session, code=SOCKET))["result"] == "over there"
    assert (await world.get("browser_evaluate", session, code=STREAM))["result"] == ["0", "1", "2"]


async def test_a_window_talks_to_who_opened_it(world: BrowserWorld, place: Place, session: str) -> None:
    await world.get("browser_navigate", session, url=place.url())
    code = "new Promise((done) => { onmessage = (said) => done(said.data); open('/pop-up') })"
    told = await world.get("browser_evaluate", session, code=code)
    assert told["result"] == "hello"
    assert [one["url"] for one in told["new_pages"]] == [place.url("/pop-up")]


async def test_a_pdf_is_a_file(world: BrowserWorld, place: Place, session: str) -> None:
    await world.get("browser_navigate", session, url=place.url())
    clicked = await world.get("browser_click", session, selector="#pdf")
    later = clicked if "downloads" in clicked else await world.get("browser_downloads", session)
    [paper] = later["downloads"]
    assert (paper["name"], paper["size"]) == ("paper.pdf", len(b"%PDF-1.4 paper"))


async def test_what_may_be_kept_is_asked_for_once(world: BrowserWorld, place: Place, session: str) -> None:
    for _ in range(3):
        await world.get("browser_navigate", session, url=place.url("/cached"))
    assert place.seen == ["GET /cached", "GET /kept.js", "GET /cached", "GET /cached"]


async def test_a_page_behind_a_password_says_so(world: BrowserWorld, place: Place, session: str) -> None:
    assert (await world.get("browser_navigate", session, url=place.url("/secret")))["status"] == 401


async def test_a_page_whose_name_is_no_text_harms_nobody(
    world: BrowserWorld, place: Place, session: str
) -> None:
    await world.get("browser_navigate", session, url=place.url("/half"))
    for code in ("document.title.length", "open('/half', '\\ud800') && 1", "location.reload()", "1"):
        await world.call("browser_evaluate", {"code": code}, session)
    running = await world.contexts.chromium.running()
    assert running.is_alive
    assert "context_lost" not in await world.get("browser_current_page", session)
