"""What an agent changed of itself stands in a list, with why, and each change can be taken back."""

from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.reading import newest
from foldline_testing.product.stack import Stack


def calling(words: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """A rule: a message with these words makes the model call a tool, and then say that it is done."""
    turns = [{"tool_calls": [{"name": tool, "arguments": arguments}]}, {"text": "Done."}]
    return {"when": {"user_contains": words}, "turns": turns}


SCRIPT = {
    "rules": [
        calling("how many cups", "set_state", key="cups", value=3),
        calling("four cups", "set_state", key="cups", value=4),
        calling("remember tea", "edit_learned_notes", operation="append", content="Likes tea."),
    ]
}


@pytest.fixture(scope="module")
def foldline(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command, where that stack runs."""
    return Command(stack.data_dir, tmp_path_factory.mktemp("folder"))


def said(door: Gateway, text: str, session_id: str) -> None:
    turn = ChatTurn(door, session_id)
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"


def test_each_change_is_a_line_and_the_newest_of_a_thing_is_undone(door: Gateway, foldline: Command) -> None:
    door.post("/agents", {"id": "waiter", "name": "Waiter"})
    session = str(door.post("/sessions", {"agent_id": "waiter"})["id"])
    for text in ("how many cups are there?", "now there are four cups", "remember tea, please"):
        said(door, text, session)
    door.get("/agents/waiter/changes", min_sequence=newest(door, session))
    listed = foldline("changes", "--agent", "waiter", "--json").json
    assert [(one["what"], one["kind"], one["why"]) for one in listed] == [
        ("made", "notes", "remember tea, please"),
        ("changed", "state", "now there are four cups"),
        ("made", "state", "how many cups are there?"),
    ]
    assert {one["session_id"] for one in listed} == {session}
    refused = foldline("changes", "undo", listed[2]["address"], "--agent", "waiter")
    assert refused.code == 1
    assert "changed since" in refused.err
    undone = foldline("changes", "undo", listed[1]["address"], "--agent", "waiter", "--json").json
    assert door.get("/agents/waiter/state/cups")["value"] == 3
    door.get("/agents/waiter/changes", min_sequence=undone["sequence"] + 1)
    again = foldline("changes", "--agent", "waiter", "--kind", "state").out.splitlines()
    assert len(again) == 2
    assert all("(changed since)" in line for line in again)
    assert "changed state cups" in again[0]
