"""Logins at foreign servers by HTTP: who may begin one, and what a person sees who comes back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import msgspec
import pytest
from nats.aio.msg import Msg

from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.mcp_logins import (
    MCP_LOGIN,
    BeginLogin,
    EndLogin,
    FinishLogin,
    LoginQuestion,
    LoginStep,
    login_name,
)
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.gateway.running import AGENT, RunningGateway, Start
from gateway.operations.agents import ended_logins

SERVER = f"/api/v1/agents/{AGENT}/mcp-servers/far"
FAR = {"transport": {"kind": "http", "url": "https://mcp.example.org/mcp"}}
CALLBACK = "/mcp-login/callback"


@asynccontextmanager
async def answering(gateway: RunningGateway, step: LoginStep) -> AsyncIterator[list[LoginQuestion]]:
    """A host that answers so."""
    asked: list[LoginQuestion] = []

    async def answer(message: Msg) -> None:
        asked.append(msgspec.json.decode(message.data, type=LoginQuestion))
        await gateway.connection.publish(message.reply, msgspec.json.encode(step))

    subscription = await gateway.connection.subscribe(query_subject(MCP_LOGIN), answer)
    yield asked
    await gateway.connection.drain(subscription)


@pytest.fixture
async def gateway(start: Start) -> RunningGateway:
    running = await start()
    await running.agents.make_default()
    assert (await running.client.put(SERVER, json=FAR)).status_code == 200
    return running


async def stranger(gateway: RunningGateway, path: str, **params: str) -> httpx.Response:
    """A browser that another site sent, so without a cookie."""
    headers = {"Sec-Fetch-Site": "cross-site", "Accept": "text/html"}
    async with httpx.AsyncClient(base_url=gateway.url, verify=NO_TLS, headers=headers) as browser:
        return await browser.get(path, params=params)


async def test_only_who_has_the_token_begins_one_and_comes_back_to_where_they_were(
    gateway: RunningGateway,
) -> None:
    async with answering(
        gateway, LoginStep(AGENT, "far", "https://login.example/?a=b", "https://login.example")
    ) as asked:
        assert (await stranger(gateway, f"{SERVER}:log-in")).status_code == 401
        async with httpx.AsyncClient(base_url=gateway.url, verify=NO_TLS) as nobody:
            assert (await nobody.post(f"{SERVER}:log-in")).status_code == 401
        begun = await gateway.client.post(f"{SERVER}:log-in")
        assert begun.json() == {"url": "https://login.example/?a=b", "issuer": "https://login.example"}
        assert asked == [BeginLogin(AGENT, "far", f"{gateway.url}{CALLBACK}")]
        missing = await gateway.client.post(f"{SERVER}x:log-in")
        assert (missing.status_code, missing.json()["kind"]) == (404, "not_found")


async def test_a_public_address_is_where_one_comes_back_to_and_says_who_we_are(start: Start) -> None:
    running = await start(told={"public_url": "https://foldline.example.org/"})
    await running.agents.make_default()
    await running.client.put(SERVER, json=FAR)
    async with answering(running, LoginStep(AGENT, "far", "https://login.example/")) as asked:
        await running.client.post(f"{SERVER}:log-in")
    client = "https://foldline.example.org/mcp-login/client.json"
    back = f"https://foldline.example.org{CALLBACK}"
    assert asked == [BeginLogin(AGENT, "far", back, client)]
    told = (await stranger(running, "/mcp-login/client.json")).json()
    assert (told["client_id"], told["redirect_uris"]) == (client, [back])
    assert told["token_endpoint_auth_method"] == "none"


async def test_without_a_public_address_nobody_is_told_who_we_are(gateway: RunningGateway) -> None:
    assert (await stranger(gateway, "/mcp-login/client.json")).status_code == 404


async def test_a_person_comes_back_without_a_cookie_and_sees_that_it_went_well(
    gateway: RunningGateway,
) -> None:
    async with answering(gateway, LoginStep(AGENT, "far", issuer="https://login.example")) as asked:
        page = await stranger(gateway, CALLBACK, state="s", code="c", iss="https://login.example")
    assert asked == [FinishLogin("s", "c", "", "https://login.example")]
    assert page.status_code == 200
    assert "You are logged in" in page.text
    assert "script-src" not in page.headers["content-security-policy"]
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"


async def test_what_went_wrong_is_shown_and_nothing_of_it_is_a_page_of_somebody_else(
    gateway: RunningGateway,
) -> None:
    wrong = LoginStep(problem="<script>alert(1)</script> refused", kind="invalid_request")
    async with answering(gateway, wrong) as asked:
        page = await stranger(gateway, CALLBACK, state="s", error="<b>" * 1000)
        assert (page.status_code, "<script>" in page.text) == (422, False)
        assert "You are not logged in" in page.text
        assert len(asked[0].error) == 100 if isinstance(asked[0], FinishLogin) else False
        for name in ("state", "code", "iss"):
            long = await stranger(gateway, CALLBACK, **{"state": "s", name: "x" * 9000})
            assert long.status_code == 422
        assert len(asked) == 1, "what is too long is not handed on"


async def test_whoever_guesses_states_is_not_heard_for_a_while(gateway: RunningGateway) -> None:
    async with answering(gateway, LoginStep(problem="over", kind="not_found")) as asked:
        codes = [
            (await stranger(gateway, CALLBACK, state=f"guess-{number}")).status_code for number in range(12)
        ]
    assert codes == [404] * 10 + [429] * 2
    assert len(asked) == 12, "a right state is heard whoever guessed before"


async def test_logging_out_is_handed_on(gateway: RunningGateway) -> None:
    async with answering(gateway, LoginStep(AGENT, "far")) as asked:
        assert (await gateway.client.post(f"{SERVER}:log-out")).json() == {"name": "far"}
    assert asked == [EndLogin(AGENT, "far")]


@pytest.mark.parametrize("step", [LoginStep(AGENT, "far"), LoginStep(problem="gone", kind="not_found")])
async def test_a_server_that_is_deleted_takes_its_login_along_which_is_revoked(
    gateway: RunningGateway, step: LoginStep
) -> None:
    for name in ("far", "farther"):
        await gateway.vault.put(AGENT, login_name(name), "a login")
    async with answering(gateway, step) as asked:
        assert (await gateway.client.delete(SERVER)).status_code == 200
        assert (await gateway.client.delete(SERVER)).status_code == 200, "there is no login then"
    assert asked == [EndLogin(AGENT, "far")]
    assert await gateway.vault.find(AGENT, login_name("far")) is None
    assert await gateway.vault.find(AGENT, login_name("farther")) is not None
    assert (await gateway.client.get(SERVER)).status_code == 404


@pytest.mark.parametrize("host", ["silent", "away"])
async def test_a_host_that_does_not_answer_keeps_nothing_from_being_deleted(
    gateway: RunningGateway, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ended_logins, "REVOKES_S", 0.5)
    await gateway.vault.put(AGENT, login_name("far"), "a login")
    heard: list[Msg] = []

    async def hear(message: Msg) -> None:
        heard.append(message)

    if host == "silent":
        await gateway.connection.subscribe(query_subject(MCP_LOGIN), hear)
    async with asyncio.timeout(20):
        assert (await gateway.client.delete(SERVER)).status_code == 200
    assert len(heard) == (1 if host == "silent" else 0)
    assert await gateway.vault.find(AGENT, login_name("far")) is None
    assert (await gateway.client.get(SERVER)).status_code == 404


async def test_an_agent_that_is_deleted_takes_its_logins_along_and_no_other_agents(
    gateway: RunningGateway,
) -> None:
    made = (await gateway.client.post("/api/v1/agents", json={"name": "Other"})).json()["id"]
    for agent in (made, AGENT):
        await gateway.vault.put(agent, login_name("far"), "a login")
    async with answering(gateway, LoginStep(made, "far")) as asked:
        assert (await gateway.client.delete(f"/api/v1/agents/{made}")).status_code == 200
    assert asked == [EndLogin(made, "far")]
    assert await gateway.vault.find(made, login_name("far")) is None
    assert await gateway.vault.find(AGENT, login_name("far")) is not None


async def test_a_host_that_is_away_is_told_and_nothing_waits_for_ever(gateway: RunningGateway) -> None:
    async with asyncio.timeout(20):
        page = await stranger(gateway, CALLBACK, state="s", code="c")
    assert page.status_code == 503
    assert "No host of MCP servers" in page.text
    assert "Reload this page" in page.text
