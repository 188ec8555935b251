"""Who may come in."""

import asyncio
import stat
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from agent_contracts.errors import Rejected
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.gateway.running import TOKEN, RunningGateway, Start
from gateway.door.auth import access
from gateway.door.serving_options import stored_token, the_token
from gateway.settings import GatewaySettings

BEARER = {"Authorization": f"Bearer {TOKEN}"}


def stranger(gateway: RunningGateway, **headers: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=gateway.url, headers=headers, verify=NO_TLS)


def kind_of(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return answer.status_code, answer.json()["kind"]


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "Bearer",
        "Bearer wrong",
        f"Bearer {TOKEN}x",
        f"Basic {TOKEN}",
        TOKEN,
        "Bearer \xff\xfe",
    ],
)
async def test_without_the_token_there_is_no_answer(
    gateway: RunningGateway, authorization: str | None
) -> None:
    headers = {} if authorization is None else {b"Authorization": authorization.encode("latin-1")}
    async with httpx.AsyncClient(base_url=gateway.url, verify=NO_TLS) as client:
        for method, path in [
            ("GET", "/api/v1/sessions"),
            ("POST", "/api/v1/sessions"),
            ("GET", "/api/v1/events"),
            ("GET", "/api/openapi.json"),
            ("GET", "/metrics"),
            ("GET", "/"),
            ("GET", "/assets/app.js"),
            ("GET", "/nothing"),
        ]:
            answer = await client.request(method, path, headers=headers)
            assert kind_of(answer) == (401, "unauthorized"), path
            assert answer.headers["www-authenticate"] == "Bearer"
    assert await gateway.log.last_sequence() == 0


async def test_probes_need_no_token_and_no_known_host(gateway: RunningGateway) -> None:
    async with stranger(gateway, Host="10.1.2.3") as client:
        for path in ("/healthz", "/readyz"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["status"]) == (200, "ok")


async def test_a_large_body_without_a_token_gets_its_401(gateway: RunningGateway) -> None:
    async with stranger(gateway) as client:
        answer = await client.post("/api/v1/sessions", json={"message": "x" * 10_000_000})
    assert kind_of(answer) == (401, "unauthorized")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost@evil",
        "[::1",
        "a]b",
        "localhost:x",
    ],
)
async def test_a_foreign_host_is_refused_even_with_the_token(gateway: RunningGateway, host: str) -> None:
    async with stranger(gateway, Host=host, **BEARER) as client:
        assert kind_of(await client.get("/api/v1/sessions")) == (403, "forbidden_host")
        assert kind_of(await client.get("/login", params={"token": TOKEN})) == (403, "forbidden_host")


async def test_names_of_this_machine_and_configured_ones_are_served(start: Start) -> None:
    gateway = await start(allowed_hosts=("Foldline.Home",))
    for host in ("localhost", "LOCALHOST:8420", "127.0.0.1:1", "[::1]:8420", "foldline.home:443"):
        async with stranger(gateway, Host=host, **BEARER) as client:
            assert (await client.get("/api/openapi.json")).status_code == 200, host


FOREIGN = ["http://evil.example", "null", "http://localhost:3000", "file://", "http://127.0.0.1", "x", "é"]


@pytest.mark.parametrize("origin", FOREIGN)
async def test_pages_of_other_origins_can_neither_write_nor_listen(
    gateway: RunningGateway, origin: str
) -> None:
    async with httpx.AsyncClient(base_url=gateway.url, headers=BEARER, verify=NO_TLS) as client:
        sent = {b"Origin": origin.encode()}
        answer = await client.post("/api/v1/sessions", json={}, headers=sent)
        assert kind_of(answer) == (403, "forbidden_origin")
        assert kind_of(await client.get("/api/v1/events", headers=sent)) == (403, "forbidden_origin")
    assert await gateway.log.last_sequence() == 0


async def test_our_own_pages_can_write(gateway: RunningGateway) -> None:
    answer = await gateway.client.post("/api/v1/sessions", json={}, headers={"Origin": gateway.url})
    assert answer.status_code == 201


async def test_a_foreign_page_that_hides_its_origin_is_seen_by_its_fetch_site(
    gateway: RunningGateway,
) -> None:
    for site, status in [("cross-site", 403), ("same-site", 403), ("same-origin", 201), ("none", 201)]:
        answer = await gateway.client.post("/api/v1/sessions", json={}, headers={"Sec-Fetch-Site": site})
        assert answer.status_code == status


async def test_the_link_logs_a_browser_in_for_good(gateway: RunningGateway) -> None:
    async with stranger(gateway) as browser:
        answer = await browser.get("/login", params={"token": TOKEN})
        assert (answer.status_code, answer.headers["location"]) == (303, "./")
        cookie = answer.headers["set-cookie"]
        port = urlsplit(gateway.url).port
        assert cookie.startswith(f"foldline_{port}=")
        for attribute in ("httponly", "samesite=strict", "path=/", "max-age="):
            assert attribute in cookie.lower()
        assert TOKEN not in cookie
        assert answer.headers["cache-control"] == "no-store"
        assert (await browser.post("/api/v1/sessions", json={})).status_code == 201
        foreign = {"Origin": "http://evil.example"}
        assert kind_of(await browser.post("/api/v1/sessions", json={}, headers=foreign)) == (
            403,
            "forbidden_origin",
        )


async def test_the_form_logs_in_and_a_wrong_token_asks_again(gateway: RunningGateway) -> None:
    async with stranger(gateway) as browser:
        page = await browser.get("/login")
        assert (page.status_code, "<form" in page.text) == (401, True)
        for wrong in ("", "wrong", "\x00", "é"):
            answer = await browser.post("/login", data={"token": wrong})
            assert (answer.status_code, "not the token" in answer.text) == (401, True)
            assert "set-cookie" not in answer.headers
        assert (await browser.get("/login", params={"token": "wrong"})).status_code == 401
        assert (await browser.post("/login", data={"token": TOKEN})).status_code == 303
        assert (await browser.get("/api/openapi.json")).status_code == 200


async def test_a_made_up_cookie_opens_nothing(gateway: RunningGateway) -> None:
    port = urlsplit(gateway.url).port
    for value in ("", "x", TOKEN, '\\"', "a=b=c"):
        async with stranger(gateway, Cookie=f"other=1; foldline_{port}={value}; ;;") as client:
            assert kind_of(await client.get("/api/v1/sessions")) == (401, "unauthorized")


async def test_a_browser_without_a_token_sees_the_login_page(gateway: RunningGateway) -> None:
    async with stranger(gateway, Accept="text/html,*/*") as browser:
        answer = await browser.get("/s/some-session")
        assert (answer.status_code, "<form" in answer.text) == (401, True)
        assert "<code>foldline token rotate</code> printed a new link" in answer.text
        assert kind_of(await browser.get("/api/v1/sessions")) == (401, "unauthorized")


async def test_no_answer_lets_a_browser_run_what_is_not_ours(gateway: RunningGateway) -> None:
    for path in ("/", "/login", "/api/v1/sessions/s_x", "/healthz"):
        headers = (await gateway.client.get(path)).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert ("script-src 'none'" if path == "/login" else "script-src 'self'") in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == ("same-origin" if path == "/login" else "no-referrer")
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers


async def test_with_the_token_disabled_this_machine_needs_none(start: Start) -> None:
    gateway = await start(token=None)
    async with stranger(gateway) as client:
        assert (await client.post("/api/v1/sessions", json={})).status_code == 201
        foreign = {"Origin": "http://evil.example"}
        assert kind_of(await client.post("/api/v1/sessions", json={}, headers=foreign)) == (
            403,
            "forbidden_origin",
        )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_an_open_door_beyond_this_machine_is_refused(host: str) -> None:
    with pytest.raises(Rejected, match="FOLDLINE_TOKEN"):
        access(None, host, [])


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_an_open_door_on_this_machine_is_allowed(host: str) -> None:
    assert access(None, host, []).accepts_token("")


@pytest.mark.parametrize("token", ["", "short", "fifteen-letters"])
def test_a_token_that_could_be_guessed_is_refused(tmp_path: Path, token: str) -> None:
    with pytest.raises(ValidationError, match=f"it has {len(token)} characters"):
        GatewaySettings(data_dir=tmp_path, token=SecretStr(token))


async def test_all_who_start_at_once_agree_on_the_token(tmp_path: Path) -> None:
    path = tmp_path / "data" / "token"
    tokens = await asyncio.gather(*(asyncio.to_thread(stored_token, path) for _ in range(8)))
    assert len(set(tokens)) == 1
    assert len(tokens[0]) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["token"]


def test_the_configured_token_counts_and_off_is_none(tmp_path: Path) -> None:
    assert (
        the_token(GatewaySettings(data_dir=tmp_path, token=SecretStr("a-configured-token")))
        == "a-configured-token"
    )
    assert the_token(GatewaySettings(data_dir=tmp_path, token=SecretStr("off"))) is None
    made = the_token(GatewaySettings(data_dir=tmp_path))
    assert made == the_token(GatewaySettings(data_dir=tmp_path))
