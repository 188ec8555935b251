"""Old runs of scheduled tasks go by settings; what matters of them stays, and the log is whole without."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.log.subjects import LOG_STREAM
from agent_platform.process.stop_points import arm, has_fired
from foldline.cli.client import Gateway
from foldline_testing.product.chaos.log_view import log_view
from foldline_testing.product.chaos.stage import stage
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "ask me"},
            "turns": [
                {"tool_calls": [{"name": "ask_user", "arguments": {"question": "Well?"}}]},
                {"text": "Nobody said."},
            ],
        },
        {
            "when": {"user_matches": r"\[helper\] (?P<what>.*)"},
            "turns": [{"tool_calls": [{"name": "report_result", "arguments": {"result": "done"}}]}],
        },
        {
            "when": {"user_contains": "by a helper"},
            "turns": [
                {"tool_calls": [{"name": "spawn_session", "arguments": {"task": "[helper] dig"}}]},
                {"text": "Done."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
KEPT = {"FOLDLINE_KEEP_RUNS": "2", "FOLDLINE_KEEP_RUNS_DAYS": "0.00001"}
_PATIENCE_S = 60


def until(look: Any, what: str) -> Any:
    deadline = time.monotonic() + _PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < deadline, what
        time.sleep(0.1)
    return found


def runs_of(door: Gateway, task: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = door.get(f"/agents/default/schedules/{task}/runs")["items"]
    return found


def run(door: Gateway, task: str) -> dict[str, Any]:
    """Once more, until its end."""
    before = len(runs_of(door, task))
    door.post(f"/agents/default/schedules/{task}:run")

    def over() -> dict[str, Any] | None:
        found = runs_of(door, task)
        newest = max(found, key=lambda one: str(one["due_at"])) if len(found) > before else None
        return newest if newest is not None and newest["outcome"] in ("succeeded", "stopped") else None

    found: dict[str, Any] = until(over, "the run has no end")
    return found


def ask(door: Gateway, task: str) -> str:
    """A run that asks a person, who stops it."""
    door.post(f"/agents/default/schedules/{task}:run")
    started = until(
        lambda: next((one for one in runs_of(door, task) if one["outcome"] == "started"), None), "no run"
    )
    session: str = started["session_id"]
    until(lambda: door.get(f"/sessions/{session}")["status"] == "waiting_for_input", "it asks nothing")
    door.post(f"/sessions/{session}:interrupt")
    until(lambda: all(one["outcome"] != "started" for one in runs_of(door, task)), "it isn't stopped")
    return session


def is_there(door: Gateway, session: str) -> bool:
    try:
        door.get(f"/sessions/{session}")
    except Rejected as refused:
        if refused.kind not in ("erased", "not_found"):
            raise
        return False
    return True


async def holding(stack: Stack, session: str) -> list[str]:
    """Where NATS still has the id of a session; the mark of the runs that went names it until that is done,
    and stays as a version."""
    async with log_view(stack.data_dir) as view:
        found = await view.holding(session, LOG_STREAM)
    return [one for one in found if ".erased.runs-" not in one]


@pytest.mark.faults
def test_old_runs_go_and_the_newest_those_that_asked_and_those_that_people_touched_stay(
    model: ModelServer, tmp_path: Path
) -> None:
    later = "2099-01-01T00:00Z"
    stack = Stack(tmp_path / "data", env=model.environment())
    with stack, stack.gateway() as door:
        task = door.post("/agents/default/schedules", {"name": "Dig", "task": "by a helper", "at": later})[
            "id"
        ]
        asking = door.post("/agents/default/schedules", {"name": "Ask", "task": "ask me", "at": later})["id"]
        asked = [ask(door, asking) for _ in range(3)]
        dug = [run(door, task)["session_id"] for _ in range(6)]
        helpers = [door.get(f"/sessions/{one}/state")["children"][0]["child_id"] for one in dug]
        door.patch(f"/sessions/{dug[1]}", {"title": "Mine"})
        last = door.get(f"/sessions/{dug[2]}")["last_sequence"]
        fork = door.post(f"/sessions/{dug[2]}:fork", {"at": str(last)})
    stack = Stack(tmp_path / "data", env={**model.environment(), **KEPT})
    with stack, stack.gateway() as door:
        until(lambda: not is_there(door, dug[3]), "the old runs stay")
        until(lambda: not is_there(door, dug[0]), "the oldest run stays")
        assert [is_there(door, one) for one in dug] == [False, True, True, False, True, True]
        assert [is_there(door, one) for one in helpers] == [False, True, True, False, True, True]
        assert all(is_there(door, one) for one in (*asked, fork["id"]))
        until(lambda: len(runs_of(door, task)) == 4, "what became of them is still told")
        left = [one["session_id"] for one in runs_of(door, task)]
        assert sorted(left) == sorted(one for number, one in enumerate(dug) if number in (1, 2, 4, 5))
        log = stack.data_dir / "logs" / "foldline.log"
        until(lambda: "retention.done" in log.read_text(), "it has no end")
        assert asyncio.run(holding(stack, dug[0])) == asyncio.run(holding(stack, helpers[3])) == []
        assert asyncio.run(holding(stack, dug[1]))
        run(door, task)  # it goes on where it stood
        command = Command(stack.data_dir, tmp_path)
        compared = command("projections", "check")
        assert compared.code == 0, compared.out + compared.err
        rebuilt = command("projections", "rebuild")
        assert rebuilt.code == 0, rebuilt.out + rebuilt.err
        assert len(runs_of(door, task)) == 5
        assert [is_there(door, one) for one in dug] == [False, True, True, False, True, True]
        said = command("verify")
        assert said.code == 0, said.out + said.err
    with stack, stack.gateway() as door:  # nothing of it counts as a loss
        assert is_there(door, dug[5])


def test_what_takes_space_is_told_by_part(door: Gateway, stack: Stack, tmp_path: Path) -> None:
    door.post("/sessions", {"message": "one chat"})
    task = door.post(
        "/agents/default/schedules", {"name": "Once", "task": "dig alone", "at": "2099-01-01T00:00Z"}
    )
    run(door, task["id"])
    items = {one["part"]: one for one in door.get("/agents/default/space")["items"]}
    assert items["runs"]["sessions"] >= 1
    assert items["chats"]["bytes"] > 1_000
    assert "FOLDLINE_KEEP_RUNS" in items["runs"]["goes"]
    assert items["agent"]["goes"] is None
    said = Command(stack.data_dir, tmp_path)("usage", "default")
    assert said.code == 0, said.err
    assert "in the log: runs about" in said.out


@pytest.mark.faults
@pytest.mark.timeout(300)
def test_old_runs_go_whichever_step_is_cut_off(tmp_path: Path) -> None:
    with stage(tmp_path / "stage", more=KEPT) as aging, aging.stack.gateway() as door:
        aging.model.play(SCRIPT)
        later = "2099-01-01T00:00Z"
        task = door.post("/agents/default/schedules", {"name": "Dig", "task": "dig", "at": later})["id"]
        for step in ("erase.marked", "erase.blobs_marked", "erase.purged", "erase.rows_removed"):
            dug = [run(door, task)["session_id"] for _ in range(3)]
            arm(aging.stop_dir, step)
            aging.stack.kill("projector")  # which looks for old runs when it starts
            until(lambda: has_fired(aging.stop_dir, step), step)  # noqa: B023 — called at once
            until(lambda: not is_there(door, dug[0]), f"{step}: the oldest run stays")  # noqa: B023
            until(lambda: len(runs_of(door, task)) == 2, f"{step}: it is told what became of it")
        command = Command(aging.stack.data_dir, tmp_path)
        for look in (("projections", "check"), ("verify",)):
            said = command(*look)
            assert said.code == 0, said.out + said.err
