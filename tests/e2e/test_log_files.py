"""`foldline up` logs into files of the data directory; troubles have an end there, with how long it took."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.stack import Stack

_PATIENCE_S = 90.0
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "keep it"},
            "turns": [
                {"tool_calls": [{"name": "set_state", "arguments": {"key": "a", "value": 1}}]},
                {"text": "Kept."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def logged(data_dir: Path) -> list[dict[str, Any]]:
    files = sorted((data_dir / "logs").glob("*.log*"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line]


def eventually(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def test_requests_model_calls_and_tools_are_in_the_file_with_how_long_they_took(
    stack: Stack, door: Gateway
) -> None:
    turn = ChatTurn(door, str(door.post("/sessions", {})["id"]))
    turn.say("keep it")
    for _ in turn.pieces():
        pass
    found = logged(stack.data_dir)
    (call,) = [
        line for line in found if line["event"] == "call.ended" and line.get("session_id") == turn.session_id
    ]
    assert (call["tool"], call["level"]) == ("set_state", "info")
    assert call["ms"] >= 0

    def answers() -> list[dict[str, Any]]:
        mine = [line for line in logged(stack.data_dir) if line.get("session_id") == turn.session_id]
        return [line for line in mine if line["event"] == "model.answered"]

    eventually(lambda: len(answers()) == 2, "the second answer isn't logged")
    assert all(line["ms"] >= (line["first_token_ms"] or 0) >= 0 for line in answers())
    asked = [
        line for line in found if line["event"] == "request.answered" and line["path"] == "/api/v1/sessions"
    ]
    assert {"method", "status", "ms"} <= asked[0].keys()
    assert "request.answered" not in stack.log, "the terminal is for warnings"


@pytest.mark.faults
def test_each_trouble_is_followed_by_its_end(processes: Stage) -> None:
    stack = processes.stack
    before = len(logged(stack.data_dir))

    def since() -> list[dict[str, Any]]:
        return logged(stack.data_dir)

    assert before > 0
    assert (stack.data_dir / "logs" / "foldline.engine.log").exists()
    troubles = (
        ("nats", "server.died", "server.restarted", {"server": "NatsServer"}),
        ("nats", "nats.away", "nats.back", {"service": "gateway"}),
        ("postgres", "server.died", "server.restarted", {"server": "PostgresServer"}),
        ("projector", "process.died", "process.restarted", {"service": "projector"}),
    )
    for name in ("nats", "postgres", "projector"):
        counted = {end: sum(line["event"] == end for line in since()) for _, _, end, _ in troubles}
        assert stack.kill(name)
        wanted = [(end, about) for who, _, end, about in troubles if who == name]

        def ended(wanted: Any = wanted, counted: Any = counted) -> bool:
            lines = since()
            return all(sum(line["event"] == end for line in lines) > counted[end] for end, _ in wanted)

        eventually(ended, f"the end of {name}'s trouble is not logged")
        stack.wait_until_ready()
    lines = since()
    for _, begin, end, about in troubles:
        begun = [line for line in lines if line["event"] == begin and about.items() <= line.items()]
        over = [line for line in lines if line["event"] == end and about.items() <= line.items()]
        assert begun, (begin, about)
        assert over, (end, about)
        assert over[-1]["timestamp"] > begun[-1]["timestamp"]
        assert 0 <= over[-1]["after_s"] < _PATIENCE_S
