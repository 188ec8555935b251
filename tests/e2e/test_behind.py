"""While the projections are behind, what a person asks for by name is still as it is now."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from mcp_types import TextContent

from agent_contracts import service_names
from agent_contracts.errors import Rejected
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.chaos import story
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.command import Command
from foldline_testing.product.mcp_clients import client, mcp_token


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
                listed = foldline("sessions")
                latest = foldline("show", "latest")
                begun = ChatTurn(door, None)
                begun.say("anew")
                list(begun.pieces())
                new = foldline("show", begun.session_id)
                by_prefix = foldline("show", begun.session_id[:12])
            assert "You said: meanwhile" in shown.out, shown
            assert ("You said: anew" in new.out, "What follows" in new.err) == (True, False), new
            assert (by_prefix.code, "Type the whole id" in by_prefix.err) == (1, True), by_prefix
            assert (listed.code, "What follows is as of" in listed.err) == (0, True), listed
            assert (latest.code, "Name the session" in latest.err) == (1, True), latest
            assert "What follows" not in foldline("sessions").err
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
                for path in ("/sessions", f"/sessions/{session}"):
                    with pytest.raises(Rejected, match="Postgres can't be reached"):
                        door.get(path)
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


async def test_a_program_is_told_by_mcp_how_old_a_list_is(processes: Stage) -> None:
    with processes.stack.gateway() as door:
        token = mcp_token(door, "reads-old-lists", "default")
        session = door.post("/sessions", {"message": "before"})["id"]
        door.get(f"/sessions/{session}/turns/latest", wait=30)
        with _frozen(processes.stack.pids(service_names.PROJECTOR)):
            door.patch(f"/sessions/{session}", {"title": "Meanwhile"})
            old = await _listed(processes, token)
        assert "the lists lack the last" in old
        assert "the lists lack" not in await _listed(processes, token)


async def _listed(processes: Stage, token: str) -> str:
    async with client(processes.stack, token) as opened:
        answer = await opened.call_tool("list_sessions", {"limit": 1})
    last = answer.content[-1]
    return last.text if isinstance(last, TextContent) else ""
