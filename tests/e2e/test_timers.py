"""What happens when time is over, from outside: questions that expire, helpers that take too long."""

import time
from typing import Any

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn

_PATIENCE_S = 60
_CHILD_TIMEOUT_S = 10


def _calls(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "are you there"},
            "turns": [_calls("selftest_ask", expires_in_ms=1000), {"text": "You said nothing."}],
        },
        {
            "when": {"user_contains": "[slow]"},
            "turns": [
                _calls("selftest_sleep", ms=_CHILD_TIMEOUT_S * 600),
                _calls("selftest_sleep", ms=_CHILD_TIMEOUT_S * 600),
                _calls("report_result", result="at last"),
            ],
        },
        {
            "when": {"user_contains": "[patient]"},
            "turns": [
                _calls("selftest_ask", expires_in_ms=_CHILD_TIMEOUT_S * 1000 + 500),
                _calls("report_result", result="nobody came"),
            ],
        },
        {
            "when": {"user_contains": "two helpers"},
            "turns": [
                {
                    "tool_calls": [
                        {"name": "spawn_session", "arguments": {"task": "[slow] work"}},
                        {"name": "spawn_session", "arguments": {"task": "[patient] work"}},
                    ]
                },
                _calls("wait_for_sessions", ids="{{ results | map(attribute='id') | list }}"),
                {"text": "Both have ended."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def idle_after(door: Gateway, text: str) -> dict[str, Any]:
    """A new session in which this was said, once it is idle."""
    turn = ChatTurn(door, None)
    turn.say(text)
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        state: dict[str, Any] = door.get(f"/sessions/{turn.session_id}/state")
        if state["status"] == "idle" and not state["queue"]:
            return state
        time.sleep(0.05)
    raise AssertionError(f"{turn.session_id} is still {state['status']}")


def calls_of(state: dict[str, Any], tool: str) -> list[dict[str, Any]]:
    calls = [call for message in state["messages"] for call in message["tool_calls"]]
    return [call for call in calls if call["tool"] == tool]


def test_a_question_that_nobody_answers_in_time_expires_and_the_session_goes_on(other: Gateway) -> None:
    state = idle_after(other, "are you there?")
    (question,) = calls_of(state, "selftest_ask")
    assert question["expires_at"] is not None
    assert (question["status"], question["error"]["kind"]) == ("cancelled", "expired")
    assert state["messages"][-1]["text"] == "You said nothing."


def test_a_helper_that_runs_for_too_long_fails_and_one_that_waits_for_a_person_does_not(
    other: Gateway,
) -> None:
    state = idle_after(other, "ask two helpers")
    (waiting,) = calls_of(state, "wait_for_sessions")
    slow, patient = waiting["result"]["results"]
    assert (slow["status"], slow["error"]) == ("error", f"Timed out after {_CHILD_TIMEOUT_S}s")
    assert (patient["status"], patient["result"]) == ("completed", "nobody came")
    for session in (state["session_id"], slow["id"], patient["id"]):
        assert other.post(f"/sessions/{session}:replay", {"mode": "strict"})["difference"] is None
    assert other.get(f"/sessions/{slow['id']}/state")["error"]["kind"] == "timeout"
