"""A workspace host that is killed while a coding agent waits for a person: the wait ends by itself, with an
error; nothing is left to answer, and nothing runs twice."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from agent_contracts import service_names
from agent_contracts.errors import Failure
from foldline.cli.client import Gateway
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.reading import messages

pytestmark = [pytest.mark.faults, pytest.mark.timeout(240)]

CODER = """import json, sys
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "session/prompt":
        open("begun.txt", "a").write("begun\\n")
        options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
        call = {"toolCallId": "t", "kind": "execute", "rawInput": {"command": "make"}}
        params = {"sessionId": "s", "toolCall": call, "options": options}
        send(id="q", method="session/request_permission", params=params)
        sys.stdin.readline()
    send(id=asked["id"], result={"protocolVersion": 1, "sessionId": "s", "stopReason": "end_turn"})
"""
CALLS = (
    ("file_create", {"path": "coder.py", "text": CODER}),
    ("code_with", {"agent": "coder", "task": "Make it."}),
)
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "code it"},
            "turns": [
                *({"tool_calls": [{"name": name, "arguments": given}]} for name, given in CALLS),
                {"text": "It broke off."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
AGENT = "coding"
_PATIENCE_S = 120.0


def waited(found: Callable[[], Any]) -> Any:
    """What is found in the end, however often whoever answers is gone."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            if it := found():
                return it
        except Failure:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.2)


def asks(door: Gateway, session: str) -> list[Any]:
    """The approvals that wait in the session."""
    return [one for one in door.get(f"/sessions/{session}/state")["open_calls"] if one["show"]]


def coded(door: Gateway, session: str) -> Any:
    """The one call of the coding agent."""
    calls = [one for said in messages(door, session) for one in said.get("tool_calls") or []]
    [call] = [one for one in calls if one["tool"] == "protoagent.code_with"]
    return call


def test_a_wait_whose_host_is_killed_ends_by_itself_and_runs_nothing_twice(processes: Stage) -> None:
    processes.model.play(SCRIPT)
    with processes.stack.gateway() as door:
        door.post("/agents", {"id": AGENT, "name": "Coding"})
        door.put(f"/agents/{AGENT}/packs", {"packs": ["protoagent"]})
        coder = {"name": "coder", "type": "acp", "command": "python3 coder.py"}
        door.put(f"/agents/{AGENT}/delegates", {"delegates": [coder]})
        session = str(door.post("/sessions", {"agent_id": AGENT, "message": "code it"})["id"])
        [call] = waited(lambda: asks(door, session))
        once = {"call_id": call["call_id"], "response": {"decision": "once"}}
        door.post(f"/sessions/{session}/tool-responses", once)
        [held] = waited(lambda: [one for one in asks(door, session) if one["show"].get("run")])
        assert held["call_id"] == call["call_id"]

        assert processes.stack.kill(service_names.WORKSPACE_HOST)
        waited(lambda: door.get(f"/sessions/{session}")["status"] == "idle")
        assert asks(door, session) == []
        ended = coded(door, session)
        assert (ended["status"], ended["error"]["kind"]) == ("failed", "upstream")
        assert "the workspace host stopped. What it had changed is kept" in ended["error"]["message"]
        files = door.get(f"/agents/{AGENT}/files", session_id=session)["items"]
        [begun] = [one for one in files if one["path"] == "begun.txt"]
        assert begun["size"] == len("begun\n"), "it was begun once"
        door.post(f"/sessions/{session}/tool-responses", once)  # from a page that hasn't heard of it
        assert coded(door, session) == ended
        assert door.get(f"/sessions/{session}")["status"] == "idle"
