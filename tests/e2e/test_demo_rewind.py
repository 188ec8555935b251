"""What the demo model shows, as a newcomer tries it: what it offers, helpers, a browser, commands, rewind."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.approving import asked, last_call, text_of, until
from foldline_testing.product.command import Command
from foldline_testing.product.stack import Stack

_PATIENCE_S = 90


@pytest.fixture(scope="module")
def door(demo: Stack) -> Iterator[Gateway]:
    with demo.gateway() as opened:
        yield opened


def idle(door: Gateway, text: str) -> tuple[str, dict[str, Any]]:
    """Say something in a new session; it once it is idle."""
    turn = ChatTurn(door, None)
    turn.say(text)
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        state = door.get(f"/sessions/{turn.session_id}/state")
        if state["status"] == "idle" and len(state["messages"]) > 1:
            return turn.session_id, state
        time.sleep(0.1)
    raise AssertionError(f"it is still {state['status']}")


def test_all_that_the_demo_offers_can_be_tried(door: Gateway) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while "not in this installation" in (said := idle(door, "help")[1]["messages"][-1]["text"]):
        assert time.monotonic() < deadline, said  # right after a start, a pool's tools may not be told yet
    assert "**browse** – a real browser opens a page" in said


def test_the_demo_opens_a_page_in_a_real_browser(door: Gateway) -> None:
    _, state = idle(door, "browse http://unreachable.invalid/")
    (call,) = [call for message in state["messages"] for call in message["tool_calls"]]
    assert (call["tool"], call["error"]["kind"]) == ("browser_navigate", "upstream"), call


def test_two_helpers_report_to_the_session_that_asked(door: Gateway) -> None:
    session, state = idle(door, "research green tea with two helpers")
    assert [child["status"] for child in state["children"]] == ["completed", "completed"]
    answer = state["messages"][-1]["text"]
    assert answer.startswith("Both are back")
    assert "speaks for green tea" in answer
    assert "speaks against green tea" in answer
    for one in (session, *(child["child_id"] for child in state["children"])):
        assert door.post(f"/sessions/{one}:replay")["difference"] is None


def test_the_rewind_demo_can_be_gone_back_into(door: Gateway) -> None:
    session, _ = idle(door, "rewind")
    events = door.get(f"/sessions/{session}/events", limit=100)["items"]
    written = [event["sequence"] for event in events if "tool_call_completed" in event["type"]]
    (change,) = door.get(f"/sessions/{session}/rewind-preview", to=written[0])["agent"]
    assert (change["before"]["value"], change["now"]["value"]) == ("blue", "red")
    body = {"to": written[0], "parts": ["conversation", "agent"]}
    door.post(f"/sessions/{session}:rewind", body)
    assert door.get("/agents/default/state/demo%2Fcolour")["value"] == "blue"


def test_a_command_waits_for_a_yes_and_is_listed(demo: Stack, door: Gateway, tmp_path: Path) -> None:
    foldline = Command(demo.data_dir, tmp_path)
    foldline("send", "run a command")
    session = door.get("/sessions", limit=1)["items"][0]["id"]
    waits = f"{session}/{asked(door, session)['call_id']}"
    assert text_of(door, session, "today.txt") is None
    assert "today.txt" in foldline("approvals", "show", waits).out
    foldline("approvals", "once", waits)
    said = last_call(door, session)["result"]["stdout"]
    assert text_of(door, session, "today.txt") == said
    state = door.get(f"/sessions/{session}/state")
    assert said in state["messages"][-1]["text"]
    until(lambda: "+today.txt" in foldline("commands", "--session", session).out)
