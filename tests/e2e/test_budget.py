"""A cap on what models cost holds: twenty sessions at once, killed model callers, a raise."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline.testing.command import Command
from foldline.testing.model_server import MODEL, ModelServer
from foldline.testing.replaying import every_session_replays
from foldline.testing.stack import Stack

ASKED, ANSWERED = 2_000, 400
INPUT, OUTPUT = 0.5, 5.0
OF_A_CALL = ASKED * INPUT + ANSWERED * OUTPUT
"""Millionths of a dollar that the scripted model takes for each request that it begins with."""
SCRIPT = {
    "rules": [
        {
            "reply": {
                "text": "word " * 80,
                "pace": {"size": 40, "delay": 0.05},
                "usage": {"prompt_tokens": ASKED, "completion_tokens": ANSWERED},
            }
        }
    ]
}


@pytest.fixture(scope="module")
def scripted() -> Iterator[ModelServer]:
    with ModelServer(SCRIPT) as server:
        yield server


@pytest.fixture(scope="module")
def own(scripted: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("budget")
    env = {**scripted.environment(), "FOLDLINE_RETRY_DELAYS": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"}
    with Stack(folder, processes=True, replicas={"model-caller": 2}, env=env) as started:
        yield started
        every_session_replays(started)


def test_twenty_sessions_at_once_never_cost_more_than_the_cap_whoever_is_killed(
    own: Stack, scripted: ModelServer, tmp_path: Path
) -> None:
    foldline = Command(own.data_dir, tmp_path)
    with own.gateway() as door:
        door.put("/settings", {"values": {"prices": {MODEL: {"input": INPUT, "output": OUTPUT}}}})
        foldline("config", "set", "daily_cost_limit", "0.10")
        sessions = [door.post("/sessions", {})["id"] for _ in range(20)]
        with ThreadPoolExecutor(20) as many:
            list(many.map(lambda one: _say(own, one, 6), sessions[:20]))
        time.sleep(1)
        own.kill("model-caller")
        states = _settled(door, sessions)
        cost = len(scripted.recording.requests) * OF_A_CALL
        assert 60_000 < cost <= 100_000
        failed = [one["failed_turn"] for one in states if one["failed_turn"]]
        assert failed, "the cap stopped nobody"
        assert {(one["kind"], one["setting"]) for one in failed} == {("budget", "daily_cost_limit")}
        assert "All agents together may cost $0.1 a day" in failed[0]["message"]
        spending = _until_nothing_is_held(door)
        assert cost <= spending["all"]["today"]["cost_micros"] <= 100_000
        assert "of $0.1" in foldline("usage").out

        stopped = next(one for one, state in zip(sessions, states, strict=True) if state["failed_turn"])
        before = len(scripted.recording.requests)
        foldline("config", "set", "daily_cost_limit", "5")
        said = foldline("retry", stopped).out
        assert "word word" in said
        assert len(scripted.recording.requests) > before


def _say(stack: Stack, session: str, times: int) -> None:
    with stack.gateway() as door:
        for number in range(times):
            door.post(f"/sessions/{session}/messages", {"text": f"message {number}"})
            time.sleep(0.2)


def _settled(door: Gateway, sessions: list[str]) -> list[dict[str, Any]]:
    """The sessions when none of them works any more, or waits for anything but the next day."""
    deadline = time.monotonic() + 240
    while True:
        states = [door.get(f"/sessions/{one}/state") for one in sessions]
        tomorrow = f"{time.strftime('%Y-%m-%d', time.gmtime())}T23:59"
        done = [
            one["status"] == "idle"
            and (one["failed_turn"] is None or (one["failed_turn"]["retry_at"] or "9") > tomorrow)
            for one in states
        ]
        if all(done):
            return states
        assert time.monotonic() < deadline, [(one["status"], one["failed_turn"]) for one in states]
        time.sleep(0.5)


def _until_nothing_is_held(door: Gateway) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while True:
        spending: dict[str, Any] = door.get("/spending")
        if spending["all"]["held"]["tokens"] == 0:
            return spending
        assert time.monotonic() < deadline, spending
        time.sleep(0.5)
