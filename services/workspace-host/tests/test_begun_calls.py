"""Calls whose own command waits for a person when its host ends: the next host ends them, and no others."""

import asyncio
from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.event import Event
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.lease_keys import own_command_key
from agent_contracts.log.record.records import decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events import results
from agent_contracts.session_events.results import Resume, ToolCallFailed, ToolCallPending
from agent_contracts.tool_spec import Effect
from agent_platform.log.event_message import event_message
from agent_tools.running.call import call_from
from agent_tools.running.contexts import context_of
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.workspace_host.world import ShellWorld

KEY = SessionKey(AGENT, SESSION)
FAILED = ToolError(ErrorKind.UPSTREAM, "no")


async def begun(world: ShellWorld, call_id: str) -> CallId:
    """A call that was asked for, and has begun a command of its own."""
    asked = await world.request("run_command", {}, call_id=call_id, effect=Effect.EXTERNAL)
    await world.begun.note(context_of(call_from(decode(asked)), 1, asyncio.Event()))
    return CallId(call_id)


async def waits(world: ShellWorld, call_id: str) -> ToolCallPending:
    """One that waits for a person."""
    pending = ToolCallPending(
        await begun(world, call_id), {"kind": "approval", "round": 1}, "w_before", resume=Resume()
    )
    await write(world, pending)
    return pending


async def write(world: ShellWorld, event: Any) -> None:
    message, _ = event_message(event, KEY.results, origin_of(event), world.clock)
    await world.log.append(message)


async def written(world: ShellWorld) -> list[Event]:
    return [decode(one).event async for one in world.log.read("ses.>")]


async def test_one_that_waits_is_ended_once_and_says_what_is_safe(world: ShellWorld) -> None:
    await waits(world, "c1")
    for _ in range(2):
        await world.begun.end_those_of_earlier_hosts()
    [failed] = [one for one in await written(world) if isinstance(one, ToolCallFailed)]
    assert (failed.call_id, failed.error.kind, failed.runner) == ("c1", ErrorKind.UPSTREAM, "w_test")
    assert "the workspace host stopped. What it had changed is kept" in failed.error.message
    assert await world.leases.list() == {}


@pytest.mark.parametrize("then", ["answered", "done", "failed", "cancelled", "never waited"])
async def test_any_other_is_let_be(world: ShellWorld, then: str) -> None:
    if then == "never waited":
        await begun(world, "c1")
    else:
        pending = await waits(world, "c1")
        match then:
            case "answered":
                await world.resuming(pending, {"decision": "once"})
            case "done":
                await write(world, results.ToolCallCompleted(pending.call_id, {}, "w_before"))
            case "failed":
                await write(world, ToolCallFailed(pending.call_id, FAILED, "w_before"))
            case "cancelled":
                await world.cancel("c1")
    before = await written(world)
    await world.begun.end_those_of_earlier_hosts()
    assert await written(world) == before
    assert await world.leases.list() == {}


async def test_what_was_erased_stays_erased(world: ShellWorld) -> None:
    await world.leases.put(own_command_key(AGENT, SessionId("s_erased"), CallId("c1")), b"3")
    await world.begun.end_those_of_earlier_hosts()
    assert await written(world) == []
