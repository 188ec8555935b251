"""Commands on a real Foldline: asked for, allowed by a person, run, rolled back; a host that is killed."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline.testing.model_server import ModelServer
from foldline.testing.replaying import every_session_replays
from foldline.testing.stack import Stack

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

ONCE = {"decision": "once"}


def _runs(said: str, command: str) -> dict[str, Any]:
    call = {"name": "run_command", "arguments": {"command": command}}
    return {"when": {"user_contains": said}, "turns": [{"tool_calls": [call]}, {"text": "Done."}]}


SCRIPT = {
    "rules": [
        _runs("make it", "echo one > made.txt; echo begun"),
        {
            "when": {"user_contains": "by the pack"},
            "turns": [
                {
                    "tool_calls": [
                        {"name": "execute_shell", "arguments": {"command": "echo a > by-pack.txt; pwd"}}
                    ]
                },
                {"text": "Done."},
            ],
        },
        _runs("go on", "cat made.txt; echo two >> made.txt"),
        _runs("wait long", "echo begun > begun.txt; sleep 500"),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer(SCRIPT) as model:
        yield model


@pytest.fixture(scope="module")
def stack(script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("commands"), processes=True, env=script.environment()) as stack:
        yield stack
        every_session_replays(stack)


@pytest.fixture
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as door:
        yield door


def until(condition: Callable[[], Any], seconds: float = 60) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def standing(door: Gateway, session: str, status: str) -> dict[str, Any]:
    """The session's state, once it stands so."""

    def stands() -> dict[str, Any] | None:
        state: dict[str, Any] = door.get(f"/sessions/{session}/state")
        return state if state["status"] == status else None

    found: dict[str, Any] = until(stands)
    return found


def begun(door: Gateway, text: str) -> str:
    session: str = door.post("/sessions", {"message": text})["id"]
    return session


def allowed(door: Gateway, session: str) -> None:
    """A person says yes to what waits for one."""
    [call] = standing(door, session, "waiting_for_input")["open_calls"]
    assert (call["requested"], call["show"]["kind"]) == (None, "approval")
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call["call_id"], "response": ONCE})


def last_call(door: Gateway, session: str) -> dict[str, Any]:
    state = standing(door, session, "idle")
    calls: list[dict[str, Any]] = [call for one in state["messages"] for call in one["tool_calls"]]
    return calls[-1]


def text_of(door: Gateway, session: str, path: str) -> str | None:
    page = door.get("/agents/default/files", session_id=session, scope="session", limit=100)
    found = [one for one in page["files"] if one["path"] == path]
    return door.download(f"/files/{found[0]['file_id']}/content").decode() if found else None


def test_a_command_is_asked_for_runs_and_is_rolled_back(stack: Stack, door: Gateway) -> None:
    assert stack.pids("workspace-host") == [], "nobody needed it yet"
    until(lambda: "run_command" in str(door.get("/runners")["offers"]))
    session = begun(door, "make it")
    assert text_of(door, session, "made.txt") is None
    allowed(door, session)
    result = last_call(door, session)["result"]
    assert (result["stdout"], result["exit_code"], result["isolation"]) == ("begun\n", 0, "full")
    assert [(one["path"], one["change"]) for one in result["changed"]] == [("made.txt", "created")]
    assert text_of(door, session, "made.txt") == "one\n"
    before = door.get(f"/sessions/{session}/state")["last_sequence"]

    door.post(f"/sessions/{session}/messages", {"text": "go on"})
    allowed(door, session)
    assert last_call(door, session)["result"]["stdout"] == "one\n"
    assert text_of(door, session, "made.txt") == "one\ntwo\n"

    door.post(f"/sessions/{session}/rollback", {"to": before, "parts": ["conversation", "files"]})
    until(lambda: text_of(door, session, "made.txt") == "one\n")
    door.post(f"/sessions/{session}/messages", {"text": "go on"})
    allowed(door, session)
    assert last_call(door, session)["result"]["stdout"] == "one\n", "the folder went back, too"


def test_a_command_that_a_person_refuses_does_not_run(door: Gateway) -> None:
    session = begun(door, "make it")
    [call] = standing(door, session, "waiting_for_input")["open_calls"]
    no = {"decision": "refuse", "reason": "Not now"}
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call["call_id"], "response": no})
    assert last_call(door, session)["error"]["kind"] == "refused"
    assert text_of(door, session, "made.txt") is None


def test_a_host_that_is_killed_in_a_command_ends_it_and_it_is_never_run_again(
    stack: Stack, door: Gateway
) -> None:
    session = begun(door, "wait long")
    allowed(door, session)
    until(lambda: _sleeps("500"))
    stack.kill("workspace-host")
    ended = last_call(door, session)
    assert ended["error"]["kind"] == "outcome_unknown"
    assert not _sleeps("500"), "the command ended with its host"
    session = begun(door, "make it")
    allowed(door, session)
    assert last_call(door, session)["result"]["exit_code"] == 0, "another host goes on"


def test_a_packs_shell_runs_on_the_same_host(door: Gateway) -> None:
    door.post("/agents", {"id": "sailor", "name": "Sailor", "starters": False})
    door.put("/agents/sailor/packs", {"packs": ["wintermute"], "version": 0})
    session = door.post("/sessions", {"message": "by the pack", "agent_id": "sailor"})["id"]
    allowed(door, session)
    assert last_call(door, session)["result"] == {"stdout": "/workspace\n", "stderr": "", "exit_code": 0}
    page = door.get("/agents/sailor/files", session_id=session, scope="session", limit=100)
    assert [one["path"] for one in page["files"]] == ["by-pack.txt"]


def _sleeps(seconds: str) -> bool:
    """Whether such a command runs on the machine."""
    wanted = b"sleep\0" + seconds.encode() + b"\0"
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes() == wanted:
                return True
        except OSError:
            continue
    return False
