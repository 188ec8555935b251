"""What people ask of an agent on ordinary days: under *balanced*, they are asked for a yes six times in all.

The workflows are in `workflows/ordinary.yaml`; all of them are played at once, on one Foldline.
"""

import io
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from PIL import Image

from foldline.cli.client import Gateway
from foldline_testing.product.begun_browser import begin_browser, browser_rule
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack
from foldline_testing.product.told_calls import turns_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

TEXT = (Path(__file__).parent / "workflows" / "ordinary.yaml").read_text()
MOST_ASKED = 6
ANSWERS = {"approval": {"decision": "session"}, "render_blocks": {"action": "dismiss"}}
"""What a person answers, by what is shown; a question is answered with a word."""
TEA = """<title>Tea prices</title><main><h1>Tea prices</h1><p>The prices of tea are published each month, and
Darjeeling costs more than Assam this time.
<a href="/green.html">Green tea</a> is cheaper.</p>
<p>The figures are from <a href="OTHER/sources.html">our sources</a>; for programs there is
<a href="/tea.csv">WEB/tea.csv</a>.</p>
</main>"""
GREEN = """<title>Green tea</title><main><h1>Green tea</h1><p>Green tea is brewed at 70 degrees for two
minutes, and it has been grown on hills for as long as anybody can remember.</p></main>"""
SOURCES = """<title>Sources</title><main><h1>Sources</h1><p>All of these figures are collected by the tea
board each month: <a href="OTHER/figures.json">OTHER/figures.json</a> has them for programs.</p></main>"""
SHOP = """<title>Shop</title><main><h1>Shop</h1><form action="/found.html"><input name="q"></form></main>"""
FOUND = """<title>Found</title><main><p>One kind of tea: <a href="/green.html">Green tea</a></p></main>"""
LETTER = "From: shop@tea.example\nSubject: New\n\nHave a look at our page on green tea.\n"


class Site(BaseHTTPRequestHandler):
    """Both hosts: pages, an API in pages, a weather service, a search service."""

    homes: tuple[str, str] = ("", "")

    def do_GET(self) -> None:
        """Answer."""
        web, other = self.homes
        at = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(at.query).items()}
        kind, text = self.answer(at.path, asked)
        body = text.replace("WEB", web).replace("OTHER", other).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_POST(self) -> None:
        """Take what is sent."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    do_HEAD = do_GET

    def answer(self, path: str, asked: dict[str, str]) -> tuple[str, str]:
        """Type and text."""
        pages = {
            "/tea.html": TEA,
            "/green.html": GREEN,
            "/sources.html": SOURCES,
            "/shop.html": SHOP,
            "/found.html": FOUND,
        }
        if path in pages:
            return "text/html; charset=utf-8", pages[path]
        if path == "/tea.csv":
            return "text/csv", "tea,price\nAssam,4.5\nDarjeeling,6\n"
        return "application/json", json.dumps(self.data(path, asked))

    def data(self, path: str, asked: dict[str, str]) -> Any:
        """What an API says."""
        match path:
            case "/api/teas":
                page = int(asked.get("page", 1))
                teas = [{"tea": "Assam", "price": 4.5}, {"tea": "Darjeeling", "price": 6}]
                return {"teas": teas, "next": f"WEB/api/teas?page={page + 1}" if page < 3 else None}
            case "/api/orders":
                return {"orders": list(range(20)), "total": 60}
            case "/search":
                found = {"Tea prices": "WEB/tea.html", "Sources": "OTHER/sources.html"}
                return {"results": [{"title": a, "url": b, "content": "About tea"} for a, b in found.items()]}
            case _:
                return {"asked": asked, "ok": True}

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def homes() -> Iterator[tuple[str, str]]:
    """The two hosts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        port = server.server_address[1]
        Site.homes = (f"http://127.0.0.1:{port}", f"http://localhost:{port}")
        yield Site.homes
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def workflows(homes: tuple[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(TEXT.replace("WEB", homes[0]).replace("OTHER", homes[1]))
    return found


def script(workflows: list[dict[str, Any]]) -> dict[str, Any]:
    rules: list[dict[str, Any]] = []
    for number, workflow in enumerate(workflows):
        for turn, said in enumerate(workflow["says"]):
            [steps] = said.values()
            rules.append({"when": {"user_contains": f"(#{number}.{turn})"}, "turns": turns_of(steps)})
        for text, steps in workflow.get("also", {}).items():
            rules.append({"when": {"user_contains": text}, "turns": turns_of(steps)})
    return {"rules": [*rules, browser_rule(f"{Site.homes[0]}/tea.html"), {"reply": {"text": "Fine."}}]}


@pytest.fixture(scope="module")
def door(
    homes: tuple[str, str], workflows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gateway]:
    """The gateway of a Foldline as it is by default, which may reach these hosts."""
    hosts = [home.removeprefix("http://") for home in homes]
    with ModelServer(script(workflows)) as model:
        own = {"FOLDLINE_EGRESS_PRIVATE_HOSTS": ",".join(hosts), "FOLDLINE_SEARXNG_URL": homes[0]}
        env = model.environment() | own
        with Stack(tmp_path_factory.mktemp("ordinary"), env=env) as stack:
            with stack.gateway() as door:
                picture = io.BytesIO()
                Image.new("RGB", (4, 4), "red").save(picture, "PNG")
                sent = {"sales.csv": b"month,sum\nMay,30\n", "letter.eml": LETTER.encode()}
                files = {**sent, "dot.png": picture.getvalue()}
                door.send_files(
                    [(name, io.BytesIO(data)) for name, data in files.items()], {"scope": "agent"}
                )
                begin_browser(door)
                yield door
            every_session_replays(stack)


class Played:
    """One workflow: what a person was asked, and which calls failed."""

    def __init__(self, door: Gateway, number: int, workflow: dict[str, Any]) -> None:
        self.name = workflow["it"]
        self.may_ask = workflow.get("asks", 0)
        self.asked: list[str] = []
        self.failed: list[str] = []
        self.made = 0
        self._door = door
        self._planned = sum(
            len(step) if isinstance(step, list) else 1
            for said in workflow["says"]
            for step in next(iter(said.values()))
        )
        self._play(number, workflow)

    def _play(self, number: int, workflow: dict[str, Any]) -> None:
        session = ""
        for turn, said in enumerate(workflow["says"]):
            text = f"{next(iter(said))} (#{number}.{turn})"
            if session:
                self._door.post(f"/sessions/{session}/messages", {"text": text})
            else:
                session = self._door.post("/sessions", {"message": text})["id"]
            self._wait(session, turn + 1)
        messages = self._door.get(f"/sessions/{session}/state")["messages"]
        calls = [call for message in messages for call in message["tool_calls"]]
        self.made = len(calls)
        failed = [call for call in calls if call["error"] and call["error"]["kind"] != "approval_needed"]
        self.failed = [f"{call['tool']}: {call['error']}" for call in failed]
        if self.made < self._planned and not any(call["tool"] == "end_task" for call in calls):
            self.failed.append(f"only {self.made} of {self._planned} calls were made")

    def _wait(self, session: str, turns: int) -> None:
        """Until the turn is over; a person who is asked says yes for the session."""
        deadline = time.monotonic() + 120
        while True:
            state = self._door.get(f"/sessions/{session}/state")
            ended = [one for one in state["messages"] if one["role"] == "assistant" and not one["tool_calls"]]
            if state["status"] == "idle" and len(ended) >= turns:
                return
            for call in state["open_calls"] if state["status"] == "waiting_for_input" else ():
                self._answer(session, call)
            assert time.monotonic() < deadline, f"{self.name}: {state['status']}"
            time.sleep(0.1)

    def _answer(self, session: str, call: dict[str, Any]) -> None:
        kind = str(call["show"]["kind"])
        if kind == "wait_for_sessions":
            return
        if kind == "approval":
            self.asked.append(f"{call['tool']}: {call['show']['rule']}")
        answer = {"call_id": call["call_id"], "response": ANSWERS.get(kind, {"answer": "Two"})}
        self._door.post(f"/sessions/{session}/tool-responses", answer, f"yes-{call['call_id']}")


@pytest.fixture(scope="module")
def played(door: Gateway, workflows: list[dict[str, Any]]) -> list[Played]:
    with ThreadPoolExecutor(12) as pool:
        return list(pool.map(lambda one: Played(door, *one), enumerate(workflows)))


def test_sixty_ordinary_workflows_do_what_was_asked(played: list[Played]) -> None:
    assert len(played) >= 60
    assert {one.name: one.failed for one in played if one.failed} == {}


def test_they_ask_for_six_approvals_at_most(played: list[Played], door: Gateway) -> None:
    asked = {one.name: one.asked for one in played if one.asked}
    assert {name: len(texts) for name, texts in asked.items()} == {
        one.name: one.may_ask for one in played if one.may_ask
    }, asked
    assert sum(len(one.asked) for one in played) <= MOST_ASKED
    assert door.get("/approvals")["items"] == [], "nor is anybody asked elsewhere"


def test_what_nobody_was_there_for_went_on_all_the_same(played: list[Played], door: Gateway) -> None:
    deadline = time.monotonic() + 60
    while True:
        sessions = door.get("/sessions", limit=200)["items"]
        scheduled = [one for one in sessions if one["title"] == "Prices"]
        if scheduled and all(one["status"] == "idle" for one in scheduled):
            break
        assert time.monotonic() < deadline, scheduled
        time.sleep(0.2)
    state = door.get(f"/sessions/{scheduled[0]['id']}/state")
    calls = [call["tool"] for message in state["messages"] for call in message["tool_calls"]]
    assert calls == ["web_read", "set_state"]
    assert door.get("/approvals")["items"] == []
