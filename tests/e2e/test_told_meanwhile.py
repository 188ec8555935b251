"""What people are told while a turn goes on in spite of something: retries, and tools in quarantine."""

from typing import Any

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.reading import messages

_SAID = "Invalid schema for function 'moody': not today."
_MOODY = {
    "name": "moody",
    "description": "Moody.",
    "parameter_schema": {"type": "object", "properties": {"n": {"type": "number"}}},
    "code": "return args.n",
}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "stumble"},
            "reply": {"text": "Here I am.", "fault": {"kind": "server_error", "status": 503, "times": 1}},
        },
        {
            "when": {"user_contains": "moody", "offered": ["moody"]},
            "reply": {"fault": {"kind": "bad_request", "message": _SAID}},
        },
        {
            "when": {"user_contains": "moody"},
            "turns": [_call("create_tool", _MOODY), _call("moody", {"n": 1}), {"text": "Out of order."}],
        },
        {
            "when": {"user_contains": "mend it"},
            "turns": [
                _call("update_tool", {"name": "moody", "code": "return 7"}),
                _call("moody", {"n": 1}),
                _call("delete_tool", {"name": "moody"}),
                {"text": "It works."},
            ],
        },
    ]
}


def said(turn: ChatTurn, text: str) -> str:
    """What `foldline send` prints."""
    turn.say(text)
    return "".join(piece.text for piece in turn.pieces())


def test_that_the_model_is_asked_again_is_seen_with_the_reason(door: Gateway) -> None:
    turn = ChatTurn(door, None)
    printed = said(turn, "stumble once")
    assert "asking again, 2 of 2, in " in printed
    assert "s: its server failed (503)" in printed
    assert printed.endswith("Here I am.")


def test_a_tool_that_the_models_server_refuses_is_told_and_works_again_once_edited(door: Gateway) -> None:
    turn = ChatTurn(door, None)
    printed = said(turn, "make a moody tool")
    assert "The agent's tool moody (version 1) is in quarantine" in printed
    assert _SAID in printed
    assert turn.answer == "Out of order."
    assert turn.status == "idle"
    assert any("is in quarantine" in one["text"] for one in messages(door, turn.session_id))
    shown = [one["type"] for one in door.get(f"/sessions/{turn.session_id}/timeline", limit=50)["items"]]
    assert shown.count("tool_quarantined") == 1
    [moody] = [one for one in door.get("/agents/default/tools")["items"] if one["name"] == "moody"]
    assert "is in quarantine" in moody["quarantined"]
    said(turn, "mend it")
    assert turn.answer == "It works."
