"""A policy, and what was decided by it, in a past that is rewound, forked, exported and replayed."""

import time
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.reading import newest

RULE = {"match": {"tool": "set_state"}}
ASK = {"preset": "balanced", "rules": [{**RULE, "verdict": "ask", "note": "Paint is dear"}]}
DENY = {"preset": "balanced", "rules": [{**RULE, "verdict": "deny", "note": "No more paint"}]}
PAINT = {"tool_calls": [{"name": "set_state", "arguments": {"key": "wall", "value": "red"}}]}
SCRIPT = {
    "rules": [{"when": {"user_contains": "paint"}, "turns": [PAINT, {"text": "Done."}]}],
}


def settled(door: Gateway, session: str) -> dict[str, Any]:
    """The session, once it waits for somebody or has nothing left to do."""
    deadline = time.monotonic() + 120
    while True:
        state: dict[str, Any] = door.get(f"/sessions/{session}/state")
        if state["status"] in ("waiting_for_input", "idle", "failed") and not state["queue"]:
            return state
        assert time.monotonic() < deadline, f"{session}: {state['status']}"
        time.sleep(0.1)


def paints(door: Gateway, session: str) -> dict[str, Any]:
    """The call that it makes."""
    door.post(f"/sessions/{session}/messages", {"text": "paint the wall"})
    return newest_call(settled(door, session))


def newest_call(state: dict[str, Any]) -> dict[str, Any]:
    call: dict[str, Any] = [call for message in state["messages"] for call in message["tool_calls"]][-1]
    return call


def verdicts(door: Gateway, session: str) -> list[tuple[str, int]]:
    """What was said of each call, by which version of the policy, as the log has it."""
    events = door.get(f"/sessions/{session}/events", type="model_call_completed", limit=500)["items"]
    calls = [call for event in events for call in event["body"].get("tool_calls", [])]
    return [(call["judged"]["verdict"], call["judged"].get("version", 0)) for call in calls]


def answers(door: Gateway, session: str, call: dict[str, Any], decision: str) -> dict[str, Any]:
    response = {"call_id": call["call_id"], "response": {"decision": decision}}
    door.post(f"/sessions/{session}/tool-responses", response)
    return newest_call(settled(door, session))


def replays(door: Gateway, *sessions: str) -> None:
    for session in sessions:
        report = door.post(f"/sessions/{session}:replay", {"mode": "strict"})
        assert report["difference"] is None, report


@pytest.fixture
def agent(door: Gateway) -> str:
    """An agent of its own, whose paint is asked for."""
    found: str = door.post("/agents", {"name": "Painter"})["id"]
    door.put(f"/agents/{found}/policy", ASK)
    return found


def begun(door: Gateway, agent: str) -> str:
    return str(door.post("/sessions", {"agent_id": agent})["id"])


def test_a_rewind_takes_back_what_was_allowed_and_leaves_the_policy(door: Gateway, agent: str) -> None:
    session = begun(door, agent)
    point = newest(door, session)
    call = paints(door, session)
    assert verdicts(door, session) == [("ask", 1)]
    assert answers(door, session, call, "session")["status"] == "completed"
    assert paints(door, session)["status"] == "completed", "it is allowed for the session"
    door.put(f"/agents/{agent}/policy", {**ASK, "preset": "cautious"})
    door.post(f"/sessions/{session}:rewind", {"to": point, "parts": ["conversation", "agent"]})
    assert door.get(f"/agents/{agent}/policy")["version"] == 2, "a policy is nothing that a session did"
    again = paints(door, session)
    assert (again["status"], verdicts(door, session)[-1]) == ("pending", ("ask", 2))
    replays(door, session)


def test_a_fork_is_judged_by_the_policy_of_now_and_has_no_yes_of_the_other_session(
    door: Gateway, agent: str
) -> None:
    session = begun(door, agent)
    answers(door, session, paints(door, session), "session")
    point = newest(door, session)
    fork = door.post(f"/sessions/{session}:fork", {"at": point, "message": "paint it again"})["id"]
    call = newest_call(settled(door, fork))
    assert (call["status"], verdicts(door, fork)[-1]) == ("pending", ("ask", 1))
    door.put(f"/agents/{agent}/policy", DENY)
    still = answers(door, fork, call, "once")
    assert still["status"] == "completed", "a person's yes is for what was asked by then"
    refused = paints(door, fork)
    assert (refused["error"]["kind"], verdicts(door, fork)[-1]) == ("refused", ("deny", 2))
    assert "No more paint" in refused["error"]["message"]
    replays(door, session, fork)


def test_an_agent_that_is_restored_has_the_policy_of_then(door: Gateway, agent: str) -> None:
    session = begun(door, agent)
    point = newest(door, session)
    door.put(f"/agents/{agent}/policy", DENY)
    assert paints(door, session)["status"] == "failed"
    door.post(f"/agents/{agent}:rewind", {"to": point})
    assert paints(door, session)["status"] == "pending"
    assert verdicts(door, session) == [("deny", 2), ("ask", 3)]
    replays(door, session)


def test_an_exported_session_tells_its_verdicts_elsewhere_whatever_the_policy_is_there(
    door: Gateway, other: Gateway, agent: str
) -> None:
    session = begun(door, agent)
    answers(door, session, paints(door, session), "once")
    door.put(f"/agents/{agent}/policy", DENY)
    paints(door, session)
    other.post("/agents", {"id": agent, "name": "Painter elsewhere"})
    imported = other.upload("/sessions:import", door.download(f"/sessions/{session}/export"))["id"]
    assert verdicts(other, imported) == [("ask", 1), ("deny", 2)]
    there = settled(other, imported)
    calls = [call for message in there["messages"] for call in message["tool_calls"]]
    assert [call["status"] for call in calls] == ["completed", "failed"]
    assert paints(other, imported)["status"] == "completed", "there, nobody has written a policy"
    replays(other, imported)
    replays(door, session)
