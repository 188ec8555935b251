"""What an agent made, run for real: its tools, and the functions that they call."""

from typing import Any

import pytest

from agent_contracts.definitions import FUNCTION, TOOL, ToolDefinition
from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import Effect
from agent_platform import definitions
from agent_platform.entities import Entities
from agent_platform.entity import EntityKey, Writer
from tool_runner.code_runs import SandboxCodeRunner
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.testing import AGENT, World

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

N = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def world(sandbox: Sandbox) -> World:
    return World(sandbox=sandbox, code=SandboxCodeRunner())


async def made(world: World, kind: Any, name: str, code: str, enabled: bool = True) -> None:
    """The agent has this tool or function."""
    entities = Entities(world.log, world.clock, "/test")
    value = ToolDefinition("for tests", N, code, enabled)
    await definitions.create(entities, EntityKey(AGENT, kind.kind, name), kind, value, Writer.user(name))


async def test_a_tool_of_the_agent_gives_what_its_code_returns(world: World):
    await made(world, TOOL, "twice", "const n: number = args.n\nreturn { twice: n * 2 }")
    event = await world.run("twice", {"n": 21}, effect=Effect.EXTERNAL)
    assert isinstance(event, ToolCallCompleted)
    assert event.result == {"twice": 42}


async def test_a_failing_tool_tells_where_by_its_own_name(world: World):
    await made(world, TOOL, "bad", "const a = null\nreturn a.b")
    event = await world.run("bad", {"n": 1}, effect=Effect.EXTERNAL)
    assert isinstance(event, ToolCallFailed)
    assert (event.error.kind, event.error.message) == (
        ErrorKind.REJECTED,
        "TypeError: cannot read property 'b' of null (line 2, column 8)",
    )
    assert event.error.details is not None
    assert "bad.js:2:8" in str(event.error.details["stack"])


async def test_code_calls_functions_and_sees_what_they_throw(world: World):
    await made(world, FUNCTION, "half", "if (args.n % 2) throw new RangeError('odd'); return args.n / 2")
    await made(world, FUNCTION, "off", "return 1", enabled=False)
    code = """
    const got = [await functions.call('half', { n: 4 })]
    for (const [name, args] of [['half', { n: 3 }], ['half', { n: 'x' }], ['half', 5], ['off', { n: 1 }], ['none']])
      try { got.push(await functions.call(name, args)) } catch (e) { got.push(`${e.name} ${e.code}`) }
    return got
    """
    event = await world.run("run_sandbox_code", {"code": code}, effect=Effect.EXTERNAL)
    assert isinstance(event, ToolCallCompleted), event
    assert event.result["result"] == [
        2,
        "RangeError exception",
        "TypeError invalid_arguments",
        "TypeError invalid_arguments",
        "HostError disabled_tool",
        "TypeError invalid_arguments",
    ]


async def test_functions_that_call_each_other_for_ever_end(world: World):
    await made(world, FUNCTION, "deep", "return await functions.call('deep', { n: args.n + 1 })")
    event = await world.run(
        "run_sandbox_code", {"code": "return functions.call('deep', { n: 1 })"}, effect=Effect.EXTERNAL
    )
    assert isinstance(event, ToolCallFailed)
    assert "more than 8 deep" in event.error.message
