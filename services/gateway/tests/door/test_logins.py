"""Browsers that log in: each by a session of its own, which ends; and how often one may be wrong."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest
from starlette.datastructures import Headers

from agent_contracts.log.subjects import LOGINS_BUCKET
from agent_platform.log.jetstream import JetStreamLog
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.gateway.running import TOKEN, RunningGateway, Start
from gateway.door.guesses import IN_ALL, MINUTE_S, PER_ADDRESS, Guesses
from gateway.door.proxies import hides_addresses
from gateway.http.wire.problems import ProblemError


def browser_of(gateway: RunningGateway, name: str = "Firefox") -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=gateway.url, headers={"User-Agent": name}, verify=NO_TLS, timeout=60)


async def test_each_browser_is_listed_and_one_can_be_logged_out(start: Start) -> None:
    gateway = await start()
    async with browser_of(gateway, "Firefox") as one, browser_of(gateway, "Chrome") as other:
        for browser in (one, other):
            assert (await browser.post("/login", data={"token": TOKEN})).status_code == 303
            assert (await browser.get("/api/v1/agents")).status_code == 200
        logins = (await gateway.client.get("/api/v1/logins")).json()["items"]
        assert [login["browser"] for login in logins] == ["Chrome", "Firefox"], "the newest first"
        [chrome] = [login for login in logins if login["browser"] == "Chrome"]
        assert chrome["created_at"] < chrome["ends_at"]
        ended = await gateway.client.delete(f"/api/v1/logins/{chrome['id']}")
        assert ended.json() == {"revoked": 1}
        assert (await other.get("/api/v1/agents")).status_code == 401
        assert (await one.get("/api/v1/agents")).status_code == 200
        assert (await gateway.client.delete(f"/api/v1/logins/{chrome['id']}")).status_code == 404
        assert (await gateway.client.delete("/api/v1/logins")).json() == {"revoked": 1}
        assert (await one.get("/api/v1/agents")).status_code == 401


async def test_another_gateway_lets_it_in_too_and_another_token_nobody(start: Start) -> None:
    first, second = await start(), await start()
    changed = await start(token="another-token-for-tests")
    async with browser_of(first) as browser:
        cookie = (await browser.post("/login", data={"token": TOKEN})).headers["set-cookie"]
    secret = cookie.partition("=")[2].partition(";")[0]
    for gateway, status in ((second, 200), (changed, 401)):
        port = gateway.url.rpartition(":")[2]
        async with browser_of(gateway) as browser:
            answer = await browser.get("/api/v1/agents", headers={"Cookie": f"foldline_{port}={secret}"})
            assert answer.status_code == status
    stored = [m async for m in JetStreamLog(first.connection, stream=f"KV_{LOGINS_BUCKET}").read(">")]
    assert not any(secret in message.subject or secret.encode() in message.data for message in stored)
    assert not any(TOKEN.encode() in message.data for message in stored)


async def test_what_a_browser_watches_ends_with_its_login(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = await start()
    session = await gateway.new_session()
    async with browser_of(gateway) as browser:
        await browser.post("/login", data={"token": TOKEN})
        path = f"/api/v1/events?session_id={session}"
        async with browser.stream("GET", path) as answer:
            lines = answer.aiter_lines()
            await anext(lines)
            await gateway.client.delete("/api/v1/logins")
            await gateway.client.post(f"/api/v1/sessions/{session}/messages", json={"text": "secret"})
            async with asyncio.timeout(60):
                assert "secret" not in "".join([line async for line in lines])


def guess(number: int) -> str:
    return f"guess-{number:040d}"


def bearer(value: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {value}"}


async def _login_form(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.post("/login", data={"token": guess(number)})


async def _login_link(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.get("/login", params={"token": guess(number)})


async def _api(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.get("/api/v1/agents", headers=bearer(guess(number)))


async def _live_events(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.get("/api/v1/events", headers=bearer(guess(number)))


async def _metrics(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.get("/metrics", headers=bearer(guess(number)))


async def _cookie(client: httpx.AsyncClient, number: int) -> httpx.Response:
    cookie = f"foldline_{client.base_url.port}={guess(number)}"
    return await client.get("/api/v1/agents", headers={"Cookie": cookie})


async def _wake(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.post("/api/v1/wakes", headers=bearer(f"wk_service_{guess(number)}"), json={})


async def _inbox(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.post("/api/v1/inbox", headers=bearer(f"wk_service_{guess(number)}"), json={})


async def _mcp(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.post("/mcp", headers=bearer(f"pt_program_{guess(number)}"), json={})


async def _any_at_mcp(client: httpx.AsyncClient, number: int) -> httpx.Response:
    return await client.post("/mcp", headers=bearer(guess(number)), json={})


DOORS = (
    *(_login_form, _login_link, _api, _live_events, _metrics, _cookie),
    *(_wake, _inbox, _mcp, _any_at_mcp),
)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__.strip("_"))
async def test_wrong_credentials_count_at_every_door_and_right_ones_pass(
    gateway: RunningGateway, door: Callable[[httpx.AsyncClient, int], Awaitable[httpx.Response]]
) -> None:
    async with browser_of(gateway) as stranger:
        for number in range(PER_ADDRESS):
            wrong = await door(stranger, number)
            assert wrong.status_code < 429, wrong.text
            assert wrong.status_code >= 400
        for refused_at in (door, _api):
            answer = await refused_at(stranger, PER_ADDRESS)
            assert answer.status_code == 429, answer.text
        assert answer.json()["kind"] == "too_many_attempts"
        assert 0 < int(answer.headers["retry-after"]) <= MINUTE_S
        assert (await stranger.post("/login", data={"token": TOKEN})).status_code == 303
        assert (await stranger.get("/api/v1/agents")).status_code == 200, "by the cookie"
        page = await stranger.get("/", headers={"Accept": "text/html", "Cookie": f"x={guess(1)}"})
        assert page.status_code != 429
    assert (await gateway.client.get("/api/v1/agents")).status_code == 200, "by the token"


async def test_other_right_credentials_pass_as_well(gateway: RunningGateway) -> None:
    agent = (await gateway.client.post("/api/v1/agents", json={"name": "A"})).json()["id"]
    body = {"name": "reader", "agent_id": agent, "rights": ["read"]}
    mcp = (await gateway.client.post("/api/v1/program-tokens", json=body)).json()["token"]
    async with browser_of(gateway) as stranger:
        for number in range(PER_ADDRESS + 1):
            last = await _api(stranger, number)
        assert last.status_code == 429
        accept = {"Accept": "application/json, text/event-stream"}
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert (await stranger.post("/mcp", headers=bearer(mcp) | accept, json=ping)).status_code == 200


@pytest.mark.parametrize(
    ("headers", "address", "hides"),
    [
        ({"host": "localhost:8420"}, "127.0.0.1", False),
        ({"host": "[::1]:8420"}, "::1", False),
        ({"host": "example.org"}, "10.0.0.1", False),
        ({"host": "example.org"}, "127.0.0.1", True),
        ({"host": "example.org", "x-forwarded-for": "198.51.100.7"}, "198.51.100.7", False),
        ({"host": "example.org", "x-forwarded-for": "198.51.100.7, 10.0.0.2"}, "198.51.100.7", False),
        ({"host": "example.org", "x-forwarded-for": "198.51.100.7"}, "172.18.0.2", True),
        ({"host": "localhost", "via": "1.1 proxy"}, "127.0.0.1", True),
        ({"host": "localhost", "x-forwarded-proto": "https"}, "127.0.0.1", True),
        ({"host": "example.org", "x-real-ip": "198.51.100.7"}, "172.18.0.2", True),
        ({"host": "example.org", "forwarded": "for=198.51.100.7"}, "172.18.0.2", True),
    ],
)
def test_a_proxy_that_hides_who_asks_is_noticed(headers: dict[str, str], address: str, hides: bool) -> None:
    assert hides_addresses(Headers(headers), address) is hides


async def test_it_is_warned_about_once(gateway: RunningGateway, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        await gateway.client.get("/api/v1/agents", headers={"X-Forwarded-Proto": "https"})
    assert capsys.readouterr().out.count("door.proxy_hides_addresses") == 1


async def test_a_name_that_is_not_served_is_told_as_that_and_not_as_a_proxy(
    gateway: RunningGateway, capsys: pytest.CaptureFixture[str]
) -> None:
    for host in ("foldline.example.org", "foldline.example.org", "other.example.org"):
        answer = await gateway.client.get("/api/v1/agents", headers={"Host": host})
        assert answer.status_code == 403
    said = capsys.readouterr().out
    assert (said.count("door.host_refused"), "FOLDLINE_ALLOWED_HOSTS" in said) == (2, True)
    assert "door.proxy_hides_addresses" not in said
    await gateway.client.get("/api/v1/agents", headers={"X-Forwarded-Proto": "https"})
    assert "door.proxy_hides_addresses" in capsys.readouterr().out, "the proxy is still told"


async def test_names_that_somebody_makes_up_dont_fill_the_log(
    gateway: RunningGateway, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(40):
        await gateway.client.get("/api/v1/agents", headers={"Host": f"n{number}.example.org"})
    assert capsys.readouterr().out.count("door.host_refused") == 20


async def test_an_old_token_sent_again_and_again_locks_nobody_out(gateway: RunningGateway) -> None:
    async with browser_of(gateway) as stale:
        for _ in range(3 * PER_ADDRESS):
            answer = await stale.get("/api/v1/agents", headers={"Authorization": "Bearer yesterdays-token"})
            assert answer.status_code == 401
    assert (await gateway.client.get("/api/v1/agents")).status_code == 200


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def refused(guesses: Guesses, address: str) -> bool:
    try:
        guesses.check(address)
    except ProblemError:
        return True
    return False


def test_after_a_minute_one_may_try_again() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    for number in range(PER_ADDRESS):
        guesses.wrong("10.0.0.1", str(number))
    assert refused(guesses, "10.0.0.1")
    assert not refused(guesses, "10.0.0.2")
    clock.now = MINUTE_S
    assert not refused(guesses, "10.0.0.1")


def test_many_addresses_together_are_bound_but_for_those_who_were_right_before() -> None:
    guesses = Guesses(Clock())
    guesses.right("10.0.0.1")
    for number in range(IN_ALL):
        guesses.wrong(f"192.168.{number // 250}.{number % 250}", "x")
    assert refused(guesses, "10.0.0.2")
    assert not refused(guesses, "10.0.0.1")


def test_one_network_of_ipv6_counts_as_one_address() -> None:
    guesses = Guesses(Clock())
    for number in range(PER_ADDRESS):
        guesses.wrong(f"2001:db8::{number}", str(number))
    assert refused(guesses, "2001:db8::ffff")
    assert not refused(guesses, "2001:db8:1::1")


@pytest.mark.parametrize(("scheme", "secure"), [("https", True), ("http", False)])
async def test_a_cookie_of_https_is_never_sent_in_the_clear(start: Start, scheme: str, secure: bool) -> None:
    gateway = await start()
    headers = {"X-Forwarded-Proto": scheme}
    async with browser_of(gateway) as browser:
        for login in (
            await browser.post("/login", data={"token": TOKEN}, headers=headers),
            await browser.get("/login", params={"token": TOKEN}, headers=headers),
        ):
            assert login.status_code == 303
            assert ("; secure" in login.headers["set-cookie"].lower()) is secure
