"""A session's files go back with it and forward again, into forks, and into another Foldline."""

import hashlib
from collections.abc import Mapping
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from agent_contracts.files import LARGEST_FILE
from agent_contracts.sessions import session_file
from foldline.cli.client import Gateway
from foldline.cli.main import app
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.reading import newest

NAMES = ("changed-1", "changed-2", "deleted", "replaced", "moved", "one", "two", "kept")


def _call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


_MAKES = [_call("file_create", path=f"{name}.txt", text=f"old {name}") for name in NAMES]
_CHANGES = [
    _call("file_write_text", path="changed-1.txt", text="new 1"),
    _call("file_write_text", path="changed-2.txt", text="new 2"),
    _call("file_write_text", path="changed-2.txt", text=" and more", append=True),
    _call("file_delete", path="deleted.txt"),
    _call("file_delete", path="replaced.txt"),
    _call("file_create", path="replaced.txt", text="another file"),
    _call("file_rename", path="moved.txt", new_path="in a folder/moved.txt"),
    _call("file_rename", path="one.txt", new_path="between.txt"),
    _call("file_rename", path="two.txt", new_path="one.txt"),
    _call("file_rename", path="between.txt", new_path="two.txt"),
    _call("file_create", path="made-1.txt", text="made"),
    _call("file_create", path="made-2.bin", base64="AP8="),
]
SCRIPT = {
    "rules": [
        {"when": {"user_contains": "make files"}, "turns": [{"tool_calls": _MAKES}, {"text": "made"}]},
        {"when": {"user_contains": "change files"}, "turns": [{"tool_calls": _CHANGES}, {"text": "changed"}]},
        {
            "when": {"user_matches": r"read (?P<id>f_\w+)"},
            "turns": [
                {"tool_calls": [_call("file_read_text", file_id="{{ match.id }}")]},
                {"text": "read"},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


def say(door: Gateway, text: str, session: str | None = None) -> str:
    turn = ChatTurn(door, session)
    turn.say(text)
    for _ in turn.pieces():
        pass
    return turn.session_id


def files(door: Gateway, session: str, at: int | None = None) -> dict[str, dict[str, Any]]:
    """What is in its workspace, by path; of what is there now, the bytes are what their hash says."""
    page = door.get("/agents/default/files", session_id=session, scope="session", at=at, limit=1_000)
    found = {one["path"]: one for one in page["items"]}
    for one in found.values() if at is None else ():
        content = door.download(f"/files/{one['file_id']}/content")
        assert hashlib.sha256(content).hexdigest() == one["sha256"]
        assert len(content) == one["size"] <= LARGEST_FILE
    return found


def hashes(found: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    return {path: one["sha256"] for path, one in found.items()}


def sequences(door: Gateway, session: str) -> list[int]:
    """Of each event of a session's own, but what was told it in this Foldline alone, the record."""
    told = session_file.read(door.download(f"/sessions/{session}/export")).events
    return [one.sequence for one in told if one.session_id == session]


def results(door: Gateway, session: str) -> list[Any]:
    """What the calls of the last message came to."""
    messages = door.get(f"/sessions/{session}/state")["messages"]
    return [call for message in messages for call in message["tool_calls"]]


def foldline(door: Gateway, *arguments: str) -> Result:
    """A command, against this Foldline."""
    return CliRunner().invoke(app, arguments, env={"FOLDLINE_URL": door.url, "FOLDLINE_TOKEN": door.token})


@pytest.fixture(scope="module")
def here(door: Gateway) -> Gateway:
    return door


@pytest.fixture(scope="module")
def lived(here: Gateway) -> tuple[str, int, int]:
    """A session that made eight files, and then changed ten; the events before and after that."""
    session = say(here, "make files")
    before = newest(here, session)
    say(here, "change files", session)
    failed = [one for one in results(here, session) if one["error"]]
    assert not failed
    return session, before, newest(here, session)


def test_ten_files_go_back_by_the_command_and_forward_again(
    here: Gateway, lived: tuple[str, int, int]
) -> None:
    session, before, _ = lived
    after, earlier = hashes(files(here, session)), hashes(files(here, session, before))
    assert len(after.items() ^ earlier.items()) > 10
    shown = here.get(f"/sessions/{session}/rewind-preview", to=before)["files"]
    assert len(shown) == 10
    assert not any(one["touched_by_others"] or one["path_taken"] for one in shown)
    done = foldline(here, "rewind", session, "--to", str(before), "--part", "files", "--yes")
    assert done.exit_code == 0, done.output
    assert "moved.txt (version 1, 9 bytes)" in done.output
    assert hashes(files(here, session)) == earlier
    undo = int(done.output.split("To undo this: --to ")[1].split()[0])
    back = here.post(f"/sessions/{session}:rewind", {"to": undo, "parts": ["files"]})
    assert (back["rewound"], back["stays"]) == ({"file": 10}, [])
    assert hashes(files(here, session)) == after


def test_a_session_is_shown_with_its_files_as_they_were(here: Gateway, lived: tuple[str, int, int]) -> None:
    session, before, _ = lived
    shown = foldline(here, "show", session, "--at", str(before))
    assert shown.exit_code == 0, shown.output
    assert "file deleted.txt version 1, 11 bytes" in shown.output
    assert "made-1.txt" not in shown.output


def test_a_fork_has_the_files_of_then_and_its_tools_find_them_by_the_old_ids(
    here: Gateway, lived: tuple[str, int, int]
) -> None:
    session, before, _ = lived
    then, now = files(here, session, before), hashes(files(here, session))
    fork = here.post(f"/sessions/{session}:fork", {"at": before})["id"]
    copies = files(here, fork)
    assert hashes(copies) == hashes(then)
    assert not {one["file_id"] for one in copies.values()} & {one["file_id"] for one in then.values()}
    say(here, f"read {then['deleted.txt']['file_id']}", fork)
    (read,) = results(here, fork)[-1:]
    assert read["error"] is None, read
    assert "old deleted" in str(read["result"])
    say(here, "change files", fork)
    assert hashes(files(here, session)) == now
    assert hashes(files(here, fork)) != hashes(then)
    for one in (session, fork):
        assert here.post(f"/sessions/{one}:replay")["difference"] is None


def test_elsewhere_an_imported_session_has_the_same_files_under_the_same_ids_at_each_of_its_events(
    here: Gateway, other: Gateway, lived: tuple[str, int, int]
) -> None:
    session, _, _ = lived
    file = here.download(f"/sessions/{session}/export")
    imported = other.upload("/sessions:import", file)
    assert (imported["id"], imported["left_out"]) == (session, [])
    mine, theirs = files(here, session), files(other, session)
    assert hashes(theirs) == hashes(mine)
    ids = [{path: one["file_id"] for path, one in found.items()} for found in (mine, theirs)]
    assert ids[0] == ids[1]
    assert other.post(f"/sessions/{session}:replay")["difference"] is None
    moments = [sequences(door, session) for door in (here, other)]
    seen = [
        [hashes(files(here, session, was)), hashes(files(other, session, now))]
        for was, now in zip(*moments, strict=True)
    ]
    assert all(was == now for was, now in seen)
    assert len({tuple(sorted(was.items())) for was, _ in seen}) > 4, "they changed in between"


def test_elsewhere_it_is_shown_with_its_files_as_they_were_and_they_go_back(
    here: Gateway, other: Gateway, lived: tuple[str, int, int]
) -> None:
    session, before, _ = lived
    file = here.download(f"/sessions/{session}/export")
    new = other.upload("/sessions:import", file, ids="new")["id"]
    then = sequences(other, new)[sequences(here, session).index(before)]
    shown = foldline(other, "show", new, "--at", str(then))
    assert "file deleted.txt version 1, 11 bytes" in shown.output, shown.output
    assert "made-1.txt" not in shown.output
    now = hashes(files(other, new))
    back = other.post(f"/sessions/{new}:rewind", {"to": then, "parts": ["files"]})
    assert back["stays"] == []
    assert hashes(files(other, new)) == hashes(files(here, session, before)) != now
