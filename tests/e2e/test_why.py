"""`foldline why` and `foldline top` on a running Foldline, with planted causes."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

SCRIPT = {
    "rules": [
        {"when": {"user_contains": "be slow"}, "reply": {"text": "At last.", "fault": {"kind": "hold"}}},
        {"when": {"user_contains": "fail"}, "reply": {"fault": {"kind": "bad_request", "status": 401}}},
        {
            "when": {"user_contains": "ask me"},
            "turns": [
                {"tool_calls": [{"name": "ask_user", "arguments": {"question": "Which city?"}}]},
                {"text": "Thanks."},
            ],
        },
        {
            "when": {"user_contains": "send it"},
            "turns": [
                {
                    "tool_calls": [
                        {
                            "name": "fetch_url",
                            "arguments": {"url": "https://example.org/", "method": "POST", "body": "x"},
                        }
                    ]
                },
                {"text": "Done."},
            ],
        },
        {
            "when": {"user_contains": "go round"},
            "turns": [
                *(
                    {"tool_calls": [{"name": "set_state", "arguments": {"key": "a", "value": n}}]}
                    for n in range(30)
                ),
                {"text": "Round."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
_PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def foldline(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Command:
    return Command(stack.data_dir, tmp_path_factory.mktemp("folder"), {"COLUMNS": "200"})


def begun(door: Gateway, text: str) -> str:
    return str(door.post("/sessions", {"message": text})["id"])


def eventually(found: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + _PATIENCE_S
    while not (value := found()):
        assert time.monotonic() < deadline, what
        time.sleep(0.2)
    return value


def waits_for(foldline: Command, session: str, words: str) -> dict[str, Any]:
    """What the session says that it waits for, once that has these words in it."""

    def found() -> dict[str, Any] | None:
        told = foldline("why", session, "--json")
        assert told.code == 0, told.err
        waits: list[dict[str, Any]] = told.json["waits"]
        return next((one for one in waits if words in one["what"]), None)

    wait: dict[str, Any] = eventually(found, f"{session} doesn't say that it waits for {words}")
    return wait


def test_a_slow_model_is_named_by_why_and_by_top(
    stack: Stack, door: Gateway, foldline: Command, model: ModelServer
) -> None:
    session = begun(door, "be slow")
    try:
        wait = waits_for(foldline, session, "the answer of")
        assert "the model's server, asked by a process of model-callers" in wait["on"]
        assert wait["since"]
        (row,) = [one for one in foldline("top", "--once", "--json").json["busiest"] if one["id"] == session]
        assert (row["status"], row["open_call"]["what"], row["model_calls"]) == ("running", "model", 1)
        assert session in foldline("top", "--once").out
    finally:
        model.release()
    eventually(lambda: door.get(f"/sessions/{session}")["status"] == "idle", "it isn't answered")
    assert foldline("why", session, "--json").json["waits"] == []
    assert "waits for nothing" in foldline("why", session).out


def test_what_waits_for_a_person_says_how_to_answer(door: Gateway, foldline: Command) -> None:
    asked, wanted = begun(door, "ask me"), begun(door, "send it")
    question = waits_for(foldline, asked, "an answer to ask_user")
    assert (question["on"], question["to_do"]) == ("you", f"foldline answer {asked} ANSWER")
    approval = waits_for(foldline, wanted, "a yes or no to fetch_url")
    assert f"foldline answer {wanted} yes" in approval["to_do"]
    waiting = foldline("top", "--once", "--json").json["waiting_for_person"]
    assert waiting["approval"] >= 1
    assert waiting["question"] >= 1
    done = foldline("answer", wanted, "no")
    assert done.code == 0, done.err
    eventually(lambda: not foldline("why", wanted, "--json").json["waits"], "it waits on")


def test_a_turn_that_failed_says_why_and_how_to_go_on(door: Gateway, foldline: Command) -> None:
    session = begun(door, "fail")
    wait = waits_for(foldline, session, "its failed turn (authentication)")
    assert wait["to_do"].endswith(f"foldline retry {session}")


def test_an_agent_that_goes_round_is_named_with_how_to_stop_it(door: Gateway, foldline: Command) -> None:
    session = begun(door, "go round")
    eventually(lambda: door.get(f"/sessions/{session}")["status"] == "idle", "it goes round for ever")
    causes = foldline("top", "--once", "--json").json["causes"]
    (cause,) = [one for one in causes if session in one["what"]]
    assert f"foldline stop {session}" in cause["to_do"]


@contextmanager
def _stopped(pids: list[int]) -> Iterator[None]:
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def causes(foldline: Command) -> list[str]:
    """What `top` says that is likely to be wrong."""
    said = foldline("top", "--once", "--json")
    assert said.code == 0, said.err
    return [one["what"] for one in said.json["causes"]]


@pytest.mark.faults
@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        ("projector", "projector doesn't answer"),
        ("engine", "engine doesn't answer"),
        ("postgres", "postgres can't be reached"),
        ("nats", "nats can't be reached"),
    ],
)
def test_what_is_dead_is_named_first(processes: Stage, tmp_path: Path, stopped: str, said: str) -> None:
    foldline = Command(processes.stack.data_dir, tmp_path)
    pids = processes.stack.pids(stopped)
    if stopped == "postgres":  # each connection has a process of its own
        pids += [child.pid for pid in pids for child in psutil.Process(pid).children()]
    with _stopped(pids):
        eventually(lambda: causes(foldline)[:1] == [said], f"{causes(foldline)}")
    eventually(lambda: said not in causes(foldline), "it is back, and still named")


@pytest.mark.faults
def test_a_slow_disk_is_named(processes: Stage, tmp_path: Path) -> None:
    """A NATS that stands still again and again answers appends as late as one whose disk is slow."""
    foldline = Command(processes.stack.data_dir, tmp_path)
    over = threading.Event()
    (nats,) = processes.stack.pids("nats")

    def be_slow() -> None:
        while not over.is_set():
            with _stopped([nats]):
                time.sleep(0.3)
            time.sleep(0.01)

    def write() -> None:
        with processes.stack.gateway() as door:
            while not over.is_set():
                door.post("/sessions", {})

    threads = [threading.Thread(target=work) for work in (be_slow, write)]
    for thread in threads:
        thread.start()
    try:
        eventually(lambda: any("the disk is slow" in one for one in causes(foldline)), "it isn't named")
    finally:
        over.set()
        for thread in threads:
            thread.join()
