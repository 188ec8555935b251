"""An agent changes what it is told; the next model call sees exactly that, and older ones what they saw."""

from typing import Any

from agent_contracts.entities.agent_texts import DEFAULT_PROMPT
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn


def calling(words: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """A rule: a message with these words makes the model call a tool, and then say what it got."""
    turns = [{"tool_calls": [{"name": tool, "arguments": arguments}]}, {"text": "Done."}]
    return {"when": {"user_contains": words}, "turns": turns}


SCRIPT = {
    "rules": [
        calling("be kind", "edit_system_prompt", operation="append", content="\r\nBe kind. 🌻 \n"),
        calling("remember", "edit_learned_notes", operation="append", content="Likes tea."),
        calling("note down", "write_notepad", content="1. dig\n"),
        calling("lose something", "edit_system_prompt", operation="delete", content="not in there"),
        {"reply": {"text": "Hello."}},
    ]
}


def begun(door: Gateway, agent: str) -> str:
    """A new session of an agent."""
    return str(door.post("/sessions", {"agent_id": agent})["id"])


def said(door: Gateway, text: str, session_id: str) -> str:
    """Say something, and follow it until it settles; the session."""
    turn = ChatTurn(door, session_id)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"
    return turn.session_id


def system(door: Gateway, session_id: str, call: int) -> str:
    """The system prompt that a model call saw."""
    shown = door.get(f"/sessions/{session_id}/model-calls/{call}")
    return str(shown["request"]["messages"][0]["content"])


def test_an_agent_reads_its_new_texts_in_its_very_next_call(door: Gateway) -> None:
    assert "default" in [agent["id"] for agent in door.get("/agents")["items"]]
    door.post("/agents", {"id": "gardener", "name": "Gardener"})
    prompt = door.get("/agents/gardener/prompt")
    assert (prompt["text"], prompt["version"]) == (DEFAULT_PROMPT, 1)

    session = said(door, "be kind", begun(door, "gardener"))
    kinder = f"{DEFAULT_PROMPT}\r\nBe kind. 🌻 \n"
    assert system(door, session, 1).startswith(f"{DEFAULT_PROMPT}\n\n# More tools")
    assert system(door, session, 2).startswith(f"{kinder}\n\n# More tools")
    prompt = door.get("/agents/gardener/prompt")
    assert (prompt["text"], prompt["version"], prompt["session_id"]) == (kinder, 2, session)

    said(door, "remember", session)
    said(door, "note down", session)
    newest = system(door, session, 6)
    assert newest.startswith(f"{kinder}\n\n# What you have learned\n\nLikes tea.\n\n# More tools")
    assert newest.endswith("\n\n# This session's notepad\n\n1. dig\n")
    assert "notepad\n\n1. dig" not in system(door, session, 5)

    other = said(door, "hello", begun(door, "gardener"))
    assert system(door, other, 1).startswith(f"{kinder}\n\n# What you have learned\n\nLikes tea.\n\n")
    assert "1. dig" not in system(door, other, 1)

    door.post("/agents/gardener/prompt:revert", {"version": 1})
    said(door, "hello", session)
    assert system(door, session, 7).startswith(f"{DEFAULT_PROMPT}\n\n# What you have learned")
    assert system(door, session, 1).startswith(f"{DEFAULT_PROMPT}\n\n# More tools")
    assert system(door, session, 2).startswith(f"{kinder}\n\n# More tools")


def test_an_edit_that_cant_be_made_is_told_to_the_model(door: Gateway) -> None:
    session = said(door, "lose something", begun(door, "default"))
    (call,) = [
        call
        for message in door.get(f"/sessions/{session}/state")["messages"]
        for call in message["tool_calls"]
    ]
    assert (call["status"], call["error"]["kind"], call["error"]["path"]) == (
        "failed",
        "rejected",
        "/content",
    )


def test_another_agent_has_a_prompt_and_notes_of_its_own(door: Gateway) -> None:
    door.post("/agents", {"id": "pirate", "name": "Pirate", "prompt": "Arr."})
    session = said(door, "be kind", begun(door, "pirate"))
    assert system(door, session, 1).startswith("Arr.\n\n# More tools")
    assert system(door, session, 2).startswith("Arr.\r\nBe kind. 🌻 \n\n\n# More tools")
    assert door.get("/agents/pirate/notes")["version"] == 0
