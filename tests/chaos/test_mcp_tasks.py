"""A foreign server works for three minutes, and the host that looks after it is killed again and again."""

import threading
from pathlib import Path

import pytest

from agent_contracts import service_names
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.servers.worker import Tasks, worker
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.reading import messages
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]

SERVER = "/agents/default/mcp-servers/worker"
WORKS_S = 180
KILLED_EACH_S = 20


def test_a_task_of_three_minutes_ends_once_over_kills_of_the_host(tmp_path: Path) -> None:
    tasks, ended = Tasks(interval_ms=1_000), threading.Event()
    made = {"tool_calls": [{"name": "worker__work", "arguments": {"seconds": WORKS_S}}]}
    with (
        ModelServer({"rules": [{"turns": [made, {"text": "Done."}]}]}) as model,
        Stack(tmp_path, processes=True, env={**model.environment(), "FOLDLINE_ACK_WAIT": "5"}) as stack,
        addressed(worker(tasks)) as here,
        stack.gateway() as door,
    ):
        door.put("/agents/default/policy", {"preset": "free", "rules": []})
        door.put(SERVER, {"transport": {"kind": "http", "url": here.url}})
        door.post(f"{SERVER}:allow", {"private": True})
        door.post(f"{SERVER}:test", {})
        door.post(f"{SERVER}:accept", {"version": door.get(f"{SERVER}/tools")["version"]})
        kills: list[int] = []

        def kill() -> None:
            while not ended.wait(KILLED_EACH_S):
                kills.extend(stack.kill(service_names.MCP_HOST))

        killing = threading.Thread(target=kill)
        turn = ChatTurn(door, None)
        turn.say("go on")
        killing.start()
        try:
            for _ in turn.pieces():
                pass
        finally:
            ended.set()
            killing.join()
        assert turn.status == "idle", turn.failure
        (call,) = [one for message in messages(door, turn.session_id) for one in message["tool_calls"]]
        assert call["result"] == {"text": "worked"}, call
        assert here.methods.count("tools/call") == 1, "it was never sent again"
        assert len(kills) >= WORKS_S // KILLED_EACH_S - 1
        every_session_replays(stack)
