"""A server works on a call for longer: the handle is recorded, and asked for until it is done."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.results import ToolCallPending
from foldline_testing.agent_tools.world import delivery
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.servers.worker import Tasks, worker
from foldline_testing.mcp_host.world import McpWorld, mcp_world
from mcp_host import limits


async def ready(world: McpWorld, here: Addressed) -> None:
    await world.add("worker", here.url)
    await world.accept("worker")


async def begun(world: McpWorld, **arguments: Any) -> ToolCallPending:
    pending = await world.call("worker__work", **arguments)
    assert isinstance(pending, ToolCallPending), pending
    assert pending.show["kind"] == "mcp_task"
    return pending


async def test_the_handle_is_recorded_before_anything_else_and_looked_after(world: McpWorld) -> None:
    tasks = Tasks()
    with addressed(worker(tasks)) as here:
        await ready(world, here)
        pending = await begun(world, seconds=1.2)
        assert tasks.looked == []
        resume = pending.resume
        assert resume is not None
        assert resume.looks
        assert resume.state["task"]["id"] == "t0"
        assert resume.at is not None
        wait = (datetime.fromisoformat(resume.at) - world.clock.now()).total_seconds()
        assert wait == pytest.approx(0.5, abs=0.1)
        assert pending.show["title"] == "The MCP server worker works on it: begun"
        over = await world.resumed(pending)
        assert over.result == {"text": "worked"}, over
        assert [(one.kind, one.name) for one in over.outside] == [("mcp", "worker")]
        assert 2 <= len(tasks.looked) <= 5, "as often as the server likes it"


async def test_one_look_is_short_and_the_pauses_between_grow(
    world: McpWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOOKS_S", 0.1)
    tasks = Tasks()
    with addressed(worker(tasks)) as here:
        await ready(world, here)
        pending: Any = await begun(world, seconds=3600)
        waits = []
        for _ in range(4):
            pending = await world.resumed(pending)
            wait = datetime.fromisoformat(pending.resume.at) - world.clock.now()
            waits.append(round(wait.total_seconds(), 1))
        assert waits == [5.0, 10.0, 15.0, 20.0]
        assert pending.show["title"].endswith("works on it: half of it")
        assert pending.resume.round == pending.show["round"] == 5
        assert len(tasks.looked) == 4


async def test_any_host_looks_after_it_and_twice_does_no_harm(world: McpWorld, tmp_path: Path) -> None:
    tasks = Tasks()
    with addressed(worker(tasks)) as here:
        await ready(world, here)
        pending = await begun(world)
        async with mcp_world(data=tmp_path / "other", log=world.log, blobs=world.blobs) as other:
            message = await other.resuming(pending)
            await other.runner().handle(delivery(message))
            assert (await other.ended_since(message)).result == {"text": "worked"}
            await world.runner().handle(delivery(message, 2, again=True))
    assert list(tasks.work) == ["t0"], "it was sent once"


async def test_what_a_task_asks_a_person_pauses_the_call_and_is_asked_once(world: McpWorld) -> None:
    tasks = Tasks()
    with addressed(worker(tasks)) as here:
        await ready(world, here)
        asked = await world.resumed(await begun(world, asks=True))
        assert asked.show["kind"] == "mcp_input"
        assert asked.show["steps"][0]["description"] == "Where to?"
        over = await world.resumed(asked, {"action": "submit", "data": {"city": "Oslo"}})
        assert over.result == {"text": "worked Oslo"}, over


async def test_a_server_that_is_away_is_asked_again_later(
    world: McpWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOOKS_S", 0.1)
    tasks = Tasks()
    with addressed(worker(tasks)) as here:
        await ready(world, here)
        pending: Any = await begun(world)
    pending = await world.resumed(pending)
    pending = await world.resumed(pending)
    assert isinstance(pending, ToolCallPending), "nothing is lost with the server"
    with addressed(worker(tasks), port=here.port):
        world.clock.ahead += timedelta(seconds=120)
        await world.test("worker")
        assert (await world.resumed(pending)).result == {"text": "worked"}


async def test_how_it_fails_is_told(world: McpWorld) -> None:
    tasks = Tasks()
    with addressed(worker(tasks)) as here:
        await ready(world, here)
        failed = await world.resumed(await begun(world, fails=True))
        assert failed.error.kind == ErrorKind.UPSTREAM
        assert "it broke" in failed.error.message
        pending = await begun(world, seconds=60)
        await world.routed_cancel("worker", "t1")
        assert tasks.work["t1"].cancelled
        cancelled = await world.resumed(pending)
        assert "cancelled its task" in cancelled.error.message
        pending = await begun(world)
        tasks.work.clear()
        gone = await world.resumed(pending)
        assert gone.error.kind == ErrorKind.INVALID_ARGUMENTS, gone
        assert "no such task" in gone.error.message


async def test_a_task_whose_time_is_over_is_left(world: McpWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LOOKS_S", 0.1)
    tasks = Tasks(ttl_ms=60_000)
    with addressed(worker(tasks)) as here:
        await ready(world, here)
        pending = await begun(world, seconds=3600)
        world.clock.ahead += timedelta(seconds=61)
        over = await world.resumed(pending)
        assert over.error.kind == ErrorKind.OUTCOME_UNKNOWN, over
