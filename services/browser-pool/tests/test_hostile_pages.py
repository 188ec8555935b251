"""Pages that try to reach what stands for NATS, Postgres, the gateway and a machine inside, in every way that
a page has: nothing arrives there, with the kernel's help, and by flags and proxy alone. Each way is shown to
work towards a server that is allowed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from urllib.parse import quote, unquote

import pytest
import pytest_asyncio
from playwright.async_api import Error, Page

from agent_contracts.errors import ErrorKind
from browser_pool.chromium import confining
from browser_pool.chromium.running import RunningChromium, running_chromium
from browser_pool.chromium.settings import ChromiumSettings
from egress.dialing import CheckedDialing
from egress.rules import EgressRules
from foldline_testing.egress.web import LocalServer, answered, local_server

pytestmark = [pytest.mark.faults, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SETTLE_S = 1.0
"""How long a page is left alone with what it began."""

WITHOUT_THE_KERNEL = confining.BECOME.replace(
    "from browser_pool.cage.confined",
    """from agent_platform.process.cage import landlock, seccomp
def no(*_): raise seccomp.Unavailable('left out by this test')
landlock.restrict = seccomp.restrict = no
from browser_pool.cage.confined""",
)

WAYS = {
    "fetch": "fetch(U, {mode: 'no-cors'})",
    "post": "fetch(U, {mode: 'no-cors', method: 'POST', body: 'PUB x 1'})",
    "beacon": "navigator.sendBeacon(U, 'x')",
    "keepalive": "fetch(U, {mode: 'no-cors', keepalive: true})",
    "xhr": "const x = new XMLHttpRequest(); x.open('GET', U); x.send()",
    "image": "new Image().src = U",
    "script": "add('script', {src: U})",
    "module": "import(U).catch(() => {})",
    "css": "add('style', {textContent: `@import url('${U}');`})",
    "background": "add('div', {style: `background: url('${U}'); height: 9px`})",
    "font": """
        add('style', {textContent: `@font-face {font-family: f; src: url('${U}')} p {font-family: f}`});
        add('p', {textContent: 'text'})""",
    "iframe": "add('iframe', {src: U})",
    "object": "add('object', {data: U})",
    "embed": "add('embed', {src: U})",
    "video": "add('video', {src: U})",
    "prefetch": "add('link', {rel: 'prefetch', href: U})",
    "preload": "add('link', {rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: U})",
    "form": """
        add('iframe', {name: 'to'});
        const form = add('form', {action: U, method: 'POST', target: 'to'});
        form.submit()""",
    "popup": "open(U)",
    "navigation": "location.href = U",
    "refresh": "add('meta', {httpEquiv: 'refresh', content: `0; url=${U}`})",
    "redirect": "fetch('/to?' + encodeURIComponent(U), {mode: 'no-cors'})",
    "iframe redirect": "add('iframe', {src: '/to?' + encodeURIComponent(U)})",
    "event source": "new EventSource(U)",
    "websocket": "new WebSocket(U.replace('http', 'ws'))",
    "worker": "new Worker(URL.createObjectURL(new Blob([`fetch('${U}', {mode: 'no-cors'})`])))",
    "worker script": "new Worker(URL.createObjectURL(new Blob([`importScripts('${U}')`])))",
    "shared worker": "new SharedWorker(URL.createObjectURL(new Blob([`fetch('${U}', {mode: 'no-cors'})`])))",
    "service worker": "navigator.serviceWorker.register('/worker.js?' + encodeURIComponent(U))",
    "ping": "const a = add('a', {href: '#x', ping: U}); a.click()",
    "svg": "add('div', {innerHTML: `<svg><image href='${U}'/></svg>`})",
    "sandboxed": "add('iframe', {sandbox: 'allow-scripts', srcdoc: `<img src='${U}'>`})",
    "turn over tcp": """
        const p = new RTCPeerConnection({iceServers: [{urls: 'turn:' + new URL(U).host + '?transport=tcp',
            username: 'u', credential: 'c'}]});
        p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))""",
}
LEAVE_THE_PAGE = ("navigation", "popup", "refresh")
NOT_ANYWHERE = {"turn over tcp", "shared worker"}
"""Ways that reach nobody at all: there is no WebRTC, and no worker that belongs to no page."""

WORKER = b"""
const to = decodeURIComponent(self.location.search.slice(1));
self.addEventListener('install', event => event.waitUntil(fetch(to, {mode: 'no-cors'}).catch(() => {})));
"""
PAGE = b"""<body><script>
const add = (tag, with_) => { const made = document.createElement(tag); const {style, ...rest} = with_;
  Object.assign(made, rest); if (style) made.style = style; document.body.append(made); return made };
</script></body>"""


@dataclass
class Victim:
    """A TCP server that must never be connected to."""

    port: int = 0
    connections: list[bytes] = field(default_factory=list)


@dataclass
class World:
    """What a hostile page is let loose in."""

    chromium: RunningChromium
    site: LocalServer
    names: "Changing"
    victims: list[Victim]
    packets: list[bytes]
    udp_port: int

    async def hostile_page(self) -> Page:
        context = await self.chromium.browser.new_context()
        page = await context.new_page()
        await page.goto(f"http://localhost:{self.site.port}/")
        return page

    async def lets_loose(self, targets: Callable[[str], Sequence[str]]) -> None:
        """All ways towards their targets, those that leave the page from pages of their own."""
        together = [way for way in WAYS if way not in LEAVE_THE_PAGE]
        pages = [await self.hostile_page() for _ in range(1 + len(LEAVE_THE_PAGE))]
        for page, ways in zip(pages, (together, *([way] for way in LEAVE_THE_PAGE)), strict=True):
            for way in ways:
                tries = f"try {{ {WAYS[way]} }} catch (e) {{}}"
                with suppress(Error):  # it navigated away
                    await page.evaluate(
                        f"targets => {{ for (const U of targets) {{ {tries} }} }}", list(targets(way))
                    )
        await asyncio.sleep(SETTLE_S)  # sleeps: quiet
        for page in pages:
            await page.context.close()

    def untouched(self) -> bool:
        return not self.packets and not any(victim.connections for victim in self.victims)


class Changing:
    """A resolver for the tests' names. `rebind.test` is 127.0.0.2 the first time, and 127.0.0.1 after."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def addresses(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        if host == "rebind.test" and self.asked.count(host) == 1:
            return ["127.0.0.2"]
        if host.endswith((".test", "localhost")):
            return ["127.0.0.1"]
        if host.isdecimal() or host in ("127.1", "0x7f000001"):
            return ["127.0.0.1"]
        raise OSError("no such name")


@asynccontextmanager
async def victim() -> AsyncIterator[Victim]:
    one = Victim()

    async def taken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        one.connections.append(b"")
        one.connections.append(await reader.read(100))
        writer.close()

    server = await asyncio.start_server(taken, "127.0.0.1", 0)
    async with server:
        one.port = server.sockets[0].getsockname()[1]
        yield one


class _Packets(asyncio.DatagramProtocol):
    def __init__(self, kept: list[bytes]) -> None:
        self.kept = kept

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.kept.append(data)


def _site(request: str) -> bytes:
    path = request.split(" ")[1]
    if path.startswith("/to?"):
        return answered(b"", f"Location: {unquote(path[4:])}", status=302)
    if path.startswith("/worker.js"):
        return answered(WORKER, "Content-Type: text/javascript")
    return answered(PAGE, "Content-Type: text/html")


@pytest_asyncio.fixture(
    scope="module", loop_scope="module", params=["with the kernel's help", "by flags and proxy alone"]
)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    names = Changing()
    packets: list[bytes] = []
    loop = asyncio.get_running_loop()
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "with the kernel's help":
            patch.setattr(confining, "BECOME", WITHOUT_THE_KERNEL)
        async with local_server(_site) as site, victim() as nats, victim() as postgres, victim() as inside:
            udp, _ = await loop.create_datagram_endpoint(lambda: _Packets(packets), ("127.0.0.1", 0))
            udp_port = udp.get_extra_info("sockname")[1]
            rules = EgressRules(
                private_hosts=frozenset({f"localhost:{site.port}", "opened.test"}),
                private_networks=(IPv4Network("127.0.0.2/32"),),
                own=frozenset({("127.0.0.1", nats.port), ("localhost", postgres.port)}),
            )
            async with running_chromium(ChromiumSettings(), CheckedDialing(rules, names)) as chromium:
                if request.param != "with the kernel's help":
                    assert any("system calls: left out" in lack for lack in chromium.cage.lacks)
                yield World(chromium, site, names, [nats, postgres, inside], packets, udp_port)
            udp.close()


async def test_no_way_leads_inside(world: World) -> None:
    nats, postgres, inside = (one.port for one in world.victims)
    targets = [
        f"http://127.0.0.1:{nats}/",
        f"http://localhost:{postgres}/",
        f"http://opened.test:{nats}/",  # a host that the operator opened, at the port of a server of ours
        f"http://inside.test:{inside}/",
        f"http://127.0.0.1:{inside}/",
        f"http://[::1]:{inside}/",
        f"http://2130706433:{inside}/",
        f"http://127.1:{inside}/",
        f"https://127.0.0.1:{inside}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
    ]
    await world.lets_loose(lambda _: targets)
    assert world.untouched()
    for url in targets:
        if any(spelling in url for spelling in ("2130706433", "127.1:")):
            continue  # Chromium asked for 127.0.0.1
        why = world.chromium.refusal_of(url)
        assert why is not None
        assert why.kind == ErrorKind.BLOCKED


async def test_every_way_leads_to_a_server_that_is_allowed(world: World) -> None:
    allowed = f"http://opened.test:{world.site.port}/allowed/"
    await world.lets_loose(lambda way: [allowed + quote(way)])
    paths = [one.split(" ")[1] for one in world.site.seen]
    arrived = {unquote(path.removeprefix("/allowed/")) for path in paths if path.startswith("/allowed/")}
    assert arrived == set(WAYS) - NOT_ANYWHERE


async def test_hints_webrtc_and_webtransport_lead_nowhere(world: World) -> None:
    inside = world.victims[2].port
    page = await world.hostile_page()
    candidates = await page.evaluate(
        """async ([tcp, udp]) => {
            for (const host of ['inside.test', '127.0.0.1'])
                for (const rel of ['dns-prefetch', 'preconnect', 'prerender', 'prefetch', 'modulepreload'])
                    add('link', {rel, href: `http://${host}:${tcp}/`});
            add('script', {type: 'speculationrules', textContent: JSON.stringify({
                prefetch: [{urls: [`http://127.0.0.1:${tcp}/`], eagerness: 'immediate'}],
                prerender: [{urls: [`http://localhost:${tcp}/`], eagerness: 'immediate'}]})});
            try { const quic = new WebTransport(`https://127.0.0.1:${udp}/`);
                  quic.ready.catch(() => {}); quic.closed.catch(() => {}) } catch (e) {}
            const peer = new RTCPeerConnection({iceServers: [
                {urls: [`stun:127.0.0.1:${udp}`, `stun:localhost:${udp}`]},
                {urls: `turn:127.0.0.1:${udp}`, username: 'u', credential: 'c'},
                {urls: `turn:127.0.0.1:${tcp}?transport=tcp`, username: 'u', credential: 'c'}]});
            const found = [];
            peer.onicecandidate = event => event.candidate && found.push(event.candidate.candidate);
            peer.createDataChannel('x');
            await peer.setLocalDescription(await peer.createOffer());
            await new Promise(resolve => setTimeout(resolve, 1500));
            return found;
        }""",
        [inside, world.udp_port],
    )
    await page.context.close()
    assert not [one for one in candidates if " udp " in one.lower()]
    assert world.untouched()


async def test_a_name_that_changes_is_judged_each_time_and_looked_up_once(world: World) -> None:
    inside = world.victims[2]
    seen: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(answered(PAGE, "Content-Type: text/html"))
        await writer.drain()
        writer.close()

    world.names.asked.clear()
    async with await asyncio.start_server(answer, "127.0.0.2", inside.port):
        context = await world.chromium.browser.new_context()
        page = await context.new_page()
        first = await page.goto(f"http://rebind.test:{inside.port}/")
        assert first is not None
        assert first.status == 200
        assert world.names.asked.count("rebind.test") == 1
        again = await page.evaluate("fetch('/again').then(answer => answer.status)")
        await context.close()
    assert again == 403
    assert len(seen) == 1
    assert world.untouched()


async def test_addresses_that_are_not_of_the_web_show_nothing(world: World) -> None:
    inside = world.victims[2].port
    confined = "only its own files" in world.chromium.cage.got
    urls = [f"view-source:http://inside.test:{inside}/", "ftp://inside.test/", f"ws://inside.test:{inside}/"]
    if confined:
        urls += ["file:///etc/passwd", "view-source:file:///etc/passwd", "file:///root", f"file://{__file__}"]
    for url in urls:
        context = await world.chromium.browser.new_context()
        page = await context.new_page()
        with suppress(Error):
            await page.goto(url, timeout=3000)
        shown = await _shown(page)
        assert "root:" not in shown
        assert "def test_" not in shown
        await context.close()
    page = await world.hostile_page()
    for url in ("file:///etc/passwd", "view-source:file:///etc/passwd", "chrome://version"):
        with suppress(Error):
            await page.evaluate("to => { location.href = to }", url)
        await asyncio.sleep(0.1)  # sleeps: quiet
        assert page.url.startswith(f"http://localhost:{world.site.port}/")
    await page.context.close()
    assert world.untouched()


async def _shown(page: Page) -> str:
    """What it shows once it is no longer on its way."""
    for _ in range(50):
        with suppress(Error):
            return await page.content()
        await asyncio.sleep(0.1)  # sleeps: quiet
    return await page.content()


async def test_one_session_s_connections_leave_room_for_another_s(world: World) -> None:
    """A page that holds as many connections as Chromium lets it doesn't stop other sessions."""
    page = await world.hostile_page()
    async with _holding() as port:
        held = f"http://opened.test:{port}/"
        await page.evaluate(
            """held => { for (let i = 0; i < 300; i++) {
                fetch(`${held}${i}`, {mode: 'no-cors'}).catch(() => {});
                new WebSocket(held.replace('http', 'ws')) } }""",
            held,
        )
        await asyncio.sleep(SETTLE_S)  # sleeps: quiet
        other = await world.hostile_page()
        assert await other.title() == ""
        await other.context.close()
        await page.context.close()


@asynccontextmanager
async def _holding() -> AsyncIterator[int]:
    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
