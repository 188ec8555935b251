"""Host mode on a real Foldline: each command waits for a person's yes, also one of a pack, in any policy."""

from collections.abc import Iterator
from typing import Any

import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.approving import allowed, asked, calls_of, last_call, until
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

COMMAND = {"command": 'echo "$PWD" ran >> by-hand.txt; cat by-hand.txt'}
CODE = {"code": "print(open('by-hand.txt').read().count('ran'))"}


def _rule(said: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {"name": tool, "arguments": arguments}
    return {"when": {"user_contains": said}, "turns": [{"tool_calls": [call]}, {"text": "Done."}]}


SCRIPT = {
    "rules": [
        _rule("by the core", "run_command", COMMAND),
        _rule("by the pack", "execute_shell", COMMAND),
        _rule("how often", "execute_python", CODE),
    ]
}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Its agents' policy allows everything."""
    folder = tmp_path_factory.mktemp("host")
    with ModelServer(SCRIPT) as model:
        env = model.environment() | {"FOLDLINE_WORKSPACE_HOST_MODE": "true"}
        with Stack(folder, env=env) as stack, stack.gateway() as door:
            until(lambda: "run_command" in str(door.get("/runners")["offers"]))
            for pack in ("wintermute", "libragent"):
                door.post("/agents", {"id": pack, "name": pack, "starters": False})
                door.put(f"/agents/{pack}/packs", {"packs": [pack], "version": 0})
                door.put(f"/agents/{pack}/policy", {"preset": "free", "rules": []})
            yield door
            every_session_replays(stack)


@pytest.mark.parametrize(
    ("agent", "said", "tool"),
    [
        ("wintermute", "by the core", "run_command"),
        ("wintermute", "by the pack", "wintermute.execute_shell"),
        ("libragent", "by the pack", "libragent.execute_shell"),
    ],
)
def test_each_command_runs_after_a_yes_of_its_own(door: Gateway, agent: str, said: str, tool: str) -> None:
    session = door.post("/sessions", {"message": said, "agent_id": agent})["id"]
    assert asked(door, session)["tool"] == tool
    allowed(door, session)
    [call] = calls_of(door, session)
    assert call["result"]["exit_code"] == 0, call
    assert call["result"]["stdout"].endswith(" ran\n")
    assert not call["result"]["stdout"].startswith("/workspace"), "nothing keeps it in"

    door.post(f"/sessions/{session}/messages", {"text": said})
    allowed(door, session)
    assert last_call(door, session)["result"]["stdout"].count(" ran\n") == 2


def test_what_a_person_refuses_does_not_run(door: Gateway) -> None:
    session = door.post("/sessions", {"message": "by the pack", "agent_id": "libragent"})["id"]
    no = {"decision": "refuse", "reason": "Not now"}
    call = asked(door, session)
    door.post(f"/sessions/{session}/tool-responses", {"call_id": call["call_id"], "response": no})
    assert last_call(door, session)["error"]["kind"] == "refused"
    door.post(f"/sessions/{session}/messages", {"text": "how often"})
    allowed(door, session)
    assert "by-hand.txt" in last_call(door, session)["result"]["stderr"], "it was never made"
