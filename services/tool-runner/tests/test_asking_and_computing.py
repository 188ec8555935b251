"""Tools that wait for people, and tools that take the processor."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.results import ToolCallPending
from foldline_testing.agent_tools.world import SESSION, delivery
from foldline_testing.tool_runner.world import World


@pytest.fixture
def world() -> World:
    return World()


async def test_computing_leaves_the_event_loop_alive_and_stops_when_cancelled(world: World) -> None:
    runner = world.runner()
    handling = asyncio.create_task(
        runner.handle(delivery(await world.request("selftest_burn", {"ms": 60_000})))
    )
    ticks = 0
    for _ in range(10):
        await asyncio.sleep(0.01)  # sleeps: work
        ticks += 1
    assert ticks == 10
    assert not handling.done()
    runner.stop(SESSION, None)
    await asyncio.wait_for(handling, 30)


async def test_burning_uses_the_processor_time_that_was_asked_for(world: World) -> None:
    event = await world.run("selftest_burn", {"ms": 30})
    assert event.result["rounds"] > 0
    assert event.duration_ms >= 30


async def test_a_question_may_say_until_when_it_can_be_answered(world: World) -> None:
    event = await world.run("selftest_ask", {"expires_in_ms": 90_000})
    assert isinstance(event, ToolCallPending)
    assert event.expires_at is not None
    left = datetime.fromisoformat(event.expires_at) - world.clock.now()
    assert timedelta(seconds=30) < left <= timedelta(seconds=90)


async def test_ask_user_records_what_to_show(world: World) -> None:
    event = await world.run("ask_user", {"question": "Which city?", "options": ["Oslo", "Rome"]})
    assert isinstance(event, ToolCallPending)
    assert event.show == {"kind": "ask_user", "question": "Which city?", "options": ["Oslo", "Rome"]}
    assert event.expires_at is None


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"question": ""}, "/question"),
        ({"question": "  \n"}, "/question"),
        ({"question": "Which?", "options": []}, "/options"),
        ({"question": "Which?", "options": ["Oslo", " "]}, "/options/1"),
        ({"question": "Which?", "options": ["Oslo", "Rome", "Oslo "]}, "/options"),
    ],
)
async def test_ask_user_refuses_a_question_that_cant_be_shown(
    world: World, arguments: dict[str, Any], path: str
) -> None:
    event = await world.run("ask_user", arguments)
    assert event.error.kind is ErrorKind.INVALID_ARGUMENTS
    assert event.error.path == path
