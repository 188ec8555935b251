"""A tool that fails three times since its session changed it has its last good version again."""

import asyncio
import itertools
from typing import Any

import pytest
import pytest_asyncio

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import SessionId
from agent_contracts.tool_spec import Effect
from foldline_testing.agent_tools.world import SESSION, delivery
from foldline_testing.egress.web import egress_to
from foldline_testing.tool_runner.world import World
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

SCHEMA = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
GOOD = "return args.n * 2"
BAD = "return args.m.twice"
MOODY = "if (args.n < 0) throw new Error('below zero'); return args.n"
OTHER = SessionId("s_other")
_numbers = itertools.count()


@pytest_asyncio.fixture(loop_scope="module")
async def world(sandbox: Sandbox) -> World:
    return World(sandbox=sandbox, check=None, egress=egress_to("a.test"))


async def called(world: World, tool: str, session: SessionId = SESSION, **arguments: Any) -> Any:
    """The event that ended the call."""
    effect = Effect.RECORDED if tool.endswith("_tool") else Effect.EXTERNAL
    call = f"b{next(_numbers)}"
    return await world.run(tool, arguments, call_id=call, effect=effect, session_id=session)


async def made(world: World, name: str, *codes: str) -> None:
    """A tool that had these codes, one after the other."""
    first, *others = codes
    await called(world, "create_tool", name=name, description="d", parameter_schema=SCHEMA, code=first)
    for code in others:
        await called(world, "update_tool", name=name, code=code)


async def now(world: World, name: str) -> tuple[str, int]:
    read = (await called(world, "read_tool", name=name)).result
    return read["code"], read["version"]


async def test_the_third_failure_sets_it_back_and_the_model_is_told(world: World) -> None:
    await made(world, "twice", GOOD, BAD)
    for _ in range(2):
        failed = await called(world, "twice", n=1)
        assert "set back" not in failed.error.message
    third = await called(world, "twice", n=1)
    assert third.error.message.startswith("TypeError")
    assert third.error.message.endswith(
        "That was the third failure in a row since version 2 of twice, so the tool was set back to version 1, "
        "which is version 3 now. Version 2 is kept: mend it, try it, and update the tool again."
    )
    assert third.error.details["set_back"] == {"tool": "twice", "from": 2, "to": 1, "version": 3}
    assert await now(world, "twice") == (GOOD, 3)
    assert (await called(world, "twice", n=4)).result == 8


async def test_what_has_worked_since_the_change_stays(world: World) -> None:
    await made(world, "moody", GOOD, MOODY)
    await called(world, "moody", n=1)
    for _ in range(4):
        await called(world, "moody", n=-1)
    assert await now(world, "moody") == (MOODY, 2)


async def test_a_first_version_and_calls_that_dont_fit_set_nothing_back(world: World) -> None:
    await made(world, "first", BAD)
    await made(world, "misused", GOOD, MOODY)
    for _ in range(4):
        await called(world, "first", n=1)
        misused = await called(world, "misused", n="x")
        assert misused.error.kind is ErrorKind.INVALID_ARGUMENTS
    assert await now(world, "first") == (BAD, 1)
    await called(world, "misused", n=-1)
    assert await now(world, "misused") == (MOODY, 2)


async def test_another_session_that_meets_a_failure_of_the_world_sets_nothing_back(world: World) -> None:
    await made(world, "shared", GOOD, MOODY)
    for _ in range(4):
        await called(world, "shared", OTHER, n=-1)
    assert await now(world, "shared") == (MOODY, 2)


async def test_versions_that_failed_too_are_passed_over(world: World) -> None:
    worse = f"{BAD}.more"
    await made(world, "falls", GOOD, BAD)
    for _ in range(3):
        await called(world, "falls", n=1)
    await called(world, "update_tool", name="falls", code=worse)
    await called(world, "update_tool", name="falls", code=BAD)
    for _ in range(3):
        await called(world, "falls", n=1)
    code, version = await now(world, "falls")
    assert (code, version) == (worse, 6)  # nobody has tried it
    for _ in range(3):
        await called(world, "falls", n=1)
    assert await now(world, "falls") == (GOOD, 7)


async def test_two_that_fail_at_once_set_it_back_once(world: World) -> None:
    await made(world, "pair", GOOD, BAD)
    for _ in range(2):
        await called(world, "pair", n=1)
    asked = [
        await world.request("pair", {"n": 1}, call_id=f"p{number}", effect=Effect.EXTERNAL)
        for number in range(2)
    ]
    await asyncio.gather(*(world.runner().handle(delivery(one)) for one in asked))
    told = [(await world.ended(f"p{number}")).error.message for number in range(2)]
    assert sum("set back" in one for one in told) == 1
    assert await now(world, "pair") == (GOOD, 3)
