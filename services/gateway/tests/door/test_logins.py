"""Browsers that log in: each by a session of its own, which ends; and how often one may be wrong."""

import asyncio

import httpx
import pytest

from agent_contracts.log.subjects import LOGINS_BUCKET
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.testing.http import NO_TLS
from gateway.door.guesses import IN_ALL, MINUTE_S, PER_ADDRESS, Guesses
from gateway.http.wire.problems import ProblemError
from gateway.testing.running import TOKEN, RunningGateway, Start


def browser_of(gateway: RunningGateway, name: str = "Firefox") -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=gateway.url, headers={"User-Agent": name}, verify=NO_TLS, timeout=60)


async def test_each_browser_is_listed_and_one_can_be_logged_out(start: Start) -> None:
    gateway = await start()
    async with browser_of(gateway, "Firefox") as one, browser_of(gateway, "Chrome") as other:
        for browser in (one, other):
            assert (await browser.post("/login", data={"token": TOKEN})).status_code == 303
            assert (await browser.get("/api/v1/agents")).status_code == 200
        logins = (await gateway.client.get("/api/v1/logins")).json()["logins"]
        assert {login["browser"] for login in logins} == {"Firefox", "Chrome"}
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


async def test_whoever_guesses_is_not_heard_for_a_while_and_others_are(gateway: RunningGateway) -> None:
    logged_in = browser_of(gateway)
    await logged_in.post("/login", data={"token": TOKEN})
    async with browser_of(gateway) as stranger:
        for number in range(PER_ADDRESS):
            wrong = await stranger.post("/login", data={"token": f"guess-{number}"})
            assert wrong.status_code == 401
        for answer in (
            await stranger.post("/login", data={"token": TOKEN}),
            await stranger.get("/login", params={"token": TOKEN}),
            await stranger.get("/api/v1/agents", headers={"Authorization": "Bearer another-guess"}),
        ):
            assert (answer.status_code, answer.json()["kind"]) == (429, "too_many_attempts")
            assert 0 < int(answer.headers["retry-after"]) <= MINUTE_S
    assert (await logged_in.get("/api/v1/agents")).status_code == 200
    await logged_in.aclose()


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
