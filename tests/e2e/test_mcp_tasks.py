"""A foreign server works on a call for longer: over a kill of the host, and told when nobody wants it."""

import time
from collections.abc import Callable, Iterator

import pytest

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.servers.worker import Tasks, worker
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

SERVERS = "/agents/default/mcp-servers"


@pytest.fixture(scope="module")
def script() -> Iterator[ModelServer]:
    with ModelServer({"rules": [{"reply": {"text": "Done."}}]}) as model:
        yield model


@pytest.fixture(scope="module")
def stack(script: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    env = {**script.environment(), "FOLDLINE_ACK_WAIT": "5"}
    with Stack(tmp_path_factory.mktemp("tasks"), processes=True, env=env) as stack:
        yield stack


@pytest.fixture(scope="module")
def tasks() -> Tasks:
    return Tasks()


@pytest.fixture(scope="module")
def here(stack: Stack, tasks: Tasks) -> Iterator[Addressed]:
    with addressed(worker(tasks)) as here:
        with stack.gateway() as door:
            door.put("/agents/default/policy", {"preset": "free", "rules": []})
            door.put(f"{SERVERS}/worker", {"transport": {"kind": "http", "url": here.url}})
            door.post(f"{SERVERS}/worker:allow", {"private": True})
            door.post(f"{SERVERS}/worker:test", {})
            version = door.get(f"{SERVERS}/worker/tools")["version"]
            door.post(f"{SERVERS}/worker:accept", {"version": version})
        yield here


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def begun(door: Gateway, script: ModelServer, seconds: float) -> ChatTurn:
    call = {"tool_calls": [{"name": "worker__work", "arguments": {"seconds": seconds}}]}
    script.play({"rules": [{"turns": [call, {"text": "Done."}]}]})
    turn = ChatTurn(door, None)
    turn.say("go on")
    return turn


@pytest.mark.faults
def test_a_task_goes_on_over_a_kill_of_the_host_and_is_sent_once(
    stack: Stack, script: ModelServer, tasks: Tasks, here: Addressed
) -> None:
    with stack.gateway() as door:
        turn = begun(door, script, seconds=8)
        until(lambda: len(tasks.looked) >= 2)
        stack.kill(service_names.MCP_HOST)
        for _ in turn.pieces():
            pass
        assert turn.status == "idle", turn.failure
        (call,) = [one for message in messages(door, turn.session_id) for one in message["tool_calls"]]
    assert call["result"] == {"text": "worked"}, call
    assert here.methods.count("tools/call") == 1, "it was never sent again"


def test_stop_ends_the_call_and_has_the_server_told(
    stack: Stack, script: ModelServer, tasks: Tasks, here: Addressed
) -> None:
    with stack.gateway() as door:
        turn = begun(door, script, seconds=3600)
        begun_tasks = len(tasks.work)
        until(lambda: len(tasks.work) > begun_tasks)
        newest = [*tasks.work.values()][-1]
        seen = len(tasks.looked)
        until(lambda: len(tasks.looked) > seen)
        things = door.get("/attention")["items"]
        assert not [one for one in things if one["kind"] == "call"], "nobody is asked"
        turn.stop()
        until(lambda: newest.cancelled)
        for _ in turn.pieces():
            pass
        (call,) = [one for message in messages(door, turn.session_id) for one in message["tool_calls"]]
    assert call["status"] == "cancelled"


def test_all_of_it_replays_with_the_server_gone(stack: Stack) -> None:
    every_session_replays(stack)
