"""Twenty sessions with pages and cookies of their own at two browser pools, of which things die."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psutil
import pytest

from agent_contracts import service_names
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.approving import until
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.faults, pytest.mark.timeout(300)]

SESSIONS = 20
EACH = 12
"""Contexts of a pool: one alone has no room for all."""
WHO = "[document.cookie, location.pathname]"


class Page(BaseHTTPRequestHandler):
    """Any path is a page."""

    def do_GET(self) -> None:
        """Answer."""
        body = b"<title>Page</title><p>Here.</p>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
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
def stack(place: str, script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    env = {
        **script.environment(),
        "FOLDLINE_EGRESS_PRIVATE_HOSTS": place,
        "FOLDLINE_ACK_WAIT": "5",
        "FOLDLINE_BROWSER_CONTEXTS": str(EACH),
    }
    folder = tmp_path_factory.mktemp("pools")
    with Stack(folder, processes=True, replicas={service_names.BROWSER_POOL: 2}, env=env) as stack:
        yield stack


class Crowd:
    """Sessions that each make the same calls, at the same time."""

    def __init__(self, stack: Stack, model: ModelServer) -> None:
        self._stack = stack
        self._model = model
        self.sessions: list[str | None] = [None] * SESSIONS

    def trust(self) -> None:
        """What they do is allowed, as a person says beforehand."""
        with self._stack.gateway() as door:
            until(lambda: "browser_navigate" in str(door.get("/runners")["offers"]))
            door.put("/agents/default/policy", {"preset": "free", "rules": []})

    def call(self, tool: str, **given: Any) -> list[dict[str, Any]]:
        """One call of each session; how they ended, in the sessions' order."""
        turns = [{"tool_calls": [{"name": tool, "arguments": given}]}, {"text": "Done."}]
        self._model.play({"rules": [{"turns": turns}]})
        with ThreadPoolExecutor(SESSIONS) as threads:
            return list(threads.map(self._one, range(SESSIONS)))

    def _one(self, number: int) -> dict[str, Any]:
        with self._stack.gateway() as door:
            turn = ChatTurn(door, self.sessions[number])
            turn.say("go on")
            for _ in turn.pieces():
                pass
            assert turn.answer == "Done."
            self.sessions[number] = turn.session_id
            made = [call for one in messages(door, turn.session_id) for call in one["tool_calls"]]
        ended: dict[str, Any] = made[-1]
        return ended


def browsers(stack: Stack) -> dict[int, list[psutil.Process]]:
    """By pool, the processes of its Chromium, the first of which the others descend from."""
    found = {}
    for pid in stack.pids(service_names.BROWSER_POOL):
        mine = []
        for child in psutil.Process(pid).children(recursive=True):
            try:
                words = " ".join(child.cmdline())
            except psutil.Error:
                continue
            if "--remote-debugging-pipe" in words or "--type=" in words:
                mine.append(child)
        if mine:
            found[pid] = sorted(mine, key=lambda one: "--type=" in " ".join(one.cmdline()))
    return found


def pages(stack: Stack) -> int:
    """How many processes of pages there are."""
    return sum(
        "--type=renderer" in " ".join(one.cmdline()) for all in browsers(stack).values() for one in all
    )


def test_each_session_keeps_its_context_and_a_death_costs_those_it_held_alone(
    stack: Stack, script: ModelServer, place: str
) -> None:
    crowd = Crowd(stack, script)
    crowd.trust()
    opened = crowd.call("browser_navigate", url=f"http://{place}/")
    assert [one["error"] for one in opened] == [None] * SESSIONS
    marked = crowd.call(
        "browser_evaluate",
        code=f"document.cookie = 'who=' + crypto.getRandomValues(new Uint32Array(1))[0];"
        f" history.pushState(0, '', '/' + document.cookie.slice(4)); return {WHO}",
    )
    whose = [one["result"]["result"] for one in marked]
    assert len({tuple(one) for one in whose}) == SESSIONS, "each has one of its own"
    by_pool = [one.get("runner") for one in marked]
    pools = {pool: by_pool.count(pool) for pool in set(by_pool)}
    assert len(pools) == 2, pools
    assert max(pools.values()) <= EACH, "who came when one was full got a place at the other"
    seen = [one["result"]["result"] for one in crowd.call("browser_evaluate", code=WHO)]
    assert seen == whose, "and keeps it"

    victim, survivor = browsers(stack)
    os.kill(victim, signal.SIGKILL)
    after = crowd.call("browser_evaluate", code=WHO)
    lost = {n for n, one in enumerate(after) if "context_lost" in str(one)}
    assert lost
    refused = {n: one["error"] for n, one in enumerate(after) if one["error"] and n not in lost}
    assert refused == {}, "who lost a place gets one, at the latest when the dead pool is back"
    assert len({by_pool[n] for n in lost}) == 1, "those of the dead pool, and no other's"
    assert {n for n in range(SESSIONS) if by_pool[n] == by_pool[min(lost)]} == lost
    for number in set(range(SESSIONS)) - lost:
        assert after[number]["result"]["result"] == whose[number], "the others noticed nothing"

    kept = set(range(SESSIONS)) - lost
    again = crowd.call("browser_evaluate", code=WHO)
    assert not [one for one in again if "context_lost" in str(one)], "it is told once"
    holders = [one["runner"] for one in again]
    of_survivor = {n for n in range(SESSIONS) if holders[n] == holders[min(kept)]}
    os.kill(browsers(stack)[survivor][0].pid, signal.SIGKILL)
    last = crowd.call("browser_evaluate", code=WHO)
    told = {n for n, one in enumerate(last) if "Chromium died" in str(one)}
    assert told == of_survivor, {n: str(last[n])[:500] for n in told ^ of_survivor}
    cut_off = {n for n, one in enumerate(last) if one["error"] and one["error"]["kind"] == "outcome_unknown"}
    assert cut_off <= of_survivor, "code that Chromium died under isn't run twice: it failed, and says why"
    whole = crowd.call("browser_evaluate", code="1")
    assert [one["error"] for one in whole] == [None] * SESSIONS, "and the next call has a browser"
    twice = {n for n, one in enumerate(whole) if "context_lost" in str(one)}
    assert twice == cut_off, "it is told with the first result, once"

    busy = sum(one.memory_info().rss for all in browsers(stack).values() for one in all)
    assert pages(stack) >= SESSIONS
    closed = crowd.call("browser_close")
    without = [n for n, one in enumerate(closed) if not one["result"]["was_open"]]
    assert not without, {n: str(whole[n])[:500] for n in without}
    until(lambda: pages(stack) <= 2 * len(browsers(stack)))
    idle = sum(one.memory_info().rss for all in browsers(stack).values() for one in all)
    assert idle < busy / 2, (busy >> 20, idle >> 20)
