"""The agent in a browser: pages, forms, pictures and files through the whole product; what dies is told."""

import os
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psutil
import pytest

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

pytestmark = pytest.mark.browser

HOME = """<title>Tea shop</title><main><h1>Tea shop</h1><p>Tea of this year, and that of the year before, is
sold here by weight, as it has been since the shop was opened.</p></main>
<form action="/search"><label>Find <input name="q"></label><button>Search</button></form>
<a id="list" href="/prices.csv">Price list</a>"""
CSV = "tea,price\nAssam,4.5\n"


class Shop(BaseHTTPRequestHandler):
    """A shop with a search and a price list. It sets a cookie, and says on each page what it was."""

    def do_GET(self) -> None:
        """Answer."""
        path, _, query = self.path.partition("?")
        kind, text = "text/html; charset=utf-8", HOME
        if path == "/search":
            text = f"<title>Found {query.removeprefix('q=')}</title><p id=found>One kind of {query[2:]}.</p>"
        elif path == "/prices.csv":
            kind, text = "text/csv", CSV
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        if kind == "text/csv":
            self.send_header("Content-Disposition", "attachment; filename=prices.csv")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    """Where it answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def pools(shop: str, script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A Foldline of processes with two browser pools, whose browsers may go to the shop."""
    env = script.environment() | {"FOLDLINE_EGRESS_PRIVATE_HOSTS": shop, "FOLDLINE_ACK_WAIT": "5"}
    folder = tmp_path_factory.mktemp("pools")
    with Stack(folder, processes=True, replicas={service_names.BROWSER_POOL: 2}, env=env) as stack:
        yield stack


@pytest.fixture(scope="module")
def door(pools: Stack) -> Iterator[Gateway]:
    with pools.gateway() as opened:
        opened.put("/agents/default/policy", {"preset": "free", "rules": []})  # its code runs in pages, too
        yield opened


class Agent:
    """A session whose model makes just the calls that it is told to."""

    def __init__(self, door: Gateway, model: ModelServer) -> None:
        self.door = door
        self.model = model
        self.session: str | None = None

    def calls(self, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """Make them, one answer each; how each ended."""
        turns = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]
        return self._made([*turns, {"text": "Done."}], len(calls))

    def at_once(self, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """Make them in one answer."""
        together = [{"name": name, "arguments": given} for name, given in calls]
        return self._made([{"tool_calls": together}, {"text": "Done."}], len(calls))

    def call(self, name: str, **given: Any) -> dict[str, Any]:
        """Make one, which must succeed; its result."""
        [ended] = self.calls((name, given))
        assert ended["error"] is None, ended["error"]
        result: dict[str, Any] = ended["result"]
        return result

    def _made(self, turns: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
        self.model.play({"rules": [{"turns": turns}]})
        turn = ChatTurn(self.door, self.session)
        turn.say("go on")
        for _ in turn.pieces():
            pass
        assert turn.answer == "Done."
        self.session = turn.session_id
        made = [call for one in messages(self.door, turn.session_id) for call in one["tool_calls"]]
        return made[-count:]


@pytest.fixture
def agent(door: Gateway, script: ModelServer) -> Agent:
    return Agent(door, script)


def chromiums(stack: Stack) -> list[psutil.Process]:
    """The browsers that run, one for each pool that was used."""
    found = []
    for pid in stack.pids(service_names.BROWSER_POOL):
        for child in psutil.Process(pid).children(recursive=True):
            try:
                words = child.cmdline()
            except psutil.Error:
                continue
            if any("--remote-debugging-pipe" in word for word in words) and "--type=" not in " ".join(words):
                found.append(child)
    return found


def test_an_agent_finds_fills_reads_pictures_and_downloads(agent: Agent, shop: str) -> None:
    found, opened, seen = agent.calls(
        ("find_tools", {"family": "browser"}),
        ("browser_navigate", {"url": f"http://{shop}/"}),
        ("browser_snapshot", {}),
    )
    assert "browser_click" in str(found["result"])
    assert (opened["result"]["title"], opened["result"]["status"]) == ("Tea shop", 200)
    snapshot = seen["result"]["snapshot"]
    agent.call("browser_type", ref=_ref(snapshot, "textbox"), text="Assam")
    assert agent.call("browser_click", ref=_ref(snapshot, 'button "Search"'))["title"] == "Found Assam"
    assert agent.call("browser_extract_text", selector="#found")["text"] == "One kind of Assam."
    back, shot, file = agent.at_once(
        ("browser_back", {}), ("browser_screenshot", {}), ("browser_click", {"selector": "#list"})
    )
    assert back["result"]["title"] == "Tea shop"
    picture, [download] = shot["result"], file["result"]["downloads"]
    assert (picture["path"], picture["width"]) == ("screenshots/page.png", 1280)
    assert "Tea shop" in picture["caption"], "the calls of one answer run in its order"
    assert (download["path"], download["size"]) == ("downloads/prices.csv", len(CSV))
    read = agent.call("file_read_text", path="downloads/prices.csv")
    assert "Assam" in read["text"]
    assert agent.call("browser_close")["was_open"]


@pytest.mark.faults
def test_a_browser_that_is_killed_is_told_and_another_one_works(
    agent: Agent, pools: Stack, shop: str
) -> None:
    agent.call("browser_navigate", url=f"http://{shop}/")
    for chromium in chromiums(pools):
        chromium.send_signal(signal.SIGKILL)
    where = agent.call("browser_current_page")
    assert (where["url"], "Chromium died" in where["context_lost"]) == ("about:blank", True)
    assert "context_lost" not in agent.call("browser_navigate", url=f"http://{shop}/")


@pytest.mark.faults
def test_each_pool_keeps_its_sessions_and_those_of_a_dead_one_go_on_elsewhere(
    door: Gateway, script: ModelServer, pools: Stack, shop: str
) -> None:
    agents: list[Agent] = []
    while len(chromiums(pools)) < 2 or len(agents) < 4:
        assert len(agents) < 16, "one pool gets everything"
        agents.append(Agent(door, script))
        agents[-1].call("browser_navigate", url=f"http://{shop}/search?q={len(agents)}")
    for _ in range(2):
        titles = [agent.call("browser_current_page")["title"] for agent in agents]
        assert titles == [f"Found {number + 1}" for number in range(len(agents))]

    os.kill(pools.pids(service_names.BROWSER_POOL)[0], signal.SIGKILL)
    after = [agent.call("browser_current_page") for agent in agents]
    lost = [one for one in after if "context_lost" in one]
    assert 0 < len(lost) < len(agents), "the other pool's go on"
    assert all("stopped" in one["context_lost"] for one in lost)
    assert all(one["title"] for one in after if one not in lost)


def _ref(snapshot: str, words: str) -> str:
    [line] = [one for one in snapshot.splitlines() if words in one and "[ref=" in one][:1]
    return line.split("[ref=")[1].split("]")[0]


def test_code_drives_the_browser_of_its_session(agent: Agent, shop: str) -> None:
    code = f"""
    await browser.navigate({{ url: 'http://{shop}/' }})
    await browser.type({{ selector: 'input', text: 'Darjeeling', submit: true }})
    return (await browser.extractText({{ selector: '#found' }})).text
    """
    ran = agent.call("run_sandbox_code", code=code)
    assert ran["result"] == "One kind of Darjeeling."
    assert agent.call("browser_current_page")["title"] == "Found Darjeeling"
