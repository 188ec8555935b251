"""A foreign server has a model asked in the middle of a call: once, on the session's account. Or a person,
who doesn't answer."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from agent_contracts import service_names
from agent_contracts.errors import Rejected
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.asker import asker
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

SERVER = "/agents/default/mcp-servers/asker"
BOTH = pytest.mark.parametrize("old", [False, True], ids=["2026-07-28", "2025-11-25"])
QUESTION = "Which is the better half?"
COSTS = {"prompt_tokens": 1_111, "completion_tokens": 22}


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def stack(script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("sampling")
    env = {**script.environment(), "FOLDLINE_ACK_WAIT": "5", "FOLDLINE_MCP_HELD": "5"}
    with Stack(folder, processes=True, replicas={service_names.MCP_HOST: 2}, env=env) as stack:
        with stack.gateway() as door:
            door.put("/agents/default/policy", {"preset": "free", "rules": []})
        yield stack


@pytest.fixture
def done(stack: Stack, old: bool) -> Iterator[list[str]]:
    """A server that may have models asked, accepted; what it did."""
    server, done = asker()
    with addressed(server, old=old) as here:
        with stack.gateway() as door:
            door.put(SERVER, {"transport": {"kind": "http", "url": here.url}, "sampling": True})
            door.post(f"{SERVER}:allow", {"private": True})
            door.post(f"{SERVER}:test", {})
            version = door.get(f"{SERVER}/tools")["version"]
            read_only = {"sample": True}
            door.post(f"{SERVER}:accept", {"version": version, "read_only": read_only})
        yield done
    with stack.gateway() as door:
        door.delete(SERVER)


def played(door: Gateway, script: ModelServer, first_s: float = 0) -> ChatTurn:
    """A turn in which the server has a model asked, which begins to answer after so many seconds."""
    call = {"tool_calls": [{"name": "asker__sample", "arguments": {"said": QUESTION}}]}
    answer = {"text": "The left one.", "usage": COSTS, "pace": {"first": first_s}}
    sampled = {"when": {"user_contains": QUESTION}, "reply": answer}
    script.play({"rules": [sampled, {"turns": [call, {"text": "Done."}]}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    for _ in turn.pieces():
        pass
    return turn


def ended(door: Gateway, session: str) -> dict[str, Any]:
    (call,) = [one for message in messages(door, session) for one in message["tool_calls"]]
    return dict(call)


def result_of(door: Gateway, session: str) -> dict[str, Any]:
    """The event that ended the call, as it is in the log."""
    events = door.get(f"/sessions/{session}/events", limit=200)["items"]
    ends = ("tool_call_completed", "tool_call_failed")
    (found,) = [one for one in events if one["type"].split(".")[-2] in ends]
    return dict(found["body"])


def asked_of_it(script: ModelServer) -> int:
    """How many times the model was asked what the server has it asked."""
    return sum(QUESTION in str(one.body["messages"][-1]) for one in script.recording.requests)


@BOTH
def test_a_model_is_asked_by_the_models_own_way_and_the_session_pays(
    stack: Stack, script: ModelServer, done: list[str], old: bool
) -> None:
    with stack.gateway() as door:
        before = asked_of_it(script)
        turn = played(door, script)
        assert ended(door, turn.session_id)["error"] is None
        told = result_of(door, turn.session_id)
        session = door.get(f"/sessions/{turn.session_id}")
    assert len(done) == 1
    assert "The left one." in done[0]
    assert told["usage"]["input"] == COSTS["prompt_tokens"]
    assert told["sampled"][0]["answered"] == "The left one."
    assert session["usage"]["input"] > COSTS["prompt_tokens"], "it counts toward the session's limit"
    assert asked_of_it(script) == before + 1


@pytest.mark.faults
@BOTH
def test_a_host_that_is_killed_while_a_model_answers_leaves_one_unknown_outcome_and_pays_once(
    stack: Stack, script: ModelServer, done: list[str], old: bool
) -> None:
    killed: list[int] = []
    before = asked_of_it(script)

    def kill() -> None:
        deadline = time.monotonic() + 60
        while asked_of_it(script) == before:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for pid in stack.pids(service_names.MCP_HOST):
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    killing = threading.Thread(target=kill)
    with stack.gateway() as door:
        killing.start()
        turn = played(door, script, first_s=8)
        killing.join()
        call = ended(door, turn.session_id)
    assert killed
    assert call["error"]["kind"] == "outcome_unknown", call
    assert asked_of_it(script) == before + 1, "it was not asked again, although the tool only reads"
    assert done == []


@pytest.mark.parametrize("old", [True], ids=["2025-11-25"])
def test_a_question_that_nobody_answers_ends_and_the_server_and_the_model_are_told(
    stack: Stack, script: ModelServer, done: list[str], old: bool
) -> None:
    call = {"tool_calls": [{"name": "asker__ask", "arguments": {}}]}
    script.play({"rules": [{"turns": [call, {"text": "Done."}]}]})
    with stack.gateway() as door:
        turn = ChatTurn(door, None)
        turn.say("go on")
        list(turn.pieces())
        assert turn.question is not None
        assert turn.status == "waiting_for_input"
        deadline = time.monotonic() + 60
        while door.get(f"/sessions/{turn.session_id}")["status"] != "idle":
            assert time.monotonic() < deadline
            time.sleep(0.2)
        over = ended(door, turn.session_id)
        assert over["result"]["structured"] == {"result": "cancel 0"}, "the server knows"
        assert "nobody answered in time" in over["result"]["notes"][0], "and the model"
        late = {"call_id": turn.question.call_id, "response": {"action": "submit", "data": {"n": "1"}}}
        with pytest.raises(Rejected):
            door.post(f"/sessions/{turn.session_id}/tool-responses", late)
    assert done == []


def test_all_of_it_replays_with_the_servers_gone(stack: Stack) -> None:
    every_session_replays(stack)
