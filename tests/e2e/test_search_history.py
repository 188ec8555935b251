"""`search_history`, as a model uses it: it finds what was said in another session of the agent alone."""

from typing import Any

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.reading import messages

WORD = "Quittenmarmelade"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "look it up"},
            "turns": [
                {"tool_calls": [{"name": "search_history", "arguments": {"query": WORD.lower()[:8]}}]},
                {"text": "Found."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def said(door: Gateway, text: str, agent: str) -> str:
    turn = ChatTurn(door, str(door.post("/sessions", {"agent_id": agent})["id"]))
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"
    return turn.session_id


def test_it_finds_what_was_said_in_the_agents_other_sessions_alone(door: Gateway) -> None:
    mine, others = (str(door.post("/agents", {"name": name})["id"]) for name in ("Mine", "Another"))
    there, elsewhere = said(door, f"I made {WORD}, 12 jars", mine), said(door, f"{WORD} too", others)
    asking = said(door, "look it up", mine)
    results = found(door, asking)
    assert {one["session_id"] for one in results} == {there}
    assert any(one["role"] == "user" and WORD in one["snippet"] for one in results)
    assert elsewhere not in str(results)


def found(door: Gateway, session: str) -> list[dict[str, Any]]:
    (call,) = [call for message in messages(door, session) for call in message["tool_calls"]]
    result: list[dict[str, Any]] = call["result"]["results"]
    return result
