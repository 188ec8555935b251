"""An agent that fills the log, or keeps too much: it is told so, stopped, and stops nobody else."""

import io
from pathlib import Path

import httpx
import pytest

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.stack import Stack

FILL = "for (let i = 0; ; i++) await state.set('k' + i % 3, 'x'.repeat(500000))"
HOARD = """
const stored = []
for (let i = 0; i < 12; i++) {
    try { await state.set('h' + i, 'x'.repeat(400000)); stored.push(i) }
    catch (e) { return { stored, why: e.message } }
}
return { stored }
"""
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "fill"},
            "turns": [
                {"tool_calls": [{"name": "run_sandbox_code", "arguments": {"code": FILL}}]},
                {"text": "It is full."},
            ],
        },
        {
            "when": {"user_contains": "hoard"},
            "turns": [
                {"tool_calls": [{"name": "run_sandbox_code", "arguments": {"code": HOARD}}]},
                {"text": "It is too much."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def test_an_agent_that_fills_the_log_is_stopped_at_its_quota_and_stops_nobody_else(
    other: Gateway, other_stack: Stack, tmp_path: Path
) -> None:
    limit = other.get("/agents/default/usage")["log"]["limit"]
    greedy = other.post("/agents", {"name": "Greedy"})["id"]
    session = other.post("/sessions", {"agent_id": greedy})["id"]
    turn = ChatTurn(other, session)
    turn.say("fill the log")
    for _ in turn.pieces():
        pass
    state = other.get(f"/sessions/{session}/state")
    told = other.get(f"/sessions/{session}/messages", min_sequence=state["last_sequence"])["items"]
    assert f"Agent {greedy} may add 8 MiB a day to the log" in str([one["tool_calls"] for one in told])
    assert state["status"] == "idle"

    used = other.get(f"/agents/{greedy}/usage")
    assert limit * 0.9 < used["log"]["used"] <= limit + 300_000
    assert 0 < used["database"]["used"] < used["database"]["limit"]
    said = Command(other_stack.data_dir, tmp_path)("usage", greedy).out
    assert "of 8 MiB, until" in said
    assert "of 95.4 MiB" in said

    with pytest.raises(Rejected) as refused:
        _fill(other, session)
    assert refused.value.kind == "quota_exceeded"
    assert "FOLDLINE_AGENT_LOG_LIMIT" in refused.value.message
    answer = httpx.post(
        f"{other.url}/api/v1/sessions",
        json={"agent_id": greedy, "message": "x" * 60_000},
        headers={"Authorization": f"Bearer {other.token}"},
    )
    assert (answer.status_code, answer.json()["kind"]) == (429, "quota_exceeded")
    other.post(f"/sessions/{session}:archive")  # what ends something is never refused

    mine = ChatTurn(other, None)
    mine.say("hello")
    for _ in mine.pieces():
        pass
    assert mine.answer == "You said: hello"


def test_an_agent_keeps_so_much_and_what_is_too_much_is_refused_until_it_deletes_something(
    other: Gateway, other_stack: Stack, tmp_path: Path
) -> None:
    agent = other.post("/agents", {"name": "Hoarder"})["id"]
    session = other.post("/sessions", {"agent_id": agent})["id"]
    turn = ChatTurn(other, session)
    turn.say("hoard")
    for _ in turn.pieces():
        pass
    state = other.get(f"/sessions/{session}/state")
    told = other.get(f"/sessions/{session}/messages", min_sequence=state["last_sequence"])["items"]
    [call] = [one for message in told for one in message["tool_calls"] or ()]
    result = call["result"]["result"]
    assert 8 <= len(result["stored"]) <= 10
    assert f"Agent {agent} keeps" in result["why"]
    kept = other.get(f"/agents/{agent}/usage")["kept"]
    assert kept["used"] <= kept["limit"] == 4 * 1024 * 1024
    assert kept["used"] == sum(one["bytes"] for one in kept["parts"])
    assert kept["parts"][0]["part"] == "state"
    foldline = Command(other_stack.data_dir, tmp_path)
    assert "of 4 MiB (state 3." in foldline("usage", agent).out

    with pytest.raises(Rejected) as refused:
        other.put(f"/agents/{agent}/state/mine", {"value": "x" * 900_000})
    assert refused.value.kind == "too_large"
    other.put(f"/agents/{agent}/policy", {"preset": "cautious", "rules": []})  # never too much
    for number in range(3):
        other.delete(f"/agents/{agent}/state/h{number}")
    other.put(f"/agents/{agent}/state/mine", {"value": "x" * 900_000})


def test_forks_and_wakes_for_later_are_refused_where_the_agent_has_no_room_for_them(other: Gateway) -> None:
    agent = other.post("/agents", {"name": "Copier"})["id"]
    session = other.post("/sessions", {"agent_id": agent})["id"]
    where = {"agent_id": agent, "session_id": session, "scope": "session"}
    other.send_files([("big.bin", io.BytesIO(b"x" * 1_500_000))], where)
    turn = ChatTurn(other, session)
    turn.say("hello")
    for _ in turn.pieces():
        pass
    at = other.get(f"/sessions/{session}/state")["last_sequence"]
    fork = other.post(f"/sessions/{session}:fork", {"at": at})["id"]
    used = other.get(f"/agents/{agent}/usage")["kept"]["used"]
    for _ in range(2):
        with pytest.raises(Rejected) as refused:
            other.post(f"/sessions/{session}:fork", {"at": at})
        assert refused.value.kind == "too_large"
        assert f"Agent {agent} keeps 2.9 MiB and may keep 4 MiB" in refused.value.message
    assert other.get(f"/agents/{agent}/usage")["kept"]["used"] == used, "nothing is left of what was refused"

    later = {"agent_id": agent, "text": "x" * 30_000, "priority": "later"}
    other.post("/inbox", later)
    other.put(f"/agents/{agent}/state/some", {"value": "x" * 900_000})
    other.put(f"/agents/{agent}/state/rest", {"value": "x" * (4 * 1024**2 - used - 950_000)})
    with pytest.raises(Rejected) as full:
        other.post("/inbox", later)
    assert full.value.kind == "inbox_full"
    assert "nothing more is kept in the inbox" in full.value.message
    copied = other.get(f"/agents/{agent}/files", session_id=fork, scope="session")["items"]
    other.delete(f"/agents/{agent}/files/{copied[0]['file_id']}")
    other.post("/inbox", later)
    other.delete(f"/agents/{agent}/state/some")
    other.post(f"/sessions/{session}:fork", {"at": at})


def _fill(door: Gateway, session_id: str) -> None:
    """Say what the last write left room for."""
    for _ in range(10):
        door.post(f"/sessions/{session_id}/messages", {"text": "x" * 60_000})
