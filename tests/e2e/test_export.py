"""A session in one file: out of one Foldline, into another, and everything about it is still exact."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.main import app
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import listed, newest

HELPERS = [{"name": "spawn_session", "arguments": {"task": f"[helper] {what}"}} for what in ("tea", "milk")]
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "paint"},
            "turns": [
                {"tool_calls": [{"name": "set_state", "arguments": {"key": "wall", "value": "red"}}]},
                {"text": "painted"},
            ],
        },
        {
            "when": {"user_matches": r"\[helper\] (?P<what>.*)"},
            "turns": [
                {"tool_calls": [{"name": "report_result", "arguments": {"result": "{{ match.what }}"}}]}
            ],
        },
        {
            "when": {"user_contains": "two helpers"},
            "turns": [
                {"tool_calls": HELPERS},
                {
                    "tool_calls": [
                        {
                            "name": "wait_for_sessions",
                            "arguments": {"ids": "{{ results | map(attribute='id') | list }}"},
                        }
                    ]
                },
                {"text": "they are back"},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def here(other: Gateway) -> Gateway:
    return other


@pytest.fixture(scope="module")
def there(door: Gateway) -> Gateway:
    """Another Foldline, whose log has come further."""
    for _ in range(3):
        say(door, "something else")
    return door


def say(door: Gateway, text: str, session: str | None = None) -> str:
    turn = ChatTurn(door, session)
    turn.say(text)
    while turn.status not in ("idle", "completed", "error"):
        turn.status = "running"
        for _ in turn.pieces():
            pass
    return turn.session_id


@pytest.fixture(scope="module")
def lived(here: Gateway) -> str:
    """A session with a past: tools, helpers, a rewind; a fork of another, that went back as well."""
    first = say(here, "paint the wall")
    at = here.get(f"/sessions/{first}")["last_sequence"]
    say(here, "this is not in the fork", first)
    here.post(f"/sessions/{first}:rewind", {"to": at, "parts": ["conversation"]})
    middle = newest(here, say(here, "after the rewind", first))
    fork: str = here.post(f"/sessions/{first}:fork", {"at": middle, "message": "paint it again"})["id"]
    followed = ChatTurn(here, fork)
    followed.status = "running"
    for _ in followed.pieces():
        pass
    say(here, "ask two helpers", fork)
    point = newest(here, fork)
    say(here, "a word too much", fork)
    here.post(f"/sessions/{fork}:rewind", {"to": point, "parts": ["conversation"]})
    return fork


def exported(door: Gateway, session: str) -> bytes:
    return door.download(f"/sessions/{session}/export")


def told(door: Gateway, session: str) -> list[tuple[str, str]]:
    messages = door.get(f"/sessions/{session}/state")["messages"]
    return [(message["role"], message["text"]) for message in messages]


def model_calls(door: Gateway, session: str) -> list[dict[str, Any]]:
    """Each model call as `show --call` prints it, but for where it stands in the log."""
    found = []
    for number in range(1, 1 + door.get(f"/sessions/{session}/state")["model_calls"]):
        call = door.get(f"/sessions/{session}/model-calls/{number}")
        call["parts"] = [{k: v for k, v in part.items() if k != "sequence"} for part in call["parts"]]
        found.append({k: v for k, v in call.items() if not k.endswith("_sequence") and k != "session_id"})
    return found


def replays(door: Gateway, *sessions: str) -> None:
    for session in sessions:
        report = door.post(f"/sessions/{session}:replay")
        assert report["difference"] is None, report


def test_an_imported_session_replays_and_shows_what_each_call_saw(
    here: Gateway, there: Gateway, lived: str, model: ModelServer
) -> None:
    asked, had = model.recording.count, there.get("/agents/default/state")["items"]
    file = exported(here, lived)
    imported = there.upload("/sessions:import", file)
    assert imported["id"] == lived
    assert len(imported["sessions"]) == 2
    replays(there, *imported["sessions"])
    assert told(there, lived) == told(here, lived)
    assert model_calls(there, lived) == model_calls(here, lived)
    assert listed(there, lived)["status"] == "idle"

    assert model.recording.count == asked, "nothing that was imported runs again"
    assert there.get("/agents/default/state")["items"] == had
    assert {one["id"] for one in there.get("/sessions", limit=100)["items"]} >= set(imported["sessions"])

    say(there, "go on", lived)
    assert told(there, lived)[-1] == ("assistant", "You said: go on")
    replays(there, lived)


def test_the_same_session_is_not_imported_twice_but_under_new_ids(here: Gateway, lived: str) -> None:
    file = exported(here, lived)
    with pytest.raises(Rejected, match="already"):
        here.upload("/sessions:import", file)
    imported = here.upload("/sessions:import", file, ids="new")
    assert lived not in imported["sessions"]
    replays(here, *imported["sessions"])
    assert told(here, imported["id"]) == told(here, lived)
    again = exported(here, imported["id"])
    with pytest.raises(Rejected, match="already"):
        here.upload("/sessions:import", again)


def test_a_damaged_file_is_refused_and_leaves_nothing(here: Gateway, there: Gateway) -> None:
    session = say(here, "hello")
    file = exported(here, session)
    for damaged in (
        file.replace(b"hello", b"hallo", 1),
        file[: len(file) // 2],
        file.replace(b'"version":1', b'"version":2', 1),
        b"",
        b"{}\n",
    ):
        with pytest.raises(Rejected, match="can't be imported"):
            there.upload("/sessions:import", damaged)
    with pytest.raises(Rejected, match="no session"):
        there.get(f"/sessions/{session}")
    with pytest.raises(Rejected, match="no agent"):
        there.upload("/sessions:import", file, agent_id="nobody")


def foldline(door: Gateway, *arguments: str) -> Result:
    """A command, against one of the two."""
    token = door.token
    return CliRunner().invoke(app, arguments, env={"FOLDLINE_URL": door.url, "FOLDLINE_TOKEN": token})


def test_the_commands_write_the_file_and_read_it(here: Gateway, there: Gateway, tmp_path: Path) -> None:
    session = say(here, "by the commands")
    path = str(tmp_path / "session.jsonl")
    assert foldline(here, "export", session, "--to", path).exit_code == 0
    imported = foldline(there, "import", path, "--ids", "new", "--json")
    assert imported.exit_code == 0, imported.output
    replays(there, json.loads(imported.output)["id"])
    missing = foldline(there, "import", str(tmp_path / "nothing"))
    assert missing.exit_code == 1
