"""Calls that run only with a person's yes: on a real Foldline, whichever service is killed meanwhile."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.errors import Rejected, Transient
from foldline.cli.client import Gateway
from foldline.testing.chaos.stage import Stage
from foldline.testing.command import Command
from foldline.testing.replaying import every_session_replays

pytestmark = [pytest.mark.faults, pytest.mark.timeout(400)]

NOTE = "letter"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "send"},
            "turns": [
                {"tool_calls": [{"name": "selftest_external", "arguments": {"note": NOTE}}]},
                {"text": "The end."},
            ],
        }
    ]
}
ASKS = {"preset": "balanced", "rules": [{"verdict": "ask", "match": {"tool": "selftest_external"}}]}
SERVICES = ("engine", "model-caller", "runner", "projector", "gateway")


@pytest.fixture(scope="module")
def door(processes: Stage) -> Iterator[Gateway]:
    processes.model.play(SCRIPT)
    with processes.stack.gateway() as door:
        policy = door.get("/agents/default/policy")
        door.put("/agents/default/policy", {**ASKS, "version": policy["version"]})
        yield door
        door.put("/agents/default/policy", {"preset": policy["preset"], "rules": policy["rules"]})


def until(door: Gateway, session: str, *statuses: str) -> dict[str, Any]:
    """The session once it stands so. A gateway that is away answers later."""
    deadline = time.monotonic() + 90
    status = ""
    while status not in statuses:
        assert time.monotonic() < deadline, status
        with contextlib.suppress(Rejected, Transient):  # who would answer was killed
            state: dict[str, Any] = door.get(f"/sessions/{session}/state")
            status = state["status"]
        time.sleep(0.1)
    return state


def asked(door: Gateway) -> tuple[str, str]:
    session: str = door.post("/sessions", {"message": "send it"})["id"]
    [call] = until(door, session, "waiting_for_input")["open_calls"]
    assert (call["status"], call["requested"], call["show"]["kind"]) == ("pending", None, "approval")
    return session, call["call_id"]


def acts(processes: Stage, session: str) -> int:
    file = processes.acts.file
    return sum(session in line for line in file.read_text().splitlines()) if file.exists() else 0


def say(door: Gateway, session: str, call: str, response: dict[str, Any], key: str) -> None:
    door.until_back()
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call, "response": response}, key)


def call_of(door: Gateway, session: str) -> dict[str, Any]:
    """The session's call, once it is over and the session idle."""
    deadline = time.monotonic() + 90
    while True:
        messages = until(door, session, "idle")["messages"]
        calls = [call for message in messages for call in message["tool_calls"]]
        if calls:
            found: dict[str, Any] = calls[0]
            return found
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_killed_before_and_after_the_yes(service: str, processes: Stage, door: Gateway) -> None:
    session, call = asked(door)
    processes.stack.kill(service)
    assert acts(processes, session) == 0, "it ran unapproved"
    say(door, session, call, {"decision": "once"}, f"yes-{call}")
    processes.stack.kill(service)
    say(door, session, call, {"decision": "once"}, f"yes-{call}")
    ended = call_of(door, session)
    assert acts(processes, session) <= 1, "it ran twice"
    if ended["status"] == "completed":
        assert acts(processes, session) == 1
    else:
        assert ended["error"]["kind"] == "outcome_unknown"


def test_a_no_is_a_no_whatever_is_killed(processes: Stage, door: Gateway) -> None:
    for service in SERVICES:
        session, call = asked(door)
        say(door, session, call, {"decision": "refuse", "reason": "Not now"}, f"no-{call}")
        processes.stack.kill(service)
        ended = call_of(door, session)
        assert (ended["status"], ended["error"]["kind"]) == ("failed", "refused")
        assert "Not now" in ended["error"]["message"]
        assert acts(processes, session) == 0


def test_on_a_terminal_and_always_is_the_policy(processes: Stage, door: Gateway, tmp_path: Path) -> None:
    foldline = Command(processes.stack.data_dir, tmp_path)
    session, call = asked(door)
    deadline = time.monotonic() + 30
    while call not in foldline("approvals").out:
        assert time.monotonic() < deadline
    assert NOTE in foldline("approvals", "show", f"{session}/{call}").out
    foldline("approvals", "always", f"{session}/{call}")
    assert call_of(door, session)["status"] == "completed"
    assert acts(processes, session) == 1
    policy = door.get("/agents/default/policy")
    assert [rule["verdict"] for rule in policy["rules"]] == ["allow", "ask"]
    again = door.post("/sessions", {"message": "send it"})["id"]
    assert call_of(door, again)["status"] == "completed", "it asks no more"
    with pytest.raises(Rejected):
        say(door, session, call, {"decision": "once"}, "late")
    assert "version" in foldline("policy", "--json").out
    foldline("policy", "--back-to", "1")


def test_what_was_decided_replays(processes: Stage, door: Gateway) -> None:
    every_session_replays(processes.stack)
