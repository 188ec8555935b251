"""Whoever was told of an event reads what it says, under load, while the projector is killed."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agent_contracts import service_names
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600)]

CLIENTS = 4
KILLED_EACH_S, FROZEN_S = 3.0, 2.5
"""Before it is killed, it is frozen: as where a new one takes a while to start."""
_NO_LIMIT = 10**10
_WHOLE_TURN = 2
"""So many records has a turn after its message: it begins with a model call, and ends with its answer."""
ANYTHING = {"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]}


class Client:
    """Says something, follows the events as any program would, and reads at each that says something new."""

    def __init__(self, stack: Stack, reads: int) -> None:
        self._stack = stack
        self._wanted = reads
        self.reads = 0
        self.missed: list[str] = []

    def run(self) -> None:
        """Chat until there were enough reads."""
        with self._stack.gateway() as door:
            first = {"message": "turn 0", "token_limit": _NO_LIMIT}
            session = door.post("/sessions", first, "told-" + str(id(self)))
            turn, path = 0, f"/sessions/{session['id']}"
            for frame in door.follow(session["id"], "0"):
                if frame.event != "event":
                    continue
                kind = frame.json()["type"].split(".")[-2]
                page = door.get(f"{path}/messages", limit=4)
                self.reads += 1
                if missing := _missing(kind, turn, page):
                    self.missed.append(f"{session['id']} {frame.id} {kind}: {missing}")
                if kind == "became_idle":
                    if self.reads >= self._wanted:
                        return
                    turn += 1
                    sent = door.post(f"{path}/messages", {"text": f"turn {turn}"}, f"{session['id']}-{turn}")
                    now = door.get(path)
                    if now["status"] == "idle" and now["last_sequence"] < sent["sequence"] + _WHOLE_TURN:
                        self.missed.append(f"{session['id']} is idle after message {turn} was accepted")


def _missing(kind: str, turn: int, page: dict[str, Any]) -> str:
    """What isn't there of that which this event says."""
    said = [one["text"] for one in page["items"]]
    if kind == "user_message" and f"turn {turn}" not in said:
        return f"the message of turn {turn}"
    if kind in ("model_call_completed", "became_idle") and f"You said: turn {turn}" not in said:
        return f"the answer of turn {turn}"
    if kind == "became_idle" and page["session"]["status"] != "idle":
        return f"idle, it is {page['session']['status']}"
    return ""


@pytest.mark.parametrize(
    "reads", [pytest.param(300, id="some"), pytest.param(10_000, id="very_many", marks=pytest.mark.soak)]
)
def test_who_was_told_of_an_event_reads_what_it_says(tmp_path: Path, reads: int) -> None:
    ended, kills = threading.Event(), 0
    with (
        ModelServer(ANYTHING) as model,
        Stack(tmp_path, processes=True, env=model.environment()) as stack,
        ThreadPoolExecutor(CLIENTS) as threads,
    ):
        clients = [Client(stack, reads // CLIENTS) for _ in range(CLIENTS)]
        running = [threads.submit(client.run) for client in clients]
        try:
            while not all(one.done() for one in running):
                ended.wait(KILLED_EACH_S)
                for pid in stack.pids(service_names.PROJECTOR):
                    os.kill(pid, signal.SIGSTOP)
                ended.wait(FROZEN_S)
                kills += len(stack.kill(service_names.PROJECTOR))
        finally:
            for one in running:
                one.result()
    assert sum(client.reads for client in clients) >= reads
    assert kills > 0
    assert [one for client in clients for one in client.missed] == []
