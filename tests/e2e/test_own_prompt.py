"""An agent changes what it is told; the next model call sees exactly that, and older ones what they saw."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from agent_contracts.agent_texts import DEFAULT_PROMPT
from foldline.cli.client import Gateway
from foldline.cli.turns import Turn
from foldline.testing.model_server import ModelServer
from foldline.testing.stack import Stack


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


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with (
        ModelServer(SCRIPT) as model,
        Stack(tmp_path_factory.mktemp("stack"), env=model.environment()) as started,
    ):
        yield started


@pytest.fixture(scope="module")
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as opened:
        yield opened


def said(door: Gateway, text: str, session_id: str | None = None) -> str:
    """Say something, and follow it until it settles; the session."""
    turn = Turn(door, session_id)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"
    assert turn.session_id is not None
    return turn.session_id


def system(door: Gateway, session_id: str, call: int) -> str:
    """The system prompt that a model call saw."""
    shown = door.get(f"/sessions/{session_id}/model-calls/{call}")
    return str(shown["request"]["messages"][0]["content"])


def test_an_agent_reads_its_new_texts_in_its_very_next_call(stack: Stack, door: Gateway):
    agents = door.get("/agents")["agents"]
    assert [agent["id"] for agent in agents] == ["default"]
    prompt = door.get("/agents/default/prompt")
    assert (prompt["text"], prompt["version"], prompt["actor"]) == (DEFAULT_PROMPT, 1, "service")

    session = said(door, "be kind")
    kinder = f"{DEFAULT_PROMPT}\r\nBe kind. 🌻 \n"
    assert system(door, session, 1).startswith(f"{DEFAULT_PROMPT}\n\n# Now")
    assert system(door, session, 2).startswith(f"{kinder}\n\n# Now")
    prompt = door.get("/agents/default/prompt")
    assert (prompt["text"], prompt["version"], prompt["session_id"]) == (kinder, 2, session)

    said(door, "remember", session)
    said(door, "note down", session)
    newest = system(door, session, 6)
    assert newest.startswith(f"{kinder}\n\n# What you have learned\n\nLikes tea.\n\n# Now")
    assert newest.endswith("\n\n# This session's notepad\n\n1. dig\n")
    assert "notepad\n\n1. dig" not in system(door, session, 5)

    other = said(door, "hello")
    assert system(door, other, 1).startswith(f"{kinder}\n\n# What you have learned\n\nLikes tea.\n\n")
    assert "1. dig" not in system(door, other, 1)

    door.post("/agents/default/prompt/revert", {"version": 1})
    said(door, "hello", session)
    assert system(door, session, 7).startswith(f"{DEFAULT_PROMPT}\n\n# What you have learned")
    assert system(door, session, 1).startswith(f"{DEFAULT_PROMPT}\n\n# Now")
    assert system(door, session, 2).startswith(f"{kinder}\n\n# Now")


def test_an_edit_that_cant_be_made_is_told_to_the_model(door: Gateway):
    session = said(door, "lose something")
    (call,) = [
        call
        for message in door.get(f"/sessions/{session}/messages")["messages"]
        for call in message["tool_calls"]
    ]
    assert (call["status"], call["error"]["kind"], call["error"]["path"]) == (
        "failed",
        "rejected",
        "/content",
    )


def test_another_agent_has_a_prompt_and_notes_of_its_own(stack: Stack, door: Gateway):
    door.post("/agents", {"id": "pirate", "name": "Pirate", "prompt": "Arr."})
    headers = {"Authorization": f"Bearer {stack.token}"}
    created = httpx.post(f"{stack.url}/api/v1/sessions", json={"agent_id": "pirate"}, headers=headers)
    session = said(door, "be kind", created.json()["id"])
    assert system(door, session, 1).startswith("Arr.\n\n# Now")
    assert system(door, session, 2).startswith("Arr.\r\nBe kind. 🌻 \n\n\n# Now")
    assert door.get("/agents/pirate/notes")["version"] == 0
