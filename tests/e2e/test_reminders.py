"""Reminders and scheduled tasks through the whole product: set, due, answered, run, gone back, erased."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.log.subjects import TIMER_STREAM
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.chaos.log_view import log_view
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.stack import Stack

REMIND = {"at": "{{ after(match.seconds, 'seconds') }}", "message": "look again: {{ match.what }}"}
SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": r"remind me in (?P<seconds>\d+) s of (?P<what>\w+)"},
            "turns": [{"tool_calls": [{"name": "set_reminder", "arguments": REMIND}]}, {"text": "I will."}],
        },
        {
            "when": {"user_matches": r"cancel (?P<id>r_\w+)"},
            "turns": [
                {"tool_calls": [{"name": "cancel_reminder", "arguments": {"id": "{{ match.id }}"}}]},
                {"text": "Cancelled."},
            ],
        },
        {
            "when": {"user_contains": "a helper that reminds itself"},
            "turns": [
                {
                    "tool_calls": [
                        {"name": "spawn_session", "arguments": {"task": "remind me in 60 s of helpers"}}
                    ]
                },
                {"text": "made"},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def stack(other_stack: Stack, model: ModelServer) -> Stack:
    return other_stack


@pytest.fixture
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as gateway:
        yield gateway


@pytest.fixture
def foldline(stack: Stack, tmp_path: Path) -> Command:
    return Command(stack.data_dir, tmp_path)


@pytest.fixture(scope="module")
def agent(other_stack: Stack) -> str:
    """An agent of this module's own: what waits is looked at as a whole."""
    with other_stack.gateway() as gateway:
        return str(gateway.post("/agents", {"name": "Punctual", "starters": False})["id"])


def say(door: Gateway, agent: str, text: str, session: str | None = None) -> str:
    turn = ChatTurn(door, session or str(door.post("/sessions", {"agent_id": agent})["id"]))
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"
    return turn.session_id


def until(condition: Callable[[], Any], seconds: float = 30) -> Any:
    """What the condition gives, once that is true."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.2)
    return found


def waiting(door: Gateway, agent: str, session: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = door.get(f"/agents/{agent}/reminders", session_id=session)["items"]
    return found


def texts(door: Gateway, session: str) -> list[tuple[str, str | None, str]]:
    return [(one["role"], one["source"], one["text"]) for one in messages(door, session) if one["text"]]


def at_event(door: Gateway, session: str) -> str:
    return str(door.get(f"/sessions/{session}/state")["last_sequence"])


def test_a_reminder_that_a_tool_set_comes_due_and_the_session_answers(door: Gateway, agent: str) -> None:
    session = say(door, agent, "remind me in 3 s of tea")
    (set_,) = waiting(door, agent, session)
    assert (set_["message"], set_["done"]) == ("look again: tea", None)
    until(lambda: ("assistant", None, "You said: look again: tea") in texts(door, session))
    told = [one for one in texts(door, session) if one[1] == "reminder"]
    assert told == [("user", "reminder", "look again: tea")]
    assert waiting(door, agent, session) == []
    (over,) = door.get(f"/agents/{agent}/reminders", session_id=session, over=True)["items"]
    assert over["done"] == "told"


def test_a_helper_has_no_reminders_of_its_own(door: Gateway, agent: str) -> None:
    session = say(door, agent, "a helper that reminds itself")
    (child,) = until(lambda: door.get(f"/sessions/{session}")["children"])
    (call,) = until(lambda: [one for said in messages(door, child["id"]) for one in said["tool_calls"]])
    until(lambda: door.get(f"/sessions/{child['id']}/calls/{call['call_id']}")["error"])
    refused = door.get(f"/sessions/{child['id']}/calls/{call['call_id']}")["error"]
    assert refused["kind"] in ("not_available", "unknown_tool")
    assert waiting(door, agent, child["id"]) == []


def test_a_task_runs_now_is_paused_and_its_history_leads_to_its_sessions(
    door: Gateway, agent: str, foldline: Command
) -> None:
    added = foldline(
        *("schedules", "add", "Greeting", "--task", "good morning", "--cron", "0 9 * * *"),
        *("--agent", agent, "--json"),
    )
    made = added.json
    assert len(made["next"]) == 5
    ran = foldline("schedules", "run", "Greeting", "--agent", agent)
    assert (ran.code, "runs now" in ran.out) == (0, True)

    def done() -> Any:
        runs = door.get(f"/agents/{agent}/schedules/{made['id']}/runs")["items"]
        return runs if runs and runs[0]["outcome"] == "succeeded" else None

    (run,) = until(done)
    assert run["by_hand"]
    session = door.get(f"/sessions/{run['session_id']}")
    assert session["begun_by"] == {"what": "schedule", "name": made["id"]}
    assert ("assistant", None, "You said: good morning") in texts(door, run["session_id"])
    shown = foldline("schedules", "runs", made["id"], "--agent", agent)
    assert run["session_id"] in shown.out
    assert foldline("schedules", "pause", "Greeting", "--agent", agent).code == 0
    assert "paused: by hand" in foldline("schedules", "--agent", agent).out
    assert foldline("schedules", "resume", "Greeting", "--agent", agent).code == 0
    unknown = foldline("schedules", "pause", "Nothing", "--agent", agent)
    assert (unknown.code, "There is no scheduled task Nothing" in unknown.err) == (1, True)
    wrong = foldline("schedules", "add", "n", "--task", "t", "--cron", "0 25 * * *", "--agent", agent)
    assert (wrong.code, "the hour of '0 25 * * *'" in wrong.err) == (1, True)
    assert foldline("schedules", "delete", "Greeting", "--agent", agent).code == 0
    assert foldline("schedules", "--agent", agent, "--json").json == []


def test_a_task_at_a_time_runs_by_itself_once(door: Gateway, agent: str) -> None:
    at = (datetime.now(UTC) + timedelta(seconds=3)).isoformat()
    made = door.post(f"/agents/{agent}/schedules", {"name": "Once", "task": "tick", "at": at})
    path = f"/agents/{agent}/schedules/{made['id']}"
    (run,) = until(lambda: door.get(f"{path}/runs")["items"])
    until(lambda: door.get(f"{path}/runs")["items"][0]["outcome"] == "succeeded")
    assert not run["by_hand"]
    assert door.get(path)["next"] == []
    door.delete(path)


def test_the_timezone_is_set_in_the_terminal(door: Gateway, agent: str, foldline: Command) -> None:
    foldline("config", "set", "timezone", "Asia/Kolkata", "--agent", agent)
    got = foldline("config", "get", "timezone", "--agent", agent, "--json")
    assert json.loads(got.out)["value"] == "Asia/Kolkata"
    made = door.post(f"/agents/{agent}/schedules", {"name": "n", "task": "t", "at": "2199-01-01T12:00"})
    assert made["at"] == "2199-01-01T06:30:00.000Z"
    door.delete(f"/agents/{agent}/schedules/{made['id']}")
    foldline("config", "unset", "timezone", "--agent", agent)


def test_a_rewind_brings_reminders_back_and_one_whose_time_has_passed_as_missed(
    door: Gateway, agent: str, foldline: Command
) -> None:
    session = say(door, agent, "remind me in 15 s of soon")
    say(door, agent, "remind me in 3600 s of later", session)
    soon, later = waiting(door, agent, session)
    point = at_event(door, session)
    say(door, agent, f"cancel {soon['id']}", session)
    say(door, agent, f"cancel {later['id']}", session)
    say(door, agent, "remind me in 7200 s of new", session)
    due = datetime.fromisoformat(soon["due_at"])
    time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds() + 0.5))  # sleeps: clock
    preview = door.get(f"/sessions/{session}/rewind-preview", to=point)
    passed = {one["name"]: one["time_passed"] for one in preview["agent"]}
    assert (passed[soon["id"]], passed[later["id"]], len(passed)) == (True, False, 3)
    gone_back = foldline("rewind", session, "--to", point, "--yes")
    assert "its time has passed" in gone_back.out
    assert [one["id"] for one in waiting(door, agent, session)] == [later["id"]]
    every = door.get(f"/agents/{agent}/reminders", session_id=session, over=True)["items"]
    assert {one["id"]: one["done"] for one in every} == {soon["id"]: "missed", later["id"]: None}
    time.sleep(1.5)  # sleeps: quiet
    assert [one for one in texts(door, session) if one[1] == "reminder"] == []
    listed = foldline("reminders", "--session", session, "--agent", agent, "--json").json
    assert [one["id"] for one in listed] == [later["id"]]
    assert foldline("reminders", "cancel", later["id"], "--agent", agent).code == 0
    again = foldline("reminders", "cancel", later["id"], "--agent", agent)
    assert (again.code, "has no reminder named" in again.err) == (1, True)


def test_a_fork_has_none_of_the_reminders_and_an_erased_session_takes_its_own_along(
    stack: Stack, door: Gateway, agent: str, foldline: Command
) -> None:
    session = say(door, agent, "remind me in 3600 s of erasing")
    other = say(door, agent, "remind me in 3600 s of staying")
    (mine,), (theirs,) = waiting(door, agent, session), waiting(door, agent, other)
    fork = door.post(f"/sessions/{other}:fork", {"at": int(at_event(door, other))})["id"]
    assert waiting(door, agent, fork) == []
    assert foldline("erase", session, "--yes").code == 0
    ids = [one["id"] for one in door.get(f"/agents/{agent}/reminders")["items"]]
    assert mine["id"] not in ids
    assert theirs["id"] in ids

    async def timers() -> list[str]:
        async with log_view(stack.data_dir) as view:
            return await view.holding(mine["id"], TIMER_STREAM)

    assert asyncio.run(timers()) == []
