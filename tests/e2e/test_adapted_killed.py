"""A model caller that is killed while it learns what a server refuses, from a model that must be told its
thoughts again: both are in the log, and nothing that is refused is asked a second time."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agent_contracts import service_names
from agent_contracts.errors import Failure
from agent_platform.process.stop_points import arm, has_fired
from foldline.cli.client import Gateway
from foldline_testing.product.chaos import story
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.timeout(400)]

THOUGHT = "The user wants a note."
_PATIENCE_S = 150.0


class Strict(BaseHTTPRequestHandler):
    """A server that takes no `stream_options`, and wants its reasoning back."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._say(404, {"error": {"message": "nothing here"}})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen: list[dict[str, Any]] = self.server.seen  # type: ignore[attr-defined]
        called = [one for one in asked["messages"] if one.get("tool_calls")]
        if "stream_options" in asked:
            seen.append({"refused": "stream_options"})
            self._say(400, {"error": {"message": "Unrecognized request argument supplied: stream_options"}})
        elif any(one.get("reasoning_content") != THOUGHT for one in called):
            seen.append({"refused": "reasoning"})
            words = "The reasoning_content in the thinking mode must be passed back to the API."
            self._say(400, {"error": {"message": words}})
        else:
            seen.append({"answered": len(called)})
            self._stream(asked["messages"][-1]["role"] == "tool")

    def _stream(self, after_tool: bool) -> None:
        call = {"name": "set_state", "arguments": '{"key": "note", "value": 1}'}
        deltas: list[dict[str, Any]] = (
            [{"content": "It is "}, {"content": "noted."}]
            if after_tool
            else [
                {"reasoning_content": THOUGHT},
                {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]},
            ]
        )
        chunks: list[dict[str, Any]] = [{"delta": one, "finish_reason": None} for one in deltas]
        chunks.append({"delta": {}, "finish_reason": "stop" if after_tool else "tool_calls"})
        lines = [f"data: {json.dumps({'choices': [{'index': 0, **one}]})}\n\n" for one in chunks]
        self._answer(200, "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode())

    def _say(self, status: int, body: dict[str, Any]) -> None:
        self._answer(status, "application/json", json.dumps(body).encode())

    def _answer(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Silent: the test looks at what was seen."""


def settled(door: Gateway, session: str, answers: int) -> list[dict[str, Any]]:
    """The session's events once it has said so much, however often whoever answers is gone."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            events: list[dict[str, Any]] = door.get(f"/sessions/{session}/events", limit=200)["items"]
            if door.get(f"/sessions/{session}/state")["status"] == "idle" and _said(events) == answers:
                return events
        except Failure:
            pass
        assert time.monotonic() < deadline, "it did not settle"
        time.sleep(0.2)


def _said(events: list[dict[str, Any]]) -> int:
    return [one["body"].get("text") for one in events if _is_answer(one)].count("It is noted.")


def _is_answer(event: dict[str, Any]) -> bool:
    return str(event["type"]).endswith(".model_call_completed.v1")


@pytest.fixture(scope="module")
def seen() -> list[dict[str, Any]]:
    """What became of each request."""
    return []


@pytest.fixture(scope="module")
def stop_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where stop points are armed."""
    return tmp_path_factory.mktemp("strict") / "stop"


@pytest.fixture(scope="module")
def strict(stop_dir: Path, seen: list[dict[str, Any]]) -> Iterator[Stack]:
    """A Foldline to be killed, whose models are on that server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Strict) as server:
        server.seen = seen  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        models = {
            "FOLDLINE_MODEL": "openai/strict",
            "FOLDLINE_MODEL_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
        }
        env = story.environment(stop_dir, stop_dir.parent / "acts") | models
        with Stack(stop_dir.parent / "data", processes=True, env=env) as started:
            yield started
        server.shutdown()


@pytest.mark.parametrize("point", ["model.streaming", "model.answered", "model.recorded"])
def test_what_was_learned_and_thought_outlives_its_model_caller(
    point: str, strict: Stack, stop_dir: Path, seen: list[dict[str, Any]]
) -> None:
    with strict.gateway() as door:
        seen.clear()
        agent = str(door.post("/agents", {"id": f"of-{point[6:]}", "name": "S", "starters": False})["id"])
        arm(stop_dir, point)
        new = {"agent_id": agent, "model": f"openai/{point}", "message": "note it"}
        session = str(door.post("/sessions", new)["id"])
        events = settled(door, session, 1)
        assert has_fired(stop_dir, point), "nobody was killed"
        calls = [one["body"]["call_id"] for one in events if _is_answer(one)]
        assert len(calls) == len(set(calls)) == 2, "each call has one answer"
        assert len([one for one in events if one["type"].endswith(".tool_call_completed.v1")]) == 1
        refused = [one["refused"] for one in seen if "refused" in one]
        assert "stream_options" in refused
        assert len(refused) <= 3, "each once, and once more what the one that was killed had not kept"
        before = len(seen)
        assert strict.kill(service_names.MODEL_CALLER), "what a process remembers is gone"
        door.post(f"/sessions/{session}/messages", {"text": "and once more"}, "again")
        settled(door, session, 2)
        assert [one for one in seen[before:] if "refused" in one] == [], "what was learned is in the log"
        assert len(seen) - before == 2
        report = door.post(f"/sessions/{session}:replay", {"mode": "strict"})
        assert report["difference"] is None
