"""Causes of trouble, planted in a running Foldline: each is named, with what to do, within a minute.

By `foldline top` and `foldline doctor`, and by an alert of the rules that a real Prometheus judges; what
concerns one session by `foldline why` as well.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest
from bench.memory_growth import takes_100_mb

from agent_platform.process.clock import SystemClock
from foldline.cli.client import Gateway
from foldline.cli.watching.overview import LONG_LAG_S
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.command import Command
from foldline_testing.product.prometheus import Prometheus, needs_prometheus

pytestmark = [pytest.mark.faults, needs_prometheus]
_PATIENCE_S = 60.0
_FIRST_TOKEN_S = 12.0
_APPROVALS = 50
_TAKERS = 12
SCRIPT: dict[str, Any] = {
    "rules": [
        {
            "when": {"user_contains": "be slow"},
            "reply": {"text": "At last.", "pace": {"first": _FIRST_TOKEN_S}},
        },
        {"when": {"user_contains": "hold on"}, "reply": {"text": "Done.", "fault": {"kind": "hold"}}},
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
        {
            "when": {"user_contains": "the same again"},
            "turns": [
                *({"tool_calls": [{"name": "get_state", "arguments": {"key": "a"}}]} for _ in range(4)),
                {"text": "Still.", "fault": {"kind": "hold"}},
            ],
        },
        {
            "when": {"user_contains": "take it all"},
            "turns": [
                *({"tool_calls": [{"name": "run_sandbox_code", "arguments": {"code": takes_100_mb(8_000)}}]},)
                * 3,
                {"text": "Taken."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}


class Watched(NamedTuple):
    """A Foldline of processes, and what an operator looks at it with."""

    stage: Stage
    foldline: Command
    door: Gateway
    prometheus: Prometheus

    def causes(self) -> dict[str, str]:
        """What `top` says that is likely to be wrong, and what to do about it."""
        said = self.foldline("top", "--once", "--json")
        assert said.code == 0, said.err
        return {one["what"]: one["to_do"] for one in said.json["causes"]}

    def finds(self, words: str, alert: str) -> tuple[str, str]:
        """The cause that `top` names with these words, and what to do, once the alert holds too."""

        def found() -> tuple[str, str] | None:
            return next(((what, to_do) for what, to_do in self.causes().items() if words in what), None)

        cause: tuple[str, str] = eventually(found, lambda: f"{words!r} isn't among {self.causes()}")
        eventually(lambda: alert in self.prometheus.alerts(), lambda: f"{alert}: {self.prometheus.alerts()}")
        return cause

    def doctor(self) -> dict[str, str]:
        """What `doctor` warns of, and what to do about it."""
        return {one["text"]: one["to_do"] for one in self.foldline("doctor", "--json").json if one["to_do"]}

    def begun(self, text: str) -> str:
        """A new session, in which this was said."""
        return str(self.door.post("/sessions", {"message": text})["id"])

    def until_answered(self, session: str) -> None:
        """Return when the session rests."""
        eventually(lambda: self.door.get(f"/sessions/{session}")["status"] == "idle", lambda: "no answer")


def eventually(found: Callable[[], Any], what: Callable[[], str]) -> Any:
    deadline = time.monotonic() + _PATIENCE_S
    while not (value := found()):
        assert time.monotonic() < deadline, what()
        time.sleep(0.2)
    return value


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    with (
        stage(folder, script=SCRIPT, warm=False) as started,
        Prometheus(started.stack, tmp_path_factory.mktemp("prometheus")) as prometheus,
        started.stack.gateway() as door,
    ):
        yield Watched(started, Command(started.stack.data_dir, folder), door, prometheus)


@contextmanager
def stopped(pids: list[int]) -> Iterator[None]:
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_where_nothing_is_planted_nothing_is_named(watched: Watched) -> None:
    session = watched.begun("hello")
    watched.until_answered(session)
    assert watched.causes() == {}
    waiting = [line for line in watched.door.metrics().splitlines() if "consumer_waiting{" in line]
    assert not [line for line in waiting if "scheduler" in line], "it isn't needed yet"
    assert [line for line in waiting if "engine" in line]
    told = {one["check"]: one for one in watched.foldline("doctor", "--json").json}
    assert told["load"]["verdict"] == "ok"
    queues = {check: one["verdict"] for check, one in told.items() if check.startswith("consumer ")}
    assert (len(queues) > 5, set(queues.values())) == (True, {"ok"}), queues


def test_a_slow_model_is_named(watched: Watched) -> None:
    """One that needs long to begin, and one that has not come to an end yet."""
    held = watched.begun("hold on")
    try:
        for _ in range(2):  # a rate needs two
            slow = watched.begun("be slow")
            watched.until_answered(slow)
        what, to_do = watched.finds("is slow: ", "FoldlineModelSlow")
        assert what.startswith("openai/scripted is slow")
        assert f"its first token took {_FIRST_TOKEN_S:.0f} s" in what
        assert "choose another model" in to_do
        watched.finds("is slow: a call has been waiting for it, the oldest for 3", "FoldlineModelSlow")
        (wait,) = watched.foldline("why", held, "--json").json["waits"]
        assert "which is slow" in wait["what"]
        assert "the model's server, asked by a process of model-callers" in wait["on"]
        assert "foldline models test" in wait["to_do"]
        assert any("is slow" in text for text in watched.doctor())
    finally:
        watched.stage.model.release()
    watched.until_answered(held)


def test_an_inbox_full_of_approvals_is_named(watched: Watched) -> None:
    sessions = [watched.begun("send it") for _ in range(_APPROVALS)]
    what, to_do = watched.finds(f"{_APPROVALS} approvals wait for a person", "FoldlineManyWait")
    assert "foldline approvals" in to_do
    assert what in watched.doctor()
    (wait,) = watched.foldline("why", sessions[0], "--json").json["waits"]
    assert (wait["what"], wait["on"]) == ("a yes or no to fetch_url", "you")
    for session in sessions:
        watched.door.post(f"/sessions/{session}:interrupt")
    eventually(lambda: what not in watched.causes(), lambda: "it is empty, and still named")


def test_an_agent_that_goes_round_is_named(watched: Watched) -> None:
    session = watched.begun("go round")
    what, to_do = watched.finds(f"session {session} made", "FoldlineAgentLoops")
    assert f"foldline stop {session}" in to_do
    assert any(session in text for text in watched.doctor()), what


def test_what_a_session_does_again_and_again_is_named_while_the_projector_hangs(watched: Watched) -> None:
    with stopped(watched.stage.stack.pids("projector")):
        session = watched.begun("the same again")
        try:

            def found() -> Any:
                told = watched.foldline("why", session, "--json")
                assert told.code == 0, told.err
                return (
                    told.json if any("the answer of" in one["what"] for one in told.json["waits"]) else None
                )

            loop = eventually(found, lambda: "it isn't at its last answer")["loop"]
            assert (loop["tool"], loop["calls"], loop["arguments"]) == ("get_state", 4, {"key": "a"})
            said = watched.foldline("why", session)
            assert "called get_state 4 times in this turn with the same arguments" in said.out, said
            assert f"foldline stop {session} ends the turn" in said.out
            assert "What follows" not in said.err
        finally:
            watched.stage.model.release()
    watched.until_answered(session)
    assert watched.foldline("why", session, "--json").json["loop"] is None


def test_memory_that_agents_code_takes_is_named(watched: Watched) -> None:
    sessions = [watched.begun("take it all") for _ in range(_TAKERS)]
    what, to_do = watched.finds("agents' code waits for memory", "FoldlineSandboxFull")
    assert "foldline stop SESSION" in to_do, what
    seen = watched.foldline("top", "--once", "--json").json
    assert seen["memory"]["workers of runner"] > 200_000_000
    assert {one["id"] for one in seen["busiest"] if one["open_call"]} & {*sessions}
    assert "workers of runner" in watched.foldline("top", "--once").out
    for session in sessions:
        watched.door.post(f"/sessions/{session}:interrupt")
    eventually(
        lambda: not any("waits for memory" in text for text in watched.causes()), lambda: "it isn't let go"
    )


@pytest.mark.parametrize(
    ("dead", "said", "alert"),
    [
        ("projector", "projector doesn't answer", "FoldlineServiceDown"),
        ("engine", "engine doesn't answer", "FoldlineServiceDown"),
        ("postgres", "postgres can't be reached", "FoldlineStoreDown"),
        ("nats", "nats can't be reached", "FoldlineStoreDown"),
    ],
)
def test_what_is_dead_is_named_first(watched: Watched, dead: str, said: str, alert: str) -> None:
    pids = watched.stage.stack.pids(dead)
    if dead == "postgres":  # each connection has a process of its own
        pids += [child.pid for pid in pids for child in psutil.Process(pid).children()]
    with stopped(pids):
        what, _ = watched.finds(said, alert)
        assert next(iter(watched.causes())) == what
    eventually(lambda: said not in watched.causes(), lambda: "it is back, and still named")


def test_a_service_that_hangs_is_ended_as_the_runbook_says(watched: Watched) -> None:
    def listed() -> list[int]:
        return [int(one["pid"]) for one in watched.foldline("processes", "projector", "--json").json]

    (pid,) = listed()
    os.kill(pid, signal.SIGSTOP)
    watched.finds("projector doesn't answer", "FoldlineServiceDown")
    assert listed() == [pid], "also while it hangs"
    os.kill(pid, signal.SIGKILL)
    eventually(
        lambda: "projector doesn't answer" not in watched.causes() and listed() != [pid],
        lambda: f"{watched.causes()}",
    )
    assert {"up", "engine", "nats-server", "postgres"} <= {
        line.split("  ")[1] for line in watched.foldline("processes").out.splitlines()
    }
    other = watched.foldline("processes", "nobody")
    assert (other.code, "There are: up, " in other.err) == (1, True)


def test_the_lists_lag_only_as_long_as_they_do(watched: Watched) -> None:
    """Not until the projector happens to look again."""
    with stopped(watched.stage.stack.pids("projector")):
        session = watched.begun("hello")
        began = SystemClock().now()
        eventually(lambda: (SystemClock().now() - began).total_seconds() > LONG_LAG_S + 2, lambda: "")
    assert watched.door.get(f"/sessions/{session}")["id"] == session, "read after it was written"
    assert not [what for what in watched.causes() if "behind" in what]


@contextmanager
def slow_disk(nats: int, said: Path) -> Iterator[None]:
    """Each flush of the nats-server takes 200 ms."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed: it delays the server's flushes (apt install strace)")
    slow = ["-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:delay_enter=200000"]
    with said.open("wb") as out:
        disk = subprocess.Popen(["strace", "-f", "-o", "/dev/null", *slow, "-p", str(nats)], stderr=out)
    try:
        eventually(lambda: "attached" in said.read_text() or disk.poll() is not None, lambda: "no strace")
        if disk.poll() is not None:
            pytest.skip(f"strace can't follow a process here: {said.read_text().strip()}")
        yield
    finally:
        disk.terminate()
        disk.wait(20)


def test_a_slow_disk_is_named_also_while_nobody_writes_and_not_when_it_is_fast_again(
    watched: Watched, tmp_path: Path
) -> None:
    (nats,) = watched.stage.stack.pids("nats")
    with slow_disk(nats, tmp_path / "strace"):
        what, to_do = watched.finds("the disk is slow: an append to the log takes", "FoldlineDiskSlow")
        assert "SSD" in to_do
        assert any("the disk is slow" in text for text in watched.doctor()), what
    eventually(
        lambda: not any("the disk is slow" in text for text in watched.causes()),
        lambda: "it is fast, and still named",
    )
    told = {one["check"]: one["verdict"] for one in watched.foldline("doctor", "--json").json}
    assert told["load"] == "ok"
