"""A runner dies while it acts on the world: a person looks what became of it, and the model goes on."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agent_contracts.errors import Rejected
from agent_platform.process.stop_points import arm
from foldline.cli.client import Gateway
from foldline.cli.turns import Turn
from foldline.testing.chaos import story
from foldline.testing.chaos.stage import Stage
from foldline.testing.command import Command

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

T = TypeVar("T")
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "send the letter"},
            "turns": [
                {"tool_calls": [{"name": "selftest_external", "arguments": {"note": "letter"}}]},
                {"text": "I don't know whether it was sent."},
            ],
        },
        {"when": {"user_contains": "I looked"}, "reply": {"text": "Then I send no second one."}},
    ]
}


def soon(look: Callable[[], T | None]) -> T:
    """What it is once it is anything; the tables lag behind the log."""
    deadline = time.monotonic() + 30
    while not (found := look()):
        assert time.monotonic() < deadline, "nothing came of it"
        time.sleep(0.05)
    return found


def _unknown(door: Gateway, session_id: str) -> list[dict[str, Any]]:
    return [one for one in door.get("/outcomes")["outcomes"] if one["session_id"] == session_id]


def _answered(door: Gateway, session_id: str) -> dict[str, Any] | None:
    state: dict[str, Any] = door.get(f"/sessions/{session_id}/state")
    is_so = state["status"] == "idle" and state["messages"][-1]["text"].startswith("Then")
    return state if is_so else None


def test_a_person_settles_what_became_of_a_call_whose_runner_died(processes: Stage, tmp_path: Path) -> None:
    processes.model.play(SCRIPT)
    arm(processes.stop_dir, "runner.ran")
    foldline = Command(processes.stack.data_dir, tmp_path)
    try:
        with processes.stack.gateway() as door:
            turn = Turn(door, None)
            turn.say("send the letter")
            for _ in turn.pieces():
                pass
            assert turn.answer == "I don't know whether it was sent."
            [lost] = soon(lambda: _unknown(door, turn.session_id))
            call = lost["call_id"]
            assert lost["tool"] == "selftest_external"
            assert len([line for line in processes.acts.file.read_text().splitlines() if call in line]) == 1
            assert call in foldline("outcomes", "list").out

            done = foldline("outcomes", "settle", call, "--happened", "--note", "It lies on her desk.")
            assert done.code == 0, done
            state = soon(lambda: _answered(door, turn.session_id))
            assert [one["text"] for one in state["messages"][-2:]] == [
                f"About call {call}, whose outcome was unknown: I looked. It did its work. "
                "It lies on her desk.",
                "Then I send no second one.",
            ]
            assert soon(lambda: not _unknown(door, turn.session_id))
            assert call not in foldline("outcomes", "list").out
            with pytest.raises(Rejected) as again:
                door.post(f"/outcomes/{turn.session_id}/{call}", {"happened": False})
            assert again.value.kind == "conflict"
            assert len([line for line in processes.acts.file.read_text().splitlines() if call in line]) == 1
    finally:
        processes.model.play(story.script())
