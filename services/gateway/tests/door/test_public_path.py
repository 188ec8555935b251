"""Behind a reverse proxy that has put the gateway below a path."""

import re
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.gateway.proxy import below
from foldline_testing.gateway.running import TOKEN, Start
from gateway.http.wire.public_path import root_from

PREFIX = "/tools/foldline"
PROXIES = [
    pytest.param({"strips": True, "says": True}, id="strips it and says so"),
    pytest.param({"strips": True, "says": False}, id="strips it and says nothing"),
    pytest.param({"strips": False, "says": False}, id="leaves it"),
]


@pytest.mark.parametrize("proxy", PROXIES)
async def test_logging_in_stays_below_the_path(start: Start, tmp_path: Path, proxy: dict[str, bool]) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>shell</title>")
    gateway = await start(ui_folder=tmp_path, public_path=f"{PREFIX}/")
    with below(gateway.url, PREFIX, **proxy) as home:
        async with httpx.AsyncClient(
            verify=NO_TLS, timeout=60, headers={"Accept": "text/html"}, follow_redirects=True
        ) as browser:
            for address in ("", "login", "some/page"):
                page = await browser.get(home + address)
                assert page.status_code == 401
                [action] = re.findall('action="([^"]*)"', page.text)
                assert urljoin(str(page.url), action) == f"{home}login"
            shown = await browser.post(f"{home}login", data={"token": TOKEN})
            assert (str(shown.url), shown.status_code, "shell" in shown.text) == (home, 200, True)
            [login] = shown.history
            path = f"{PREFIX}/" if proxy["says"] or not proxy["strips"] else "/"
            assert f"; Path={path};" in login.headers["set-cookie"]
            made = await browser.post(f"{home}api/v1/sessions", json={})
            assert made.status_code == 201
            if path != "/":
                assert made.headers["location"] == f"{path}api/v1/sessions/{made.json()['id']}"
            named = await browser.put(f"{home}api/v1/agents/default/state/a%2Fb", json={"value": 1})
            assert named.status_code == 200, named.text


async def test_the_paths_own_address_leads_below_it(start: Start) -> None:
    gateway = await start(public_path=PREFIX)
    answer = await gateway.client.get(PREFIX)
    assert (answer.status_code, answer.headers["location"]) == (308, f"{PREFIX}/")


@pytest.mark.parametrize(
    "prefix", ["//evil.example", "https://evil.example", "/a b", "/x\ty", "relative", "/.."]
)
async def test_what_is_no_path_is_not_believed(start: Start, prefix: str) -> None:
    gateway = await start()
    answer = await gateway.client.post("/api/v1/sessions", json={}, headers={"X-Forwarded-Prefix": prefix})
    assert answer.headers["location"].startswith("/api/v1/sessions/")


@pytest.mark.parametrize(
    ("path", "wanted"), [("/", "./"), ("/login", "./"), ("/a/b", "../"), ("/a/b/c", "../../")]
)
def test_the_way_to_the_root_is_relative(path: str, wanted: str) -> None:
    assert root_from({"path": path}) == wanted
    assert urljoin(f"http://host/below{path}", wanted) == "http://host/below/"
