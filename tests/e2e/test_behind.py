"""While the projections are behind, what a person asks for by name is still as it is now."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from agent_contracts import service_names
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.chaos import story
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.command import Command


@contextmanager
def _frozen(pids: list[int]) -> Iterator[None]:
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_a_session_is_shown_as_it_is_while_nothing_is_projected(processes: Stage, tmp_path: Path) -> None:
    foldline = Command(processes.stack.data_dir, tmp_path)
    processes.model.play({"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]})
    try:
        with processes.stack.gateway() as door:
            turn = ChatTurn(door, None)
            turn.say("before")
            list(turn.pieces())
            with _frozen(processes.stack.pids(service_names.PROJECTOR)):
                turn.say("meanwhile")
                list(turn.pieces())
                shown = foldline("show", turn.session_id)
            assert "You said: meanwhile" in shown.out, shown
    finally:
        processes.model.play(story.script())


def test_a_message_is_taken_while_postgres_hangs(processes: Stage) -> None:
    processes.model.play({"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]})
    try:
        with processes.stack.gateway() as door:
            session = door.post("/sessions", {"message": "before"})["id"]
            door.get(f"/sessions/{session}/turns/latest", wait=30)
            (server,) = processes.stack.pids("postgres")
            family = [server, *(one.pid for one in psutil.Process(server).children(recursive=True))]
            with _frozen(family):
                said = door.post(f"/sessions/{session}/messages?wait=1", {"text": "meanwhile"})
            assert "status" not in said
            turn = door.get(f"/sessions/{session}/turns/{said['sequence']}", wait=30)
            assert turn["answer"] == "You said: meanwhile"
    finally:
        processes.model.play(story.script())


def test_a_message_that_was_taken_is_no_error_and_doctor_names_the_projector(
    processes: Stage, tmp_path: Path
) -> None:
    foldline = Command(processes.stack.data_dir, tmp_path)
    processes.model.play({"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]})
    try:
        with processes.stack.gateway() as door:
            session = door.post("/sessions", {"message": "before"})["id"]
            door.get(f"/sessions/{session}/turns/latest", wait=30)
            with _frozen(processes.stack.pids(service_names.PROJECTOR)):
                said = door.post(f"/sessions/{session}/messages?wait=1", {"text": "meanwhile"})
                told = foldline("doctor", "--json")
            (found,) = (one for one in told.json if one["check"] == "projections")
            assert (found["verdict"], "have not moved" in found["text"]) == ("problem", True), found
            assert told.code == 1
            turn = door.get(f"/sessions/{session}/turns/{said['sequence']}", wait=30)
            assert (turn["event_id"], turn["answer"]) == (said["event_id"], "You said: meanwhile")
    finally:
        processes.model.play(story.script())
