"""Requests through proxies, over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from agent_contracts.errors import Permanent, Rejected, Transient
from egress.fetching import FetchRequest
from egress.guard import Egress
from egress.proxies.clients import async_gateway_client, gateway_client, outward_client
from egress.proxies.proxies import proxies_from
from egress.rules import EgressRules
from foldline_testing.egress.socks import socks_proxy
from foldline_testing.egress.web import FixedNames, LocalServer, answered, local_server


@pytest.fixture
async def server() -> AsyncIterator[LocalServer]:
    async with local_server(lambda _: answered(b"hello")) as local:
        yield local


@asynccontextmanager
async def no_proxy_at_all(*, answers: bool) -> AsyncIterator[int]:
    """The port of something that refuses every request, or says nothing."""
    under_way: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        under_way.add(task)
        if answers:
            writer.write(answered(b"no", status=501))
        with suppress(ConnectionError):
            while await reader.read(4096) and not answers:
                pass
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*under_way)


async def test_a_plain_address_is_asked_for_at_the_proxy(server: LocalServer) -> None:
    proxies = proxies_from({"HTTP_PROXY": f"me:secret@127.0.0.1:{server.port}"})
    async with outward_client(proxies, 5) as client:
        answer = await client.get("http://models.example.com/v1/models")
        assert answer.text == "hello"
    assert server.seen[0].startswith("GET http://models.example.com/v1/models HTTP/1.1")
    assert "proxy-authorization: basic" in server.seen[0].lower()


@pytest.mark.parametrize("form", ["socks5://{}", "socks://{}", "socks5h://{}"])
async def test_socks_gets_the_name(server: LocalServer, form: str) -> None:
    async with socks_proxy(server.port) as (address, asked):
        proxies = proxies_from({"ALL_PROXY": form.format(address)})
        async with outward_client(proxies, 5) as client:
            assert (await client.get("http://models.example.com/x")).text == "hello"
    assert asked == ["models.example.com"]


@pytest.mark.parametrize("password", ["secret", "wrong"])
async def test_socks_may_want_a_password(server: LocalServer, password: str) -> None:
    async with socks_proxy(server.port, "me") as (address, _):
        proxies = proxies_from({"ALL_PROXY": f"socks5://me:{password}@{address}"})
        async with outward_client(proxies, 5) as client:
            if password == "secret":
                assert (await client.get("http://models.example.com/x")).text == "hello"
                return
            with pytest.raises(httpx.ProxyError, match=r"which ALL_PROXY names.*(?i:password)"):
                await client.get("http://models.example.com/x")


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("http://127.0.0.1:{}", True),
        ("socks5://127.0.0.1:{}", True),
        ("socks5://127.0.0.1:{}", False),
        ("http://127.0.0.1:1", True),
        ("socks5://127.0.0.1:1", True),
    ],
)
async def test_a_proxy_that_gives_no_connection_is_named_with_its_variable(value: str, answers: bool) -> None:
    async with no_proxy_at_all(answers=answers) as port:
        proxies = proxies_from({"ALL_PROXY": value.format(port)})
        async with outward_client(proxies, httpx.Timeout(1)) as client:
            with pytest.raises(httpx.ProxyError, match="which ALL_PROXY names, gave no connection") as raised:
                await client.get("https://models.example.com/v1/models")
    assert "127.0.0.1" in str(raised.value)


async def test_this_machine_and_the_gateway_are_asked_directly(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "[::1]")
    url = f"http://127.0.0.1:{server.port}"
    async with outward_client(proxies_from({"ALL_PROXY": "http://127.0.0.1:1"}), 5) as client:
        assert (await client.get(url)).text == "hello"
    async with async_gateway_client(url, {}, 5) as client:
        assert (await client.get("/readyz")).text == "hello"
    gateway_client(url, {}, 5).close()


def egress_through(proxy: str, names: FixedNames | None = None) -> Egress:
    return Egress(EgressRules(), names or FixedNames(), proxies=proxies_from({"ALL_PROXY": proxy}))


async def test_what_passes_the_guard_goes_through_the_proxy_too(server: LocalServer) -> None:
    egress = egress_through(f"http://127.0.0.1:{server.port}")
    answer = await egress.fetch(FetchRequest("http://hooks.example.com/x", method="POST", body=b"{}"))
    assert answer.body == b"hello"
    assert server.seen[0].startswith("POST http://hooks.example.com:80/x HTTP/1.1")


async def test_the_guard_keeps_its_rules_before_a_proxy(server: LocalServer) -> None:
    names = FixedNames({"inside.example.com": ["10.0.0.1"]})
    egress = egress_through(f"http://127.0.0.1:{server.port}", names)
    for url in ("http://inside.example.com", "http://169.254.169.254", "http://192.168.0.1"):
        with pytest.raises(Rejected, match="may not be reached"):
            await egress.fetch(FetchRequest(url))
    assert server.seen == []


async def test_a_message_that_no_proxy_took_may_be_sent_again() -> None:
    async with no_proxy_at_all(answers=True) as port:
        for kind in ("http", "socks5"):
            egress = egress_through(f"{kind}://127.0.0.1:{port}")
            with pytest.raises(Transient) as raised:
                await egress.fetch(FetchRequest("https://hooks.example.com/x", method="POST", body=b"{}"))
            assert "the proxy" in raised.value.message
            assert not isinstance(raised.value, Permanent)
