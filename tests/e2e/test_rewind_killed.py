"""A rewind is finished whoever dies: each time a process gets SIGKILL, and everything goes back once."""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_contracts.errors import Failure
from agent_platform.process.stop_points import arm, has_fired
from foldline.cli.client import Gateway
from foldline_testing.product.chaos import story
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.timeout(400)]

_PATIENCE_S = 150.0
SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": r"paint (?P<value>\S+)"},
            "turns": [
                {"tool_calls": [{"name": "set_state", "arguments": {"key": key, "value": "{{ match.value }}"}}
                                for key in ("wall", "door", "fence")]},
                {"text": "painted"},
            ],
        }
    ]
}  # fmt: skip


@pytest.fixture(scope="module")
def stop_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where stop points are armed."""
    return tmp_path_factory.mktemp("rewinds") / "stop"


@pytest.fixture(scope="module")
def killable(stop_dir: Path) -> Iterator[Stack]:
    """A Foldline to be killed."""
    with ModelServer(SCRIPT) as model:
        env = story.environment(stop_dir, stop_dir.parent / "acts") | model.environment()
        with Stack(stop_dir.parent / "data", processes=True, env=env) as started:
            yield started


def until(what: str, found: Any) -> Any:
    """Wait until `found()` is something; a gateway that starts again doesn't answer meanwhile."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        with suppress(Failure, httpx.HTTPError):
            if result := found():
                return result
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def settled(door: Gateway, session: str, said: int) -> int:
    """Wait until the session has said so much and is idle; its last event."""

    def idle() -> int | None:
        state = door.get(f"/sessions/{session}/state")
        answers = [one for one in state["messages"] if one["text"] == "painted"]
        return int(state["last_sequence"]) if state["status"] == "idle" and len(answers) == said else None

    return int(until("it did not settle", idle))


def values(door: Gateway, agent: str) -> dict[str, Any]:
    keys = [one["key"] for one in door.get(f"/agents/{agent}/state")["items"]]
    return {key: door.get(f"/agents/{agent}/state/{key}")["value"] for key in keys}


@pytest.mark.parametrize(
    "point", ["gateway.appended", "engine.neighbours", "rewind.received", "rewind.batch", "rewind.written"]
)
def test_a_rewind_of_a_session_is_finished_without_its_client(
    point: str, killable: Stack, stop_dir: Path
) -> None:
    with killable.gateway() as door:
        agent = str(door.post("/agents", {"id": f"s-{point.replace('.', '-')}", "name": "S"})["id"])
        session = str(door.post("/sessions", {"agent_id": agent, "message": "paint white"})["id"])
        then = settled(door, session, 1)
        door.post(f"/sessions/{session}/messages", {"text": "paint red"}, "more")
        settled(door, session, 2)
        arm(stop_dir, point)

        def ask() -> None:
            with suppress(Failure, httpx.HTTPError), killable.gateway() as other:
                other.post(f"/sessions/{session}:rewind", {"to": then, "parts": ["conversation", "agent"]})

        asking = threading.Thread(target=ask)
        asking.start()
        until(f"nobody came by {point}", lambda: has_fired(stop_dir, point))
        newest = until("it is not done", lambda: _done(door, agent))
        asking.join(_PATIENCE_S)
        assert (newest["session_id"], newest["rewound"], newest["stays"]) == (session, {"state": 3}, [])
        assert set(values(door, agent).values()) == {"white"}
        assert settled(door, session, 1)
        for key in ("wall", "door", "fence"):
            assert door.get(f"/agents/{agent}/state/{key}")["version"] == 3, "it went back once"
        assert len(door.get(f"/agents/{agent}/rewinds")["items"]) == 1
        assert door.post(f"/sessions/{session}:replay", {"mode": "strict"})["difference"] is None


@pytest.mark.parametrize("point", ["rewind.begun", "rewind.batch", "rewind.written"])
def test_a_rewind_of_an_agent_is_finished_without_its_client(
    point: str, killable: Stack, stop_dir: Path
) -> None:
    with killable.gateway() as door:
        agent = str(door.post("/agents", {"id": f"a-{point.replace('.', '-')}", "name": "A"})["id"])
        to = door.put(f"/agents/{agent}/state/wall", {"value": "white"})["sequence"]
        for key in ("wall", "door"):
            door.put(f"/agents/{agent}/state/{key}", {"value": "red"})
        arm(stop_dir, point)

        def ask() -> None:
            with suppress(Failure, httpx.HTTPError), killable.gateway() as other:
                other.post(f"/agents/{agent}:rewind", {"to": to})

        asking = threading.Thread(target=ask)
        asking.start()
        until(f"nobody came by {point}", lambda: has_fired(stop_dir, point))
        newest = until("it is not done", lambda: _done(door, agent))
        asking.join(_PATIENCE_S)
        assert (newest["rewound"], newest["stays"]) == ({"state": 2}, [])
        assert values(door, agent) == {"wall": "white"}
        undone = door.post(f"/agents/{agent}:rewind", {"to": newest["sequence"]})
        assert undone["rewound"] == {"state": 2}
        assert values(door, agent) == {"wall": "red", "door": "red"}


def _done(door: Gateway, agent: str) -> dict[str, Any] | None:
    found: list[dict[str, Any]] = door.get(f"/agents/{agent}/rewinds")["items"]
    return found[0] if found and found[0]["done"] else None
