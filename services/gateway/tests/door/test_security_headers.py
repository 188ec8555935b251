"""What each kind of page may do, as a whole: a rule that goes missing is noticed."""

import base64
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from foldline_testing.gateway.running import Start
from gateway.door import told_page
from gateway.http.pages import app_frame

OWN = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "frame-src": "'self'",
    "manifest-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
LOGIN = {
    "default-src": "'none'",
    "script-src": "'none'",
    "style-src": "(a hash)",
    "img-src": "data:",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
TOLD = {
    "default-src": "'none'",
    "style-src": "(a hash)",
    "img-src": "data:",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
PAGE_FRAME = {
    "default-src": "'none'",
    "script-src": "(a hash) 'unsafe-eval'",
    "style-src": "'unsafe-inline'",
    "img-src": "data: blob:",
    "font-src": "data:",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'self'",
    "sandbox": "allow-scripts",
}
APP_FRAME = {
    "default-src": "'none'",
    "script-src": "'unsafe-inline'",
    "style-src": "'unsafe-inline'",
    "img-src": "data: blob:",
    "media-src": "data: blob:",
    "font-src": "data:",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'self'",
    "sandbox": "allow-scripts",
}
REST = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""What every answer says besides; pages that differ are listed where they are asked for."""

CALLBACK = "/mcp-login/callback"


def policy(headers: Mapping[str, str]) -> dict[str, str]:
    """The whole policy; what a hash is of is looked at elsewhere."""
    said = {name.lower(): value for name, value in headers.items()}["content-security-policy"]
    rules = [rule.partition(" ") for rule in re.sub(r"'sha256-[^']+'", "(a hash)", said).split("; ")]
    assert len({name for name, _, _ in rules}) == len(rules), "no rule twice: browsers take the first"
    return {name: words for name, _, words in rules}


def rest(headers: httpx.Headers) -> dict[str, str | None]:
    return {name: headers.get(name) for name in REST}


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>shell</title>")
    (tmp_path / "assets/app.js").write_text("1")
    (tmp_path / "page-frame.html").write_text("<script type=module>run()</script><main></main>")
    return tmp_path


async def test_each_kind_of_page_has_its_whole_policy(start: Start, dist: Path) -> None:
    gateway = await start(ui_folder=dist)
    same = {"x-frame-options": "SAMEORIGIN"}
    for path, wanted, differs in (
        ("/", OWN, {}),
        ("/s/s_1", OWN, {}),
        ("/assets/app.js", OWN, {}),
        ("/healthz", OWN, {}),
        ("/api/v1/sessions/s_x", OWN, {}),
        ("/api/v1/nothing", OWN, {}),
        ("/login", LOGIN, {"referrer-policy": "same-origin"}),
        ("/page-frame.html", PAGE_FRAME, same),
    ):
        answer = await gateway.client.get(path)
        assert policy(answer.headers) == wanted, path
        assert rest(answer.headers) == REST | differs, path
    frame = (await gateway.client.get("/page-frame.html")).headers["content-security-policy"]
    assert f"'sha256-{base64.b64encode(hashlib.sha256(b'run()').digest()).decode()}'" in frame


async def test_pages_for_people_without_a_login_have_theirs(start: Start) -> None:
    gateway = await start()
    async with httpx.AsyncClient(base_url=gateway.url) as stranger:
        for path, wanted in (("/login", LOGIN), (CALLBACK, TOLD), ("/api/v1/sessions", OWN)):
            answer = await stranger.get(path)
            assert policy(answer.headers) == wanted, path


def test_what_agents_and_strangers_made_has_its_whole_policy() -> None:
    assert policy(app_frame.HEADERS) == APP_FRAME
    assert policy(told_page.response("t", "b", 200).headers) == TOLD
