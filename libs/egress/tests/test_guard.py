"""Requests go out through the guard, over real sockets."""

import asyncio
import base64
import gzip
import io
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from ipaddress import ip_network
from pathlib import Path

import brotli
import pytest
from backports import zstd

from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from egress.dialing import SystemResolver, allowed_addresses
from egress.fetching import FetchRequest, FetchResponse
from egress.guard import Egress
from egress.placeholders import KnownSecret
from egress.rules import EgressRules
from foldline_testing.egress.certificates import certificate_for
from foldline_testing.egress.web import FixedNames, LocalServer, answered, local_server

MIB = 1024 * 1024
Serve = Callable[[Callable[[str], bytes]], Awaitable[LocalServer]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Starts servers that stop with the test."""
    async with AsyncExitStack() as stack:
        yield lambda answer: stack.enter_async_context(local_server(answer))


@pytest.fixture
def names() -> FixedNames:
    return FixedNames({"a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]})


@pytest.fixture
def egress(names: FixedNames) -> Egress:
    """A guard that lets requests to a.test and b.test reach this machine."""
    return Egress(EgressRules(private_hosts=frozenset({"a.test", "b.test"})), names)


async def refusal(egress: Egress, request: FetchRequest | str) -> Failure:
    with pytest.raises(Failure) as raised:
        await egress.fetch(FetchRequest(request) if isinstance(request, str) else request)
    return raised.value


async def test_an_answer_comes_back_with_its_headers_in_lower_case(serve: Serve, egress: Egress) -> None:
    server = await serve(lambda _: answered(b"hello", "X-One: a", "x-one: b", "Set-Cookie: c=d", status=404))
    answer = await egress.fetch(
        FetchRequest(server.url("A.test.", "/p?q=1"), headers=(("X-Me", "1"), ("Host", "evil")))
    )
    assert (answer.status, answer.body, answer.truncated, answer.ok) == (404, b"hello", False, False)
    assert (answer.headers["x-one"], answer.headers["set-cookie"]) == ("a, b", "c=d")
    (seen,) = server.seen
    assert seen.startswith("GET /p?q=1 HTTP/1.1\r\n")
    assert f"host: a.test:{server.port}\r\n" in seen
    assert "x-me: 1\r\n" in seen
    assert "evil" not in seen


async def test_a_body_is_sent_and_each_method_as_it_was_asked(serve: Serve, egress: Egress) -> None:
    server = await serve(lambda _: answered(b"ok"))
    for method in ("POST", "put", "PATCH", "DELETE"):
        await egress.fetch(FetchRequest(server.url("a.test"), method, body="é".encode()))
    head = await egress.fetch(FetchRequest(server.url("a.test"), "HEAD"))
    assert head.body == b""
    assert [one.split()[0] for one in server.seen] == ["POST", "PUT", "PATCH", "DELETE", "HEAD"]
    assert all(one.encode("latin-1").endswith("\r\n\r\né".encode()) for one in server.seen[:4])


@pytest.mark.parametrize(
    "spelling",
    ["127.0.0.1", "localhost", "0x7f.1", "0177.0.0.1", "2130706433", "0x7f000001", "127.1", "0", "[::1]",
     "[::ffff:127.0.0.1]", "[::]", "localhost.", "[::1%25lo]", "[fe80::1%25lo]", "[::127.0.0.1]",
     "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "@127.0.0.1"],
)  # fmt: skip
async def test_no_spelling_of_this_machine_is_reached(serve: Serve, spelling: str) -> None:
    server = await serve(lambda _: answered(b"secret"))
    failure = await refusal(Egress(EgressRules(), SystemResolver()), server.url(spelling))
    assert failure.kind in ("blocked", "invalid_arguments") or (
        failure.kind == "upstream" and not server.seen
    )
    assert server.seen == []


async def test_a_name_is_resolved_once_and_what_was_judged_is_dialled(serve: Serve) -> None:
    server = await serve(lambda _: answered(b"inside"))

    class Rebinding(FixedNames):
        async def addresses(self, host: str) -> list[str]:
            self.asked.append(host)
            return ["1.1.1.1"] if len(self.asked) == 1 else ["127.0.0.1"]

    names = Rebinding()
    request = FetchRequest(server.url("rebind.test"), timeout_s=0.3)
    assert (await refusal(Egress(EgressRules(), names), request)).kind in ("upstream", "timeout")
    assert (await refusal(Egress(EgressRules(), names), request)).kind == "blocked"
    assert names.asked == ["rebind.test"] * 2
    assert server.seen == []


async def test_of_several_addresses_only_the_allowed_ones_are_dialled(
    serve: Serve, names: FixedNames, egress: Egress
) -> None:
    server = await serve(lambda _: answered(b"ok"))
    names.names |= {"a.test": ["169.254.169.254", "127.0.0.1"], "c.test": ["10.0.0.1", "fe80::1"]}
    assert (await egress.fetch(FetchRequest(server.url("a.test")))).body == b"ok"
    assert (await refusal(egress, "http://c.test/")).kind == "blocked"
    assert (await refusal(egress, "http://unknown.test/")).kind == "upstream"


@pytest.mark.parametrize(
    ("found", "allowed"),
    [
        (["169.254.169.254", "1.1.1.1"], ["1.1.1.1"]),
        (["1.1.1.1", "10.0.0.1", "2.2.2.2", "::1"], ["1.1.1.1", "2.2.2.2"]),
        (["fe80::1", "2606:4700::1111", "::ffff:10.0.0.1"], ["2606:4700::1111"]),
        (["not an address", "1.1.1.1"], ["1.1.1.1"]),
    ],
)
async def test_a_forbidden_address_of_a_name_is_never_among_those_to_dial(
    found: list[str], allowed: list[str]
) -> None:
    names = FixedNames({"mixed.test": found})
    addresses = await allowed_addresses(EgressRules(), names, "mixed.test", 443)
    assert [*map(str, addresses)] == allowed


@pytest.mark.parametrize(
    "location",
    ["http://127.0.0.1:{port}/x", "http://[::1]:{port}/", "http://c.test:{port}/", "//169.254.169.254/latest",
     "file:///etc/passwd", "http://u:p@b.test:{port}/"],
)  # fmt: skip
async def test_each_redirect_is_judged_again(
    serve: Serve, names: FixedNames, egress: Egress, location: str
) -> None:
    names.names["c.test"] = ["127.0.0.1"]
    server = await serve(
        lambda _: answered(b"", f"Location: {location.format(port=server.port)}", status=302)
    )
    assert (await refusal(egress, server.url("a.test"))).kind == "blocked"
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "port", [1, 22, 25, 53, 110, 143, 465, 587, 993, 2049, 3306, 5432, 6000, 6379, 6667, 11211]
)
async def test_nothing_is_sent_to_the_ports_of_other_protocols(
    serve: Serve, egress: Egress, port: int
) -> None:
    names = FixedNames({"public.test": ["1.1.1.1"]})
    for scheme in ("http", "https"):
        failure = await refusal(Egress(EgressRules(), names), f"{scheme}://public.test:{port}/")
        assert failure.kind == "blocked"
        assert f"at port {port} another protocol than HTTP is spoken" in failure.message
    server = await serve(lambda _: answered(b"", f"Location: http://b.test:{port}/", status=302))
    assert "another protocol" in (await refusal(egress, server.url("a.test"))).message


async def test_an_operator_may_name_such_a_port(names: FixedNames) -> None:
    open_to_all, named = frozenset({"a.test"}), frozenset({"a.test:6379"})
    assert (await refusal(Egress(EgressRules(open_to_all), names), "http://a.test:6379/")).kind == "blocked"
    assert (await refusal(Egress(EgressRules(named), names), "http://a.test:6379/")).kind == "upstream"


async def test_credentials_stay_with_their_origin(serve: Serve, egress: Egress) -> None:
    def answer(request: str) -> bytes:
        if request.startswith("POST /first"):
            return answered(b"", "Location: /second", status=307)
        if request.startswith("POST /second"):
            return answered(b"", f"Location: {server.url('b.test', '/third')}", status=307)
        if request.startswith("POST /third"):
            return answered(b"", "Location: /fourth", status=303)
        return answered(b"there")

    server = await serve(answer)
    headers = (
        ("Authorization", "Bearer k"),
        ("Cookie", "s=1"),
        ("X-Api-Key", "k"),
        ("Content-Type", "text/plain"),
    )
    answer_ = await egress.fetch(FetchRequest(server.url("a.test", "/first"), "POST", headers, b"body"))
    assert (answer_.body, answer_.url) == (b"there", server.url("b.test", "/fourth"))
    first, second, third, fourth = server.seen
    for same_origin in (first, second):
        assert all(word in same_origin for word in ("Bearer k", "s=1", "x-api-key: k", "text/plain", "body"))
    assert not any(word in third + fourth for word in ("Bearer", "s=1", "x-api-key"))
    assert "text/plain" in third
    assert third.endswith("body")
    assert fourth.startswith("GET /fourth")
    assert "text/plain" not in fourth


async def test_a_loop_of_redirects_ends(serve: Serve, egress: Egress) -> None:
    server = await serve(lambda _: answered(b"", "Location: /again", status=301))
    assert (await refusal(egress, server.url("a.test"))).kind == "upstream"
    assert len(server.seen) == 6


ENCODED = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=4),
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("encoding", ENCODED)
async def test_compressed_bodies_are_decoded_and_bombs_cut_at_the_limit(
    serve: Serve, egress: Egress, encoding: str
) -> None:
    text = bytes(range(256)) * 1000
    bomb = ENCODED[encoding](b"\0" * (16 * MIB))
    bodies = {
        "/small": ENCODED[encoding](text),
        "/bomb": bomb,
        "/cut": ENCODED[encoding](text)[:-20],
        "/bad": b"\x07no",
    }
    server = await serve(
        lambda request: answered(bodies[request.split()[1]], f"Content-Encoding: {encoding}")
    )
    assert (await egress.fetch(FetchRequest(server.url("a.test", "/small")))).body == text
    large = await egress.fetch(FetchRequest(server.url("a.test", "/bomb"), limit=MIB))
    assert (len(large.body), large.truncated) == (MIB, True)
    for path in ("/cut", "/bad"):
        assert (await refusal(egress, server.url("a.test", path))).kind == "upstream"


async def test_encodings_on_top_of_each_other_and_unknown_ones(serve: Serve, egress: Egress) -> None:
    twice = gzip.compress(gzip.compress(b"\0" * (16 * MIB)))
    heads = {"/twice": "gzip, gzip", "/many": "gzip, gzip, gzip", "/odd": "compress", "/raw": "deflate"}
    server = await serve(
        lambda request: answered(
            zlib.compress(b"raw", wbits=-15) + b"padding" if "/raw" in request else twice,
            f"Content-Encoding: {heads[request.split()[1]]}",
        )
    )
    assert len((await egress.fetch(FetchRequest(server.url("a.test", "/twice"), limit=1000))).body) == 1000
    assert (await egress.fetch(FetchRequest(server.url("a.test", "/raw")))).body == b"raw"
    for path in ("/many", "/odd"):
        assert (await refusal(egress, server.url("a.test", path))).kind == "upstream"


async def test_who_never_answers_is_given_up_and_says_whether_it_may_have_acted(
    serve: Serve, egress: Egress
) -> None:
    server = await serve(lambda _: b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    assert isinstance(await refusal(egress, server.url("a.test")), Transient)
    acted = await refusal(egress, FetchRequest(server.url("a.test"), "POST"))
    assert isinstance(acted, Permanent)
    assert acted.kind == "outcome_unknown"
    nobody = await refusal(egress, FetchRequest("http://a.test:2/", "POST"))
    assert (type(nobody), nobody.kind) == (Transient, "upstream")
    garbage = await serve(lambda _: b"SSH-2.0-x\r\n\r\n")
    assert (await refusal(egress, garbage.url("a.test"))).kind == "upstream"


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (FetchRequest("http://a.test/", "TRACE"), "/method"),
        (FetchRequest("http://a.test/", "CONNECT"), "/method"),
        (FetchRequest("http://a.test/", "GET", body=b"x"), "/body"),
        (FetchRequest("http://a.test/", headers=(("X", "a\r\nHost: b"),)), "/headers/x"),
        (FetchRequest("http://a.test/", headers=(("X Y", "a"),)), "/headers"),
    ],
)
async def test_what_cannot_be_sent_is_refused_before_anything_is(
    egress: Egress, request_: FetchRequest, path: str
) -> None:
    failure = await refusal(egress, request_)
    assert isinstance(failure, Rejected)
    assert (failure.kind, failure.path) == ("invalid_arguments", path)


async def test_over_tls_the_name_is_asked_for_and_must_be_the_certificates(
    names: FixedNames, tmp_path: Path
) -> None:
    served, trusted = certificate_for("a.test", tmp_path)
    asked: list[str] = []
    served.sni_callback = lambda _, name, __: asked.append(name)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answered(b"safe"))
        await writer.drain()
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=served)
    port = server.sockets[0].getsockname()[1]
    egress = Egress(EgressRules(private_hosts=frozenset({"a.test", "b.test"})), names, trusted)
    async with server:
        assert (await egress.fetch(FetchRequest(f"https://a.test:{port}/"))).body == b"safe"
        wrong_name = await refusal(egress, FetchRequest(f"https://b.test:{port}/", "POST"))
    assert (type(wrong_name), wrong_name.kind) == (Transient, "upstream")
    assert "no secure connection" in wrong_name.message
    assert asked == ["a.test", "b.test"]


KEY = KnownSecret("KEY", "canary/+0123456789", ("a.test", "*.c.test"))
MENTION = "{{secret:KEY}}"


@pytest.mark.parametrize(
    "made",
    [
        lambda url: FetchRequest(f"{url}?k=canary/%2B0123456789"),
        lambda url: FetchRequest(url, headers=(("X-Key", KEY.value),)),
        lambda url: FetchRequest(url, headers=((f"x-{KEY.value.encode().hex()}", "1"),)),
        lambda url: FetchRequest(url, "POST", body=KEY.value.encode().hex().encode()),
        lambda url: FetchRequest(
            url,
            headers=(("Authorization", f"Basic {base64.b64encode(b'me:' + KEY.value.encode()).decode()}"),),
        ),
    ],
)
async def test_a_value_that_code_knows_goes_to_its_hosts_alone(
    serve: Serve, egress: Egress, made: Callable[[str], FetchRequest]
) -> None:
    server = await serve(lambda _: answered(b"ok"))
    with pytest.raises(Rejected) as refused:
        await egress.fetch(made(server.url("b.test")), [KEY])
    assert refused.value.kind == "blocked"
    assert "KEY" in refused.value.message
    assert server.seen == []
    assert (await egress.fetch(made(server.url("a.test")), [KEY])).ok


@pytest.mark.parametrize("host", ["{value}.b.test", "{value}.c.test", "x-{value}-y.c.test"])
async def test_no_name_is_resolved_that_holds_a_value(names: FixedNames, egress: Egress, host: str) -> None:
    secret = KnownSecret("KEY", "Canary-0123456789", ("a.test", "*.c.test"))
    with pytest.raises(Rejected) as refused:
        await egress.fetch(FetchRequest(f"http://{host.format(value=secret.value)}/"), [secret])
    assert (refused.value.kind, names.asked) == ("blocked", [])
    assert secret.value.lower() not in refused.value.message.lower()


@pytest.mark.parametrize(
    ("may_have", "host", "allowed"),
    [
        ("example.com", "example.com", True),
        ("example.com", "sub.example.com", False),
        ("example.com", "evil-example.com", False),
        ("example.com", "example.com.evil.org", False),
        ("example.com", "example.co", False),
        ("*.example.com", "a.example.com", True),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "evil-example.com", False),
        ("*.example.com", "a.example.com.evil.org", False),
    ],
)
def test_a_host_is_one_that_may_have_it_by_its_whole_name(may_have: str, host: str, allowed: bool) -> None:
    assert KnownSecret("KEY", "v", (may_have,)).may_go_to(host) is allowed


@pytest.mark.parametrize(
    "location",
    [
        "http://b.test:{port}/?k={value}",
        "http://{value}.b.test:{port}/",
        "{value}://x/",
        "http://{value}:pw@b.test/",
        "http://{value}:99999/",
        "http://[{value}/",
    ],
)
async def test_what_a_server_gives_back_in_a_redirect_is_neither_followed_nor_told(
    serve: Serve, egress: Egress, location: str
) -> None:
    value = "canary0123456789"
    server = await serve(
        lambda _: answered(b"", f"Location: {location.format(port=server.port, value=value)}", status=302)
    )
    with pytest.raises(Failure) as refused:
        await egress.fetch(
            FetchRequest(server.url("a.test"), headers=(("X-Key", MENTION),)),
            [KnownSecret("KEY", value, ("a.test",))],
        )
    assert len(server.seen) == 1
    assert value in server.seen[0]
    assert value[:8] not in refused.value.message


async def test_a_redirect_may_carry_a_value_on_to_where_it_may_be(serve: Serve, egress: Egress) -> None:
    def answer(request: str) -> bytes:
        again = "/two" not in request
        return (
            answered(b"", "Location: /two?k=canary/%2B0123456789", status=302) if again else answered(b"ok")
        )

    server = await serve(answer)
    got = await egress.fetch(FetchRequest(server.url("a.test")), [KEY])
    assert (got.body, got.url) == (b"ok", server.url("a.test", f"/two?k={MENTION}"))


async def test_an_odd_encoding_is_told_without_the_value_in_it(serve: Serve, egress: Egress) -> None:
    value = "canary-" + "0123456789" * 6
    server = await serve(lambda _: answered(b"", f"Content-Encoding: {value}"))
    with pytest.raises(Failure) as refused:
        await egress.fetch(FetchRequest(server.url("a.test")), [KnownSecret("KEY", value, ("a.test",))])
    assert "canary" not in refused.value.message


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"[{KEY.value}]".encode("utf-16"), "text/plain; charset=utf-16"),
        (f"[{KEY.value}]".encode("utf-16-be"), "text/plain; charset=utf-16be"),
        (gzip.compress(KEY.value.encode(), mtime=0), "text/plain"),
        (b"\0\xff" + KEY.value.encode() + b"\xfe", "application/octet-stream"),
    ],
)
async def test_no_answer_holds_it_in_another_charset(
    serve: Serve, egress: Egress, body: bytes, kind: str
) -> None:
    coding = ["Content-Encoding: gzip"] if body.startswith(b"\x1f\x8b") else []
    server = await serve(lambda _: answered(body, f"Content-Type: {kind}", *coding))
    got = await egress.fetch(FetchRequest(server.url("a.test")), [KEY])
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        assert KEY.value.encode(encoding) not in got.body
    assert b"s\0e\0c\0r\0e\0t" in got.body or b"secret:KEY" in got.body


async def test_secrets_go_out_over_https_or_to_a_host_that_the_operator_opened(
    serve: Serve, names: FixedNames
) -> None:
    server = await serve(lambda _: answered(b"", "Location: /again?k=canary/%2B0123456789", status=302))
    by_network = EgressRules(private_networks=(ip_network("127.0.0.0/8"),))
    egress = Egress(by_network, names)
    for made in (
        FetchRequest(server.url("a.test", f"/?k={MENTION}")),
        FetchRequest(server.url("a.test"), headers=(("X-Key", KEY.value),)),
    ):
        with pytest.raises(Rejected, match="https"):
            await egress.fetch(made, [KEY])
    assert server.seen == []
    with pytest.raises(Rejected, match="https"):
        await egress.fetch(FetchRequest(server.url("a.test")), [KEY])
    assert len(server.seen) == 1


async def test_no_proxy_of_the_environment_is_used(
    serve: Serve, egress: Egress, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await serve(lambda _: answered(b"direct"))
    proxy = await serve(lambda _: answered(b"by proxy"))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv(name.lower(), f"http://127.0.0.1:{proxy.port}")
    assert (await egress.fetch(FetchRequest(server.url("a.test")))).body == b"direct"
    assert proxy.seen == []


Send = Callable[[asyncio.StreamWriter], Awaitable[None]]


def endless(head: bytes, piece: bytes) -> Send:
    """What sends a head, and then the same piece for as long as somebody listens."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)

    return send


@asynccontextmanager
async def sending(send: Send) -> AsyncIterator[str]:
    """A server that reads a request's head and leaves the rest to `send`; its URL."""
    handling: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handling.add(task)
        with suppress(ConnectionError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            await send(writer)
        writer.transport.abort()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://a.test:{server.sockets[0].getsockname()[1]}/"
        for task in handling:
            task.cancel()
        await asyncio.gather(*handling)


OK, CHUNKED = b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
EMPTY = gzip.compress(b"", mtime=0)


@pytest.mark.parametrize(
    "send",
    [
        endless(CHUNKED + b"\r\n", b"400\r\n" + b"x" * 1024 + b"\r\n"),
        endless(OK + b"\r\n", b"x" * 1024),
    ],
)
async def test_of_a_body_without_end_the_beginning_is_read(egress: Egress, send: Send) -> None:
    async with sending(send) as url:
        answer = await egress.fetch(FetchRequest(url, limit=64 * 1024))
    assert (len(answer.body), answer.truncated) == (64 * 1024, True)


@pytest.mark.parametrize(
    ("send", "kind"),
    [
        (endless(OK, b"X-Flood: " + b"y" * 1000 + b"\r\n"), "upstream"),
        (endless(OK + b"X-Long: ", b"y" * 1000), "upstream"),
        (endless(CHUNKED + b"\r\n", b"1;" + b"e" * 1000), "upstream"),
        (endless(CHUNKED + b"\r\n0\r\n", b"X-Trailer: " + b"y" * 1000 + b"\r\n"), "upstream"),
        (endless(OK + b"Content-Encoding: gzip\r\n\r\n", EMPTY * 50), "upstream"),
        (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "timeout"),
    ],
)
async def test_an_answer_without_end_is_given_up(egress: Egress, send: Send, kind: str) -> None:
    async with sending(send) as url:
        limit = 30.0 if kind == "upstream" else 0.5
        assert (await refusal(egress, FetchRequest(url, limit=64 * 1024, timeout_s=limit))).kind == kind


async def test_a_body_goes_into_a_file_as_it_comes_without_secrets_and_only_of_a_success(
    serve: Serve, egress: Egress
) -> None:
    body = b"x" * 70_000 + KEY.value.encode() + b"y" * 70_000
    answers = {
        "/whole": answered(body),
        "/packed": answered(gzip.compress(body, mtime=0), "Content-Encoding: gzip"),
        "/moved": answered(b"over there", "Location: /whole", status=302),
        "/gone": answered(b"nothing here", status=404),
        "/cut": answered(gzip.compress(body, mtime=0)[:-9], "Content-Encoding: gzip"),
    }
    server = await serve(lambda request: answers[request.split()[1]])

    async def fetched(page: str, limit: int = 1_000_000) -> tuple[FetchResponse, bytes]:
        with io.BytesIO() as into:
            request = FetchRequest(server.url("a.test", page), limit=limit, into=into)
            return await egress.fetch(request, [KEY]), into.getvalue()

    clean = body.replace(KEY.value.encode(), MENTION.encode())
    for page in ("/whole", "/packed", "/moved"):
        answer, written = await fetched(page)
        assert (written, answer.body, answer.truncated) == (clean, b"", False)
    answer, written = await fetched("/whole", 70_007)
    assert (written, answer.truncated) == (b"x" * 70_000, True)
    answer, written = await fetched("/gone")
    assert (answer.body, written) == (b"nothing here", b"")
    with pytest.raises(Transient, match="breaks off"):
        await fetched("/cut")
