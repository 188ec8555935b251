"""What the demo model shows of helpers and of rewind, as a newcomer tries it."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline.cli.turns import Turn
from foldline.testing.stack import Stack

_PATIENCE_S = 90


@pytest.fixture(scope="module")
def door(demo: Stack) -> Iterator[Gateway]:
    with demo.gateway() as opened:
        yield opened


def idle(door: Gateway, text: str) -> tuple[str, dict[str, Any]]:
    """Say something in a new session; it once it is idle."""
    turn = Turn(door, None)
    turn.say(text)
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        state = door.get(f"/sessions/{turn.session_id}/state")
        if state["status"] == "idle" and len(state["messages"]) > 1:
            return turn.session_id, state
        time.sleep(0.1)
    raise AssertionError(f"it is still {state['status']}")


def test_two_helpers_report_to_the_session_that_asked(door: Gateway) -> None:
    session, state = idle(door, "research green tea with two helpers")
    assert [child["status"] for child in state["children"]] == ["completed", "completed"]
    answer = state["messages"][-1]["text"]
    assert answer.startswith("Both are back")
    assert "speaks for green tea" in answer
    assert "speaks against green tea" in answer
    for one in (session, *(child["child_id"] for child in state["children"])):
        assert door.post(f"/sessions/{one}/replay")["difference"] is None


def test_the_rewind_demo_can_be_gone_back_into(door: Gateway) -> None:
    session, _ = idle(door, "rewind")
    events = door.get(f"/sessions/{session}/events", limit=100)["events"]
    written = [event["sequence"] for event in events if "tool_call_completed" in event["type"]]
    (change,) = door.get(f"/sessions/{session}/rollback-preview", to=written[0])["agent"]
    assert (change["before"]["value"], change["now"]["value"]) == ("blue", "red")
    body = {"to": written[0], "parts": ["conversation", "agent"]}
    door.post(f"/sessions/{session}/rollback", body)
    assert door.get("/agents/default/state/demo%2Fcolour")["value"] == "blue"
