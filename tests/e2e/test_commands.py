"""Commands on a real Foldline: asked for, allowed by a person, run, rewound; a host that is killed."""

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline_testing.product.approving import allowed, last_call, standing, text_of, until
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack
from workspace_host.isolation.isolation import isolation_here

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]


def _runs(said: str, command: str) -> dict[str, Any]:
    call = {"name": "run_command", "arguments": {"command": command}}
    return {"when": {"user_contains": said}, "turns": [{"tool_calls": [call]}, {"text": "Done."}]}


class Shop(ThreadingHTTPServer):
    """Where commands go shopping: what was ordered."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Counter)
        self.orders: list[str] = []


class Counter(BaseHTTPRequestHandler):
    """Serves it."""

    def do_POST(self) -> None:
        """An order."""
        assert isinstance(self.server, Shop)
        self.server.orders.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"Thanks")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


_LONG = f"500.{os.getpid()}"
"""Seconds to sleep that no other run of tests on this machine looks for."""
PYTHON = "import urllib.request as r; print(r.urlopen('http://localhost:%d/tea', b'one pot').read().decode())"
SCRIPT: dict[str, Any] = {
    "rules": [
        _runs("make it", "echo one > made.txt; echo begun"),
        _runs("go on", "cat made.txt; echo two >> made.txt"),
        _runs("wait long", f"echo begun > begun.txt; sleep {_LONG}"),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def script(shop: Shop) -> Iterator[ModelServer]:
    order = f'no_proxy= python3 -c "{PYTHON % shop.server_address[1]}"'
    with ModelServer({"rules": [_runs("order tea", order), *SCRIPT["rules"]]}) as model:
        yield model


@pytest.fixture(scope="module")
def stack(script: ModelServer, shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    env = script.environment() | {"FOLDLINE_EGRESS_PRIVATE_HOSTS": f"localhost:{shop.server_address[1]}"}
    with Stack(tmp_path_factory.mktemp("commands"), processes=True, env=env) as stack:
        yield stack
        every_session_replays(stack)


@pytest.fixture
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as door:
        until(lambda: "run_command" in str(door.get("/runners")["offers"]))
        yield door


def begun(door: Gateway, text: str) -> str:
    session: str = door.post("/sessions", {"message": text})["id"]
    return session


def test_a_command_is_asked_for_runs_and_is_rewound(stack: Stack, door: Gateway) -> None:
    assert stack.pids(service_names.WORKSPACE_HOST) == [], "nobody needed it yet"
    session = begun(door, "make it")
    assert text_of(door, session, "made.txt") is None
    allowed(door, session)
    result = last_call(door, session)["result"]
    assert (result["stdout"], result["exit_code"]) == ("begun\n", 0)
    weaker = isolation_here().weaker
    assert result["isolation"] == ("full" if weaker is None else f"weaker: {weaker}")
    assert [(one["path"], one["change"]) for one in result["changed"]] == [("made.txt", "created")]
    assert text_of(door, session, "made.txt") == "one\n"
    before = door.get(f"/sessions/{session}/state")["last_sequence"]

    door.post(f"/sessions/{session}/messages", {"text": "go on"})
    allowed(door, session)
    assert last_call(door, session)["result"]["stdout"] == "one\n"
    assert text_of(door, session, "made.txt") == "one\ntwo\n"

    door.post(f"/sessions/{session}:rewind", {"to": before, "parts": ["conversation", "files"]})
    until(lambda: text_of(door, session, "made.txt") == "one\n")
    door.post(f"/sessions/{session}/messages", {"text": "go on"})
    allowed(door, session)
    assert last_call(door, session)["result"]["stdout"] == "one\n", "the folder went back, too"


def test_what_commands_did_is_listed_on_a_page_and_by_the_command(
    stack: Stack, door: Gateway, tmp_path: Path
) -> None:
    session = begun(door, "make it")
    allowed(door, session)
    last_call(door, session)
    read = {"session_id": session, "min_sequence": door.get(f"/sessions/{session}/state")["last_sequence"]}
    (one,) = door.get("/commands", **read)["items"]
    assert (one["tool"], one["ending"], one["exit_code"]) == ("run_command", "exited", 0)
    assert one["saw_all"]
    assert [(file["path"], file["touch"]) for file in one["files"]] == [("made.txt", "created")]
    assert door.get("/commands", command="made.txt", ending="memory", **read)["items"] == []
    foldline = Command(stack.data_dir, tmp_path)
    assert "+made.txt" in foldline("commands", "--session", session, "--file", "made").out
    assert "No command ran." in foldline("commands", "--session", session, "--command", "rm -rf").out


@pytest.mark.skipif(isolation_here().kind != "namespaces", reason="without namespaces there is no network")
def test_what_a_command_sends_is_asked_for_and_listed(door: Gateway, shop: Shop) -> None:
    session = begun(door, "order tea")
    allowed(door, session)
    result = last_call(door, session)["result"]
    assert (result["network"], result["exit_code"]) == ("none", 1)

    door.patch("/agents/default/settings", {"values": {"command_network": "policy"}})
    session = begun(door, "order tea")
    allowed(door, session)
    [call] = standing(door, session, "waiting_for_input")["open_calls"]
    asked = {"tool": "run_command", "host": "localhost", "method": "POST", "path": "/tea", "run": True}
    assert call["show"].items() >= asked.items()
    assert shop.orders == []
    yes = {"decision": "session"}
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call["call_id"], "response": yes})
    standing(door, session, "idle")
    door.post(f"/sessions/{session}/messages", {"text": "order tea"})
    allowed(door, session)
    assert last_call(door, session)["result"]["stdout"] == "Thanks\n"
    assert shop.orders == ["one pot"]
    told = until(
        lambda: [one for one in door.get("/egress", session_id=session)["items"] if one["verdict"] == "sent"]
    )
    assert [(one["method"], one["host"], one["path"]) for one in told] == [("POST", "localhost", "/tea")]
    assert {one["verdict"] for one in door.get("/egress", session_id=session)["items"]} == {
        "sent",
        "asked",
    }


def test_a_command_that_a_person_refuses_does_not_run(door: Gateway) -> None:
    session = begun(door, "make it")
    [call] = standing(door, session, "waiting_for_input")["open_calls"]
    no = {"decision": "refuse", "reason": "Not now"}
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call["call_id"], "response": no})
    assert last_call(door, session)["error"]["kind"] == "refused"
    assert text_of(door, session, "made.txt") is None


def test_a_host_that_is_killed_in_a_command_ends_it_and_it_is_never_run_again(
    stack: Stack, door: Gateway
) -> None:
    session = begun(door, "wait long")
    allowed(door, session)
    until(lambda: _sleeps(_LONG))
    stack.kill(service_names.WORKSPACE_HOST)
    ended = last_call(door, session)
    assert ended["error"]["kind"] == "outcome_unknown"
    assert not _sleeps(_LONG), "the command ended with its host"
    session = begun(door, "make it")
    allowed(door, session)
    assert last_call(door, session)["result"]["exit_code"] == 0, "another host goes on"


def _sleeps(seconds: str) -> bool:
    """Whether such a command runs on the machine."""
    wanted = b"sleep\0" + seconds.encode() + b"\0"
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes() == wanted:
                return True
        except OSError:
            continue
    return False
