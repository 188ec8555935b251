"""A small site of this machine for tests of a browser: forms, frames, dialogs, downloads, hostile pages."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs

_PAGES: dict[str, str] = {
    "/": """<title>Home</title><h1>Welcome</h1><p>The canary is yellow.</p><a href="/form">Order</a>
        <a href="/news" target="_blank">News</a>""",
    "/form": """<title>Order</title><form action="/ordered" method="post">
        <label>Name <input name="name" id="name"></label>
        <label>Colour <select name="colour"><option value="r">Red</option><option value="g">Green</option>
        </select></label>
        <label><input type="checkbox" name="gift"> Gift</label>
        <textarea name="note" placeholder="Note">Hello</textarea>
        <input name="locked" readonly value="x"><button>Send</button></form>""",
    "/news": "<title>News</title><p>Nothing new.</p>",
    "/spa": """<title>SPA</title><div id="app"></div><script>
        const app = document.getElementById('app');
        function show() { app.innerHTML = location.hash === '#two' ? '<p id=two>Second view</p>' :
          '<button onclick="location.hash=\\'two\\'">Next</button>'; }
        addEventListener('hashchange', () => setTimeout(show, 300)); show();</script>""",
    "/frames": """<title>Frames</title><h1>Outer</h1>
        <iframe src="/inner" title="Inner frame"></iframe>""",
    "/inner": """<button onclick="document.body.append('pressed in the frame')">Press me</button>""",
    "/dialogs": """<title>Dialogs</title>
        <button id="alert" onclick="alert('Careful')">Alert</button>
        <button id="confirm" onclick="document.title = confirm('Really?') ? 'yes' : 'no'">Confirm</button>
        <button id="prompt" onclick="document.title = String(prompt('Your name?'))">Prompt</button>
        <button id="storm" onclick="for (;;) alert('again')">Storm</button>""",
    "/clicks": """<title>Clicks</title><style>body { margin: 0 }
        #cover { position: fixed; left: 0; top: 100px; width: 300px; height: 100px }
        #under { position: absolute; left: 10px; top: 120px }
        #away { position: fixed; left: -500px; top: 0 } 
        #empty { display: block; width: 0; height: 0; padding: 0; border: 0; overflow: hidden }</style>
        <button id="fine" onclick="document.title='clicked'">Fine</button>
        <button id="hidden" style="display: none">Hidden</button>
        <button id="disabled" disabled>Disabled</button><button id="empty"></button>
        <button id="deaf" style="pointer-events: none">Deaf</button>
        <div id="mute" style="pointer-events: none"><button id="muted">Muted</button></div>
        <div id="asleep" inert><button id="sleeping">Sleeping</button></div>
        <fieldset id="form" disabled><button id="inside">Inside</button></fieldset>
        <button id="away">Away</button><button id="under">Under</button>
        <div id="cover" class="veil">A veil</div>""",
    "/downloads": """<title>Downloads</title><a id="small" href="/file">Small</a>
        <a id="bomb" href="/bomb">Bomb</a><a id="slow" href="/slow-file">Slow</a>""",
    "/article": """<title>On canaries</title><nav><a href="/">Home</a> menu menu</nav><main><article>
        <h1>On canaries</h1><p>Canaries are small birds, which people have kept for their song since the
        seventeenth century, in all of Europe and beyond.</p><h2>Colours</h2><p>Most are yellow, and some are
        <a href="/form">red</a>, as breeders wanted them to be; others are white.</p></article></main>
        <footer>imprint imprint</footer>""",
    "/windows": """<title>Windows</title>
        <button onclick="for (let i = 0; i < 1000; i++) window.open('/news?' + i)">Open</button>""",
    "/spin": "<title>Spin</title><p>Text</p><script>setTimeout(() => { for (;;); }, 300)</script>",
    "/tall": "<title>Tall</title><div style='height: 40000px; width: 50px'>tall</div>",
    "/huge": """<title>Huge</title><p id=s>start</p><script>
        const text = 'x'.repeat(1000); const all = document.createDocumentFragment();
        for (let i = 0; i < Number(location.search.slice(1)); i++) {
          const p = document.createElement('p'); p.textContent = text; all.append(p); }
        document.body.append(all);</script>""",
    "/login": """<title>Log in</title><style>body { margin: 0 }
        input, button { position: absolute; left: 10px; width: 200px; height: 30px }
        #user { top: 10px } #password { top: 60px } button { top: 110px }</style>
        <form action="/logged-in" method="post"><input id="user" name="user" placeholder="Name">
        <input id="password" name="password" type="password"><button>Log in</button></form>""",
    "/leaky-login": """<title>Leaky</title><style>body { margin: 0 } input { position: absolute; left: 10px;
        top: 60px; width: 200px; height: 30px }</style>
        <form action="/leaked"><input id="password" name="password" type="password"></form>""",
    "/framed-login": """<title>Framed</title><style>body { margin: 0 } iframe { border: 0; width: 600px;
        height: 300px }</style><iframe src="/login"></iframe>""",
    "/pop-up": """<title>Opener</title><style>body { margin: 0 } button { position: absolute; left: 10px;
        width: 200px; height: 30px } #open { top: 10px } #file { top: 60px } #ask { top: 110px }</style>
        <button id="open" onclick="open('/login', 'login', 'width=400,height=400')">Open</button>
        <button id="file" onclick="document.getElementById('f').click()">File</button>
        <button id="ask" onclick="document.title = String(prompt('Your name?', 'nobody'))">Ask</button>
        <input id="f" type="file" style="display: none">""",
    "/restless": """<title>Restless</title><script>
        setInterval(() => { location.href = '/restless?' + Math.random(); }, 30);</script>""",
    "/leaving": """<title>Leaving</title><button>Stay</button><script>
        addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'no'; });
        </script>""",
    "/prints": "<title>Prints</title><p>Paper</p><script>for (let i = 0; i < 50; i++) print();</script>",
    "/worker": """<title>waits</title><script>navigator.serviceWorker.register('/worker.js')
        .then((found) => found ? found.update() : null)
        .then(() => { document.title = 'registered'; }, (e) => { document.title = 'refused'; });</script>""",
    "/eats": """<title>Eats</title><button>Eat</button><script>
        document.querySelector('button').onclick = () => { const all = [];
          setInterval(() => { for (let i = 0; i < 8; i++) all.push(new Uint8Array(2 ** 25).fill(1)); }, 1); };
        </script>""",
    "/csp": "<title>Strict</title><p>csp</p>",
    "/scroll": "<title>Scroll</title><div style='height: 5000px; width: 5000px'>wide</div>",
}


@dataclass
class Site:
    """Where it is, and what it was asked for."""

    port: int = 0
    seen: list[str] = field(default_factory=list)
    posted: list[dict[str, list[str]]] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "a.test") -> str:
        """An address of it."""
        return f"http://{host}:{self.port}{path}"


@asynccontextmanager
async def site() -> AsyncIterator[Site]:
    """A running one."""
    here = Site()

    at_work: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_handle(here, reader, writer))
        at_work.add(task)
        task.add_done_callback(at_work.discard)

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        here.port = server.sockets[0].getsockname()[1]
        yield here
    finally:
        server.close()
        for task in at_work:
            task.cancel()
        if at_work:
            await asyncio.wait(at_work)


async def _handle(here: Site, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lengths = [line[15:] for line in head.lower().splitlines() if line.startswith("content-length:")]
            length = int((lengths or ["0"])[0])
            body = (await reader.readexactly(length)).decode() if length else ""
            await _answer(here, head, body, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def _answer(here: Site, head: str, body: str, writer: asyncio.StreamWriter) -> None:
    target = head.split(" ")[1]
    path, _, query = target.partition("?")
    here.seen.append(target)
    match path:
        case "/ordered":
            here.posted.append(parse_qs(body))
            await _send(writer, "<title>Ordered</title><p>Thank you.</p>")
        case "/logged-in":
            here.posted.append(parse_qs(body))
            stored = "<script>localStorage.theme = 'dark'; location = '/account'</script>"
            await _send(writer, stored, "Set-Cookie: sid=s3cr3t-session-cookie; HttpOnly; Path=/")
        case "/account":
            is_known = "sid=s3cr3t-session-cookie" in head
            shown = (
                "<title>Account</title><p>Hello, Ada</p>" if is_known else "<title>Who?</title><p>Log in</p>"
            )
            await _send(writer, shown)
        case "/leaked":
            typed = "".join(parse_qs(query).get("password", []))
            shown = f"<title>Your password is {typed}</title><p>It is {typed}</p><input value={typed}>"
            await _send(writer, shown)
        case "/redirect":
            await _send(writer, "", "Location: /news", status=302)
        case "/loop":
            await _send(writer, "", "Location: /loop", status=302)
        case "/missing":
            await _send(writer, "<title>Missing</title>", status=404)
        case "/file":
            await _send(
                writer, "a,b\n1,2\n", "Content-Disposition: attachment; filename=table.csv", kind="text/csv"
            )
        case "/slow-file":
            await _stream(writer, parts=20, pause_s=0.1)
        case "/bomb":
            await _stream(writer, parts=4_000, pause_s=0, size=65_536)
        case "/never":
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Never</title><p>Begun.</p>"
                + b" " * 2048
            )
            await writer.drain()
            await asyncio.sleep(60)
        case "/silent":
            await asyncio.sleep(60)
        case "/csp":
            await _send(writer, _PAGES[path], "Content-Security-Policy: default-src 'none'")
        case _ if path in _PAGES:
            await _send(writer, _PAGES[path])
        case _:
            await _send(writer, "<title>?</title>", status=404)


async def _send(
    writer: asyncio.StreamWriter, text: str, *headers: str, status: int = 200, kind: str = "text/html"
) -> None:
    data = text.encode()
    lines = [
        f"HTTP/1.1 {status} X",
        f"Content-Length: {len(data)}",
        f"Content-Type: {kind}; charset=utf-8",
        "Connection: close",
        *headers,
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode() + data)
    await writer.drain()


async def _stream(writer: asyncio.StreamWriter, *, parts: int, pause_s: float, size: int = 1_000) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
        b"Content-Disposition: attachment; filename=data.bin\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    for _ in range(parts):
        writer.write(f"{size:x}\r\n".encode() + b"x" * size + b"\r\n")
        await writer.drain()
        await asyncio.sleep(pause_s)  # sleeps: work
    writer.write(b"0\r\n\r\n")
    await writer.drain()
