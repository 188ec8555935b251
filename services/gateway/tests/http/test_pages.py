"""The web UI: served as it was built, or a page that says how to build it."""

import base64
import hashlib
from pathlib import Path

import httpx
import pytest

from foldline_testing.gateway.running import TOKEN, Start

FRAME_SCRIPT = "run(1 < 2)"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def built(folder: Path) -> Path:
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>shell</title>")
    (folder / "assets" / "app-1a2b.js").write_text("console.log(1)")
    (folder / "page-frame.html").write_text(f"<script type=module>{FRAME_SCRIPT}</script><main></main>")
    (folder / "favicon.svg").write_text("<svg/>")
    (folder.parent / "secret").write_text("secret")
    return folder


async def test_the_shell_is_served_for_every_page_of_the_ui(start: Start, tmp_path: Path) -> None:
    gateway = await start(ui_folder=built(tmp_path / "dist"))
    for path in ("/", "/s/s_01abc", "/settings/tools", "/index.html"):
        answer = await gateway.client.get(path)
        assert (answer.status_code, "shell" in answer.text) == (200, True), path
        assert answer.headers["cache-control"] == "no-store"
        assert "unsafe-inline" not in answer.headers["content-security-policy"]


async def test_built_files_are_kept_by_the_browser(start: Start, tmp_path: Path) -> None:
    gateway = await start(ui_folder=built(tmp_path / "dist"))
    answer = await gateway.client.get("/assets/app-1a2b.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert (await gateway.client.get("/favicon.svg")).headers["content-type"] == "image/svg+xml"


async def test_what_is_not_there_is_a_problem_not_the_shell(start: Start, tmp_path: Path) -> None:
    gateway = await start(ui_folder=built(tmp_path / "dist"))
    for path in ("/assets/app-old.js", "/robots.txt", "/api/v1/nothing", "/api/v2"):
        answer = await gateway.client.get(path)
        assert (answer.status_code, answer.json()["kind"]) == (404, "not_found"), path


PROGRAMS = ("/v1", "/ag-ui", "/a2a", "/mcp", "/.well-known", "/api", "/docs")


@pytest.mark.parametrize("built_ui", [True, False])
async def test_where_programs_ask_there_is_no_page(start: Start, tmp_path: Path, built_ui: bool) -> None:
    gateway = await start(ui_folder=built(tmp_path / "dist") if built_ui else None)
    below = [
        f"{root}{rest}" for root in PROGRAMS for rest in ("", "/", "/x", "/x/y") if root + rest != "/mcp"
    ]
    for path in below:
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
            answer = await gateway.client.request(method, path, headers={"Accept": "text/html, */*"})
            assert answer.status_code == 404, (method, path)
            assert answer.headers["content-type"] == "application/problem+json"
    answer = await gateway.client.post("/v1/chat/completions", json={"messages": []})
    assert (answer.status_code, answer.json()["kind"]) == (404, "not_found")
    answer = await gateway.client.post("/some/page", json={})
    assert (answer.status_code, answer.json()["kind"]) == (404, "not_found")
    answer = await gateway.client.patch("/api/v1/sessions", json={})
    assert (answer.status_code, answer.json()["kind"]) == (405, "method_not_allowed")


async def test_nothing_outside_the_folder_is_served(start: Start, tmp_path: Path) -> None:
    gateway = await start(ui_folder=built(tmp_path / "dist"))
    for path in ("/..%2fsecret", "/%2e%2e/secret", "/assets/..%2f..%2fsecret", "/x%00y.js", "//secret"):
        request = httpx.Request(
            "GET", httpx.URL(gateway.url).copy_with(raw_path=path.encode()), headers=BEARER
        )
        answer = await gateway.client.send(request)
        assert answer.status_code < 500
        assert "secret" not in answer.text.replace("/secret", "").replace("2fsecret", "")


async def test_without_a_built_ui_a_page_says_how_to_build_it(start: Start) -> None:
    gateway = await start(ui_folder=None)
    answer = await gateway.client.get("/", headers={"Accept": "text/html"})
    assert (answer.status_code, "make up" in answer.text) == (404, True)
    answer = await gateway.client.get("/", headers={"Accept": "application/json"})
    assert answer.json()["kind"] == "not_found"
    answer = await gateway.client.get("/api/v1/nothing", headers={"Accept": "text/html"})
    assert answer.json()["kind"] == "not_found"


async def test_the_frame_of_agents_pages_runs_one_script_and_fetches_nothing(
    start: Start, tmp_path: Path
) -> None:
    gateway = await start(ui_folder=built(tmp_path / "dist"))
    answer = await gateway.client.get("/page-frame.html")
    rules = [rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; ")]
    policy = {name: " ".join(words) for name, *words in rules}
    digest = base64.b64encode(hashlib.sha256(FRAME_SCRIPT.encode()).digest()).decode()
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'sha256-{digest}' 'unsafe-eval'"
    assert policy["sandbox"] == "allow-scripts"
    assert policy["frame-ancestors"] == "'self'"
    assert "'self'" not in " ".join(words for name, words in policy.items() if name != "frame-ancestors")
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    again = await gateway.client.get("/page-frame.html", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.headers["content-security-policy"]) == (
        304,
        answer.headers["content-security-policy"],
    )
    shell = (await gateway.client.get("/")).headers
    assert "frame-src 'self'" in shell["content-security-policy"]
    assert "unsafe" not in shell["content-security-policy"]


async def test_the_frame_is_behind_the_door(start: Start, tmp_path: Path) -> None:
    gateway = await start(ui_folder=built(tmp_path / "dist"))
    async with httpx.AsyncClient(base_url=gateway.url) as stranger:
        assert (await stranger.get("/page-frame.html")).status_code == 401
