"""After `foldline erase`, no file below the data directory has a byte of the agent's text."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

CANARY = "canary-d6f1e9b0-sings"
OTHERS = "others-4c1a77e2-stay"


def _calls(*calls: tuple[str, dict[str, object]]) -> list[dict[str, object]]:
    return [{"tool_calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]


SCRIPT = {
    "rules": [
        {
            "when": {"user_matches": r"keep (?P<word>\S+)"},
            "turns": [
                *_calls(
                    ("db_sql", {"sql": "CREATE TABLE IF NOT EXISTS t (a)"}),
                    ("db_sql", {"sql": "INSERT INTO t VALUES ('{{ match.word }}')"}),
                    ("set_state", {"key": "word", "value": "{{ match.word }}"}),
                    ("file_create", {"path": "word.txt", "text": "{{ match.word }} " * 20}),
                    ("update_notes", {"content": "{{ match.word }}"}),
                ),
                {"text": "{{ match.word }} is kept"},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def stack(other_stack: Stack, model: ModelServer) -> Stack:
    """What is erased is looked for in all that it keeps."""
    return other_stack


@pytest.fixture
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as gateway:
        yield gateway


@pytest.fixture
def foldline(stack: Stack, tmp_path: Path) -> Command:
    return Command(stack.data_dir, tmp_path)


def say(door: Gateway, text: str, agent: str) -> str:
    created = door.post("/sessions", {"message": text, "agent_id": agent})
    turn = ChatTurn(door, created["id"])
    turn.status = "running"
    for _ in turn.pieces():
        pass
    return turn.session_id


def holding(folder: Path, word: str) -> list[str]:
    """The files below a folder that hold a word."""
    found = subprocess.run(["grep", "-rlF", word, str(folder)], capture_output=True, text=True, check=False)
    return sorted(found.stdout.split("\n"))[1:]


def test_no_byte_of_an_agents_text_is_on_the_disk_once_it_is_erased(
    stack: Stack, door: Gateway, foldline: Command
) -> None:
    for agent, word in (("singer", CANARY), ("stays", OTHERS)):
        door.post("/agents", {"id": agent, "name": word, "starters": False})
        for _ in range(3):
            say(door, f"keep {word}", agent)
    before = holding(stack.data_dir, CANARY)
    assert any("agent-databases" in one for one in before), "the runner has a copy of its database"
    assert any("nats" in one for one in before)
    assert any("postgres" in one for one in before)
    done = foldline("erase", "singer", "--yes", "--json")
    assert done.code == 0, done.err
    assert done.json["left"] == []
    assert holding(stack.data_dir, CANARY) == []
    assert holding(stack.data_dir, OTHERS) != []
    assert door.get("/agents/stays/state/word")["value"] == OTHERS
    assert foldline("projections", "check").code == 0
    assert foldline("doctor").code == 0
    assert say(door, f"keep {OTHERS}", "stays")
