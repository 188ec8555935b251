"""Reminders and scheduled tasks in the whole product: set, due, run, answered; and exact afterwards."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.reading import messages

_PATIENCE_S = 60
_SET = {"at": "{{ match.at }}", "message": "look at the oven"}
SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": r"remind me at (?P<at>\S+)"},
            "turns": [
                {"tool_calls": [{"name": "set_reminder", "arguments": _SET}]},
                {"text": "I will."},
            ],
        },
        {
            "when": {"user_contains": "water the plants"},
            "turns": [
                {"tool_calls": [{"name": "set_state", "arguments": {"key": "plants", "value": "wet"}}]},
                {"text": "Watered."},
            ],
        },
        {
            "when": {"user_contains": "ask me"},
            "turns": [
                {"tool_calls": [{"name": "ask_user", "arguments": {"question": "Well?"}}]},
                {"text": "Nobody said."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def coming(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def until(look: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + _PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < deadline, "it didn't come in time"
        time.sleep(0.1)
    return found


def run_of(door: Gateway, schedule: str, outcome: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        runs = door.get(f"/agents/default/schedules/{schedule}/runs")["items"]
        return next((one for one in runs if one["outcome"] == outcome), None)

    found: dict[str, Any] = until(look)
    return found


def test_a_scheduled_task_runs_in_a_session_of_its_own_that_replays(door: Gateway) -> None:
    task = {"name": "Plants", "task": "water the plants", "at": coming(3), "token_limit": 5_000}
    schedule = door.post("/agents/default/schedules", task)
    run = run_of(door, schedule["id"], "succeeded")

    assert run["due_at"] == schedule["at"]
    session = run["session_id"]
    began = until(lambda: (found := door.get(f"/sessions/{session}"))["status"] == "idle" and found)
    assert (began["title"], began["status"], began["token_limit"]) == ("Plants", "idle", 5_000)
    said = [(one["role"], one["text"]) for one in messages(door, session)]
    assert said[0] == ("user", "water the plants")
    assert said[-1] == ("assistant", "Watered.")
    report = door.post(f"/sessions/{session}:replay", {"mode": "strict"})
    assert report["difference"] is None

    door.post(f"/agents/default/schedules/{schedule['id']}:run")

    def twice() -> bool:
        runs = door.get(f"/agents/default/schedules/{schedule['id']}/runs")["items"]
        return bool(sum(one["outcome"] == "succeeded" for one in runs) == 2)

    until(twice)


def test_a_reminder_that_an_agent_set_wakes_its_session(door: Gateway) -> None:
    turn = ChatTurn(door, None)
    turn.say(f"remind me at {coming(2)}")
    session = turn.session_id

    def reminded() -> bool:
        return any(one["text"] == "You said: look at the oven" for one in messages(door, session))

    until(reminded)
    reminders = door.get("/agents/default/reminders", over=True)["items"]
    assert [one["done"] for one in reminders if one["reminds"] == session] == ["told"]
    assert door.post(f"/sessions/{session}:replay", {"mode": "strict"})["difference"] is None


def test_a_run_goes_on_as_long_as_its_session_waits_for_somebody(door: Gateway) -> None:
    asking = {"name": "Ask", "task": "ask me", "at": coming(1)}
    schedule = door.post("/agents/default/schedules", asking)
    session = run_of(door, schedule["id"], "started")["session_id"]
    until(lambda: door.get(f"/sessions/{session}")["status"] == "waiting_for_input")
    runs = door.get(f"/agents/default/schedules/{schedule['id']}/runs")["items"]
    assert [one["outcome"] for one in runs] == ["started"]
    door.post(f"/sessions/{session}:interrupt")
    run_of(door, schedule["id"], "stopped")
