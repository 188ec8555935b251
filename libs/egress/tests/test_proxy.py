"""The proxy by itself, over real sockets: where it leads, what it passes on, and what it bears."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from ipaddress import IPv4Network

import pytest

from agent_contracts.egress import EgressRequest
from agent_contracts.errors import ErrorKind, Failure, Rejected
from egress.dialing import CheckedDialing
from egress.proxy import limits
from egress.proxy.filtering_proxy import FilteringProxy, filtering_proxy
from egress.proxy.terms import Allowance, Terms
from egress.redirects import Hop
from egress.rules import EgressRules
from egress.targets import RequestTarget
from foldline_testing.agent_platform.eventually import until
from foldline_testing.egress.web import FixedNames, answered, local_server

MIB = 1024 * 1024
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
def names() -> FixedNames:
    return FixedNames({name: ["127.0.0.1"] for name in ("site.test", "other.test", "inside.test")})


@pytest.fixture
async def proxy(names: FixedNames) -> AsyncIterator[FilteringProxy]:
    rules = EgressRules(
        private_hosts=frozenset({"site.test", "other.test"}),
        private_networks=(IPv4Network("127.0.0.2/32"),),
        own=frozenset({("127.0.0.1", 4321)}),
    )
    async with filtering_proxy(CheckedDialing(rules, names)) as running:
        yield running


@asynccontextmanager
async def connected(proxy: FilteringProxy) -> AsyncIterator[Streams]:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port, limit=4 * MIB)
    try:
        yield reader, writer
    finally:
        writer.close()


@asynccontextmanager
async def server(
    handler: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[object]],
) -> AsyncIterator[int]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    running = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with running:
        yield running.sockets[0].getsockname()[1]


async def asked(proxy: FilteringProxy, request: str | bytes) -> tuple[int, str]:
    """The status and all of what follows, from a connection that is closed after it."""
    async with connected(proxy) as (reader, writer):
        writer.write(request.encode("latin-1") if isinstance(request, str) else request)
        answer = (await asyncio.wait_for(reader.read(), 60)).decode("latin-1")
        return int(answer.split(" ")[1]), answer


def connect_to(authority: str) -> str:
    return f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n"


def get(url: str, *headers: str) -> str:
    return "\r\n".join([f"GET {url} HTTP/1.1", "Host: lies.test", "Connection: close", *headers, "", ""])


@pytest.mark.parametrize(
    ("authority", "status", "kind"),
    [
        ("inside.test:443", 403, ErrorKind.BLOCKED),
        ("127.0.0.1:443", 403, ErrorKind.BLOCKED),
        ("[::1]:443", 403, ErrorKind.BLOCKED),
        ("[::ffff:127.0.0.1]:443", 403, ErrorKind.BLOCKED),
        ("169.254.169.254:80", 403, ErrorKind.BLOCKED),
        ("site.test:4321", 403, ErrorKind.BLOCKED),  # the port of a server of ours
        ("site.test:25", 403, ErrorKind.BLOCKED),
        ("site.test:6379", 403, ErrorKind.BLOCKED),
        ("nowhere.test:443", 502, ErrorKind.UPSTREAM),
    ],
)
async def test_where_it_does_not_lead(
    proxy: FilteringProxy, authority: str, status: int, kind: ErrorKind
) -> None:
    assert (await asked(proxy, connect_to(authority)))[0] == status
    assert (await asked(proxy, get(f"http://{authority}/")))[0] == status
    why = proxy.refusals.of(f"https://{authority}/page")
    assert isinstance(why, Failure)
    assert why.kind == kind
    assert proxy.refusals.of(f"ws://{authority}/") is why
    assert proxy.refusals.of("https://site.test/") is None


@pytest.mark.parametrize(
    "request_",
    [
        "GET / HTTP/1.1\r\nHost: site.test\r\n\r\n",
        get("https://site.test/"),
        get("ftp://site.test/"),
        get("http://"),
        connect_to("site.test"),
        connect_to("site.test:x"),
        connect_to("site.test:99999"),
        connect_to("site.test:443/path"),
        "NATS 1 2 3\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01",
        "GET http://site.test/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        get("http://site.test/", "X: " + "x" * 2 * limits.HEAD),
    ],
    ids=[
        *("origin form", "https", "ftp", "no host", "no port", "a word for a port", "a large port", "a path"),
        *("another protocol", "TLS", "two lengths", "a long head"),
    ],
)
async def test_what_is_not_a_request_to_a_proxy_is_refused(proxy: FilteringProxy, request_: str) -> None:
    if request_.startswith("\x16"):
        request_ += "\r\n\r\n"
    assert (await asked(proxy, request_))[0] in (400, 431)


async def test_credentials_in_an_address_are_refused(proxy: FilteringProxy) -> None:
    assert (await asked(proxy, get("http://user:pass@site.test/")))[0] == 403


async def test_a_request_is_passed_on_as_it_is_but_for_what_is_of_the_connection(
    proxy: FilteringProxy,
) -> None:
    async with local_server(lambda _: answered(b"Here", "X-Own: 1", "Keep-Alive: 5")) as site:
        status, answer = await asked(
            proxy,
            get(
                f"http://site.test:{site.port}/a?b=c",
                "Connection: X-Hop",
                "X-Hop: secret",
                "Proxy-Authorization: Basic eA==",
                "Upgrade: h2c",
                "Cookie: a=b",
            ),
        )
        assert status == 200
        assert answer.endswith("\r\n\r\nHere")
        assert "X-Own: 1" in answer
        assert "Keep-Alive" not in answer
        [seen] = site.seen
        lines = seen.split("\r\n")
        assert lines[0] == "GET /a?b=c HTTP/1.1"
        assert [line for line in lines if line.lower().startswith("host:")] == [
            f"Host: site.test:{site.port}"
        ]
        assert "Cookie: a=b" in lines
        assert not [line for line in lines if line.lower().startswith(("x-hop", "proxy-", "upgrade"))]


async def test_each_request_of_a_connection_is_judged(proxy: FilteringProxy) -> None:
    async with (
        local_server(lambda _: answered(b"A")) as one,
        local_server(lambda _: answered(b"B")) as two,
        connected(proxy) as (reader, writer),
    ):
        for url, body in ((one.url("site.test"), b"A"), (two.url("other.test"), b"B")):
            writer.write(f"GET {url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert b"200" in (await reader.readuntil(b"\r\n\r\n")).splitlines()[0]
            assert await reader.readexactly(1) == body
        writer.write(f"GET {one.url('inside.test')} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert b"403" in (await reader.readuntil(b"\r\n\r\n")).splitlines()[0]
        assert (len(one.seen), len(two.seen)) == (1, 1)


async def test_what_is_sent_in_pieces_arrives_in_pieces_under_one_length(proxy: FilteringProxy) -> None:
    got: list[bytes] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.append(await reader.readuntil(b"0\r\n\r\n"))
        writer.write(answered(b"done"))

    async with server(take) as port:
        body = "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
        head = f"POST http://site.test:{port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        # Both lengths: whoever goes by the other one would see a second request in the body.
        status, _ = await asked(proxy, f"{head}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n{body}")
        if status == 200:
            assert b"content-length" not in got[0].lower()
            assert b"hello" in got[0]
        else:
            assert (status, got) == (400, [])
        status, _ = await asked(proxy, f"{head}Transfer-Encoding: chunked\r\n\r\n{body}")
        assert status == 200
        assert b"hello" in got[-1]


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"220 mail.test ESMTP\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2 * limits.HEAD + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ],
    ids=["nothing", "mail", "an upgrade", "a long head", "two lengths"],
)
async def test_a_server_that_does_not_speak_http_is_told_as_such(
    proxy: FilteringProxy, answer: bytes
) -> None:
    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()

    async with server(say) as port:
        status, _ = await asked(proxy, get(f"http://site.test:{port}/"))
        assert status == 502
        why = proxy.refusals.of(f"http://site.test:{port}/")
        assert why is not None
        assert why.kind == ErrorKind.UPSTREAM


async def test_an_answer_that_breaks_off_does_not_look_whole(proxy: FilteringProxy) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        await writer.drain()

    async with server(half) as port, connected(proxy) as (reader, writer):
        writer.write(get(f"http://site.test:{port}/").encode())
        try:
            answer = await asyncio.wait_for(reader.read(), 60)
        except ConnectionError:
            return
        assert not answer.endswith(b"0\r\n\r\n")


async def test_a_tunnel_carries_bytes_both_ways_also_those_that_came_with_the_request(
    proxy: FilteringProxy,
) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(limits.CHUNK):
            writer.write(data)
            await writer.drain()

    payload = bytes(range(256)) * 16 * 1024  # 4 MiB
    async with server(echo) as port, connected(proxy) as (reader, writer):
        writer.write(connect_to(f"site.test:{port}").encode() + b"early")
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(5) == b"early"

        async def send() -> None:
            writer.write(payload)
            await writer.drain()

        sending = asyncio.create_task(send())
        assert await asyncio.wait_for(reader.readexactly(len(payload)), 60) == payload
        await sending
        assert proxy.refusals.of(f"https://site.test:{port}/") is None


async def test_what_is_not_taken_is_not_fetched(proxy: FilteringProxy) -> None:
    sent = 0

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.transport.set_write_buffer_limits(high=limits.CHUNK)
        while True:
            writer.write(b"x" * limits.CHUNK)
            await writer.drain()
            sent += limits.CHUNK

    async with server(pour) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", proxy.port, limit=1024)
        writer.write(connect_to(f"site.test:{port}").encode())
        before = -1
        while sent == 0 or before != sent:
            before = sent
            await asyncio.sleep(0.3)
        assert sent < 32 * MIB  # what sockets hold, and no more
        writer.close()


async def test_who_goes_away_is_let_go_at_both_ends(proxy: FilteringProxy) -> None:
    ended = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        ended.set()

    async with server(hold) as port:
        async with connected(proxy) as (reader, writer):
            writer.write(connect_to(f"site.test:{port}").encode())
            await reader.readuntil(b"\r\n\r\n")
        await asyncio.wait_for(ended.wait(), 60)
        async with asyncio.timeout(5):
            while proxy.open_connections:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)


async def test_nothing_that_stands_still_is_kept(
    proxy: FilteringProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "IDLE_S", 0.2)
    monkeypatch.setattr(limits, "HEAD_S", 0.2)

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        await reader.read()

    async with server(hold) as port:
        for first in (connect_to(f"site.test:{port}"), get(f"http://site.test:{port}/"), "GET http://si", ""):
            async with connected(proxy) as (reader, writer):
                writer.write(first.encode())
                await asyncio.wait_for(reader.read(), 60)
        assert proxy.open_connections == 0


async def test_connections_are_bounded(names: FixedNames) -> None:
    dialing = CheckedDialing(EgressRules(private_hosts=frozenset({"site.test"})), names)
    async with (
        filtering_proxy(dialing, Terms(connections=2)) as proxy,
        connected(proxy) as (one, _),
        connected(proxy) as (two, _),
    ):
        await until(lambda: proxy.open_connections == 2)
        status, text = await asked(proxy, get("http://site.test/"))
        assert status == 503
        assert "more than 2 connections" in text
        async with AsyncExitStack() as stack:
            more = [await stack.enter_async_context(connected(proxy)) for _ in range(20)]
            await until(lambda: sum(reader.at_eof() for reader, _ in more) >= 16)
            assert proxy.open_connections <= 2 * limits.REFUSED_TIMES
            assert not one.at_eof()
            assert not two.at_eof()


async def test_a_name_is_looked_up_once_and_that_address_is_dialled(
    proxy: FilteringProxy, names: FixedNames
) -> None:
    async with local_server(lambda _: answered(b"Here")) as site:
        names.names["rebind.test"] = ["127.0.0.2"]
        names.asked.clear()
        status, _ = await asked(proxy, connect_to(f"rebind.test:{site.port}"))
        assert status == 502  # 127.0.0.2 is allowed, and nobody listens there
        assert names.asked == ["rebind.test"]
        assert not site.seen
        names.names["rebind.test"] = ["127.0.0.1"]
        assert (await asked(proxy, connect_to(f"rebind.test:{site.port}")))[0] == 403
        assert not site.seen


class _Gate:
    """Lets GET through, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Hop] = []

    async def check(self, hop: Hop, first: RequestTarget) -> None:
        self.asked.append(hop)
        if hop.request.method != "GET":
            raise Rejected(f"{hop.request.method} needs a yes", kind=ErrorKind.APPROVAL_NEEDED)


async def test_each_request_passes_the_gate_before_a_name_is_looked_up_and_is_told_of(
    names: FixedNames,
) -> None:
    gate, told = _Gate(), list[EgressRequest]()
    rules = EgressRules(private_hosts=frozenset({"site.test", "other.test"}))
    async with (
        local_server(lambda _: answered(b"Here")) as site,
        filtering_proxy(CheckedDialing(rules, names), Terms(gate, note=told.append)) as proxy,
    ):
        head = f"POST http://site.test:{site.port}/a?b=secret HTTP/1.1\r\nHost: other.test\r\n"
        status, text = await asked(proxy, f"{head}Content-Length: 4\r\n\r\nbody")
        assert (status, text.endswith("POST needs a yes\n")) == (403, True)
        assert (await asked(proxy, connect_to("site.test:443")))[0] == 403
        assert names.asked == [] == site.seen
        assert (await asked(proxy, connect_to("site.test:6379")))[0] == 403
        assert len(gate.asked) == 2, "nobody is asked about what can't be"
        assert (await asked(proxy, get(site.url("site.test", "/x"), "Cookie: a=b")))[0] == 200
    assert [(one.method, one.host, one.path, one.verdict) for one in told] == [
        ("POST", "site.test", "/a", "asked"),
        ("CONNECT", "site.test", "", "asked"),
        ("CONNECT", "site.test", "", "blocked"),
        ("GET", "site.test", "/x", "sent"),
    ]
    assert (told[-1].status, told[0].bytes_out) == (200, 0)
    assert told[-1].bytes_out == len(site.seen[0])
    assert ("content-length", "4") in gate.asked[0].request.headers
    assert ("cookie", "a=b") in gate.asked[-1].request.headers
    assert "other.test" not in str(gate.asked[0].target)


async def test_bytes_are_bounded_both_ways(names: FixedNames) -> None:
    rules = EgressRules(private_hosts=frozenset({"site.test"}))
    told: list[EgressRequest] = []

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"x" * limits.CHUNK)
            await writer.drain()

    terms = Terms(note=told.append, allowance=Allowance(MIB))
    async with (
        server(pour) as port,
        filtering_proxy(CheckedDialing(rules, names), terms) as proxy,
        connected(proxy) as (reader, writer),
    ):
        writer.write(connect_to(f"site.test:{port}").encode())
        await reader.readuntil(b"\r\n\r\n")
        assert len(await asyncio.wait_for(reader.read(), 60)) <= MIB
        assert (await asked(proxy, get(f"http://site.test:{port}/")))[0] == 403
    assert [one.verdict for one in told] == ["sent", "blocked"]
    assert MIB <= told[0].bytes_in <= MIB + limits.CHUNK


async def test_a_body_that_is_more_than_may_leave_is_refused_though_the_server_says_nothing(
    names: FixedNames,
) -> None:
    rules = EgressRules(private_hosts=frozenset({"site.test"}))
    terms = Terms(allowance=Allowance(MIB))

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(limits.CHUNK):
            pass

    async with (
        server(swallow) as port,
        filtering_proxy(CheckedDialing(rules, names), terms) as proxy,
        connected(proxy) as (reader, writer),
    ):
        head = f"POST http://site.test:{port}/ HTTP/1.1\r\nHost: site.test:{port}\r\n"
        head += f"Content-Length: {2 * MIB}\r\n\r\n"
        writer.write(head.encode() + bytes(2 * MIB))
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        assert answer.startswith(b"HTTP/1.1 403 ")
