"""The packs' shells and programs on a real Foldline: they run on the workspace host, in one workspace."""

from collections.abc import Iterator
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.approving import allowed, asked, calls_of, last_call, standing, text_of, until
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

SLOW = "echo begun > slow.txt; echo first; sleep 3; echo last; echo ended >> slow.txt"
STARTED = "{{ results[0].command_id }}"
ADDS = "total = sum(range(5))\nopen('sum.txt', 'w').write(str(total))\nprint(total)"


def _rule(said: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """What the model calls, one after the other, once somebody said that."""
    turns = [{"tool_calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]
    return {"when": {"user_contains": said}, "turns": [*turns, {"text": "Done."}]}


SCRIPT = {
    "rules": [
        _rule("by wintermute", ("execute_shell", {"command": "echo a > by-pack.txt; pwd"})),
        _rule("add up", ("execute_python", {"code": ADDS})),
        _rule("it fails", ("execute_python", {"code": "import sys; sys.exit('no boats')"})),
        _rule("make docs", ("execute_shell", {"command": "mkdir docs && echo a > docs/a.txt"})),
        _rule("look in there", ("execute_shell", {"command": "pwd; cat ../sum.txt", "working_dir": "docs"})),
        _rule("too long", ("execute_shell", {"command": "echo so far; sleep 60", "timeout": 1})),
        _rule(
            "in the background",
            ("execute_shell", {"command": SLOW, "run_mode": "async"}),
            ("command_output", {"command_id": STARTED, "wait_s": 20}),
        ),
        _rule(
            "and then stop it",
            ("execute_shell", {"command": "echo up; sleep 500", "run_mode": "async"}),
            ("stop_command", {"command_id": STARTED}),
        ),
        _rule(
            "[mate] go on",
            ("execute_shell", {"command": "cat log.txt; echo mate >> log.txt"}),
            ("report_result", {"result": "It is written."}),
        ),
        _rule(
            "with a mate",
            ("execute_shell", {"command": "echo captain > log.txt"}),
            ("spawn_session", {"task": "[mate] go on"}),
            ("wait_for_sessions", {"ids": ["{{ results[1].id }}"]}),
            ("execute_shell", {"command": "cat log.txt"}),
        ),
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("commands")
    with ModelServer(SCRIPT) as model, Stack(folder, env=model.environment()) as stack:
        yield stack
        every_session_replays(stack)


@pytest.fixture(scope="module")
def door(stack: Stack) -> Iterator[Gateway]:
    with stack.gateway() as door:
        until(lambda: "run_command" in str(door.get("/runners")["offers"]))
        for agent, pack in (("captain", "wintermute"), ("librarian", "libragent")):
            door.post("/agents", {"id": agent, "name": agent, "starters": False})
            door.put(f"/agents/{agent}/packs", {"packs": [pack], "version": 0})
        yield door


def begun(door: Gateway, text: str, agent: str = "librarian") -> str:
    session: str = door.post("/sessions", {"message": text, "agent_id": agent})["id"]
    return session


def said(door: Gateway, session: str, text: str) -> dict[str, Any]:
    """Somebody says it, and yes to what is asked for; the call that came of it."""
    door.post(f"/sessions/{session}/messages", {"text": text})
    allowed(door, session)
    return last_call(door, session)


def test_wintermutes_shell_runs_in_the_workspace(door: Gateway) -> None:
    session = begun(door, "by wintermute", "captain")
    allowed(door, session)
    assert last_call(door, session)["result"] == {"stdout": "/workspace\n", "stderr": "", "exit_code": 0}
    assert text_of(door, session, "by-pack.txt", "captain") == "a\n"


def test_libragents_programs_and_commands_run_in_one_workspace(door: Gateway) -> None:
    session = begun(door, "add up")
    assert asked(door, session)["tool"] == "libragent.execute_python"
    assert text_of(door, session, "sum.txt", "librarian") is None
    allowed(door, session)
    result = last_call(door, session)["result"]
    assert (result["status"], result["exit_code"], result["stdout"]) == ("exited", 0, "10\n")
    assert result["changed"] == ["sum.txt (created)"]
    assert text_of(door, session, "sum.txt", "librarian") == "10"

    result = said(door, session, "it fails")["result"]
    assert (result["status"], result["exit_code"], result["stderr"]) == ("exited", 1, "no boats\n")
    missing = said(door, session, "look in there")
    assert missing["error"]["message"].startswith("there is no folder 'docs'")
    assert said(door, session, "make docs")["result"]["changed"] == ["docs/a.txt (created)"]
    assert said(door, session, "look in there")["result"]["stdout"] == "/workspace/docs\n10"


def test_libragents_shell_that_takes_too_long_ends_with_what_it_wrote(door: Gateway) -> None:
    session = begun(door, "too long")
    allowed(door, session)
    error = last_call(door, session)["error"]
    assert error["kind"] == "timeout"
    assert "so far" in error["message"]


def test_libragents_shell_goes_on_in_the_background_and_is_polled(door: Gateway) -> None:
    session = begun(door, "in the background")
    allowed(door, session)
    started, polled = (call["result"] for call in calls_of(door, session))
    assert (started["status"], started["stdout"]) == ("running", "first\n")
    assert (polled["ending"], polled["exit_code"], polled["stdout"]) == ("exited", 0, "last\n")
    assert text_of(door, session, "slow.txt", "librarian") == "begun\nended\n"


def test_libragents_shell_in_the_background_is_stopped(door: Gateway) -> None:
    session = begun(door, "and then stop it")
    allowed(door, session)
    started, stopped = (call["result"] for call in calls_of(door, session))
    assert (started["status"], started["stdout"]) == ("running", "up\n")
    assert (stopped["command_id"], stopped["ending"]) == (started["command_id"], "stopped")


def test_a_sub_session_works_in_the_workspace_of_the_session_at_the_top(door: Gateway) -> None:
    session = begun(door, "with a mate")
    allowed(door, session)
    [mate] = until(lambda: door.get(f"/sessions/{session}")["children"])
    allowed(door, mate["id"])
    state = standing(door, mate["id"], "completed")
    [shell, _] = [call for one in state["messages"] for call in one["tool_calls"]]
    assert shell["result"]["stdout"] == "captain\n", "what the session at the top wrote is there"
    allowed(door, session)
    assert last_call(door, session)["result"]["stdout"] == "captain\nmate\n"
    assert text_of(door, session, "log.txt", "librarian") == "captain\nmate\n"
