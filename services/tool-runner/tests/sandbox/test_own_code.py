"""What an agent made, run for real: its tools, and the functions that they call."""

from typing import Any

import pytest

from agent_contracts.definitions import FUNCTION, LIBRARY, TOOL, LibraryDefinition, ToolDefinition
from agent_contracts.errors import ErrorKind
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import Effect
from agent_platform import definitions
from agent_platform.entities import Entities
from agent_platform.entity import EntityKey, Writer
from tool_runner.code_runs import SandboxCodeRunner
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.testing import AGENT, World, delivery

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

N = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def world(sandbox: Sandbox) -> World:
    return World(sandbox=sandbox, code=SandboxCodeRunner())


async def made(world: World, kind: Any, name: str, code: str, enabled: bool = True) -> None:
    """The agent has this tool, function or library from now on."""
    entities, key = Entities(world.log, world.clock, "/test"), EntityKey(AGENT, kind.kind, name)
    value = (
        LibraryDefinition("for tests", code)
        if kind is LIBRARY
        else ToolDefinition("for tests", N, code, enabled)
    )
    await entities.write(key, definitions.to_json(value), Writer.user(world.clock.new_id("e")))


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


async def test_a_call_runs_all_code_as_of_its_request_and_reads_data_as_of_now(world: World):
    async def everything(version: str) -> None:
        await made(world, LIBRARY, "deep", f"module.exports = 'deep {version}'")
        await made(world, LIBRARY, "lib", f"module.exports = ['lib {version}', require('deep')]")
        await made(world, FUNCTION, "fun", f"return ['fun {version}', ...require('lib')]")
        code = f"return ['tool {version}', await functions.call('fun', args), require('lib'), await state.get('k')]"
        await made(world, TOOL, "all", code)
        await world.run("set_state", {"key": "k", "value": version}, call_id=f"k{version}")

    def said(version: str, state: str) -> list[Any]:
        lib = [f"lib {version}", f"deep {version}"]
        return [f"tool {version}", [f"fun {version}", *lib], lib, state]

    await everything("1")
    asked = await world.request("all", {"n": 1}, call_id="before", effect=Effect.EXTERNAL)
    await everything("2")
    await world.runner().handle(delivery(asked))
    before = await world.result("before")
    assert before is not None
    assert before.event.result == said("1", "2")
    after = await world.run("all", {"n": 1}, call_id="after", effect=Effect.EXTERNAL)
    assert after.result == said("2", "2")


async def test_a_library_that_went_after_the_request_is_still_there_for_it(world: World):
    await made(world, LIBRARY, "lib", "module.exports = 1")
    arguments = {"code": "return require('lib')"}
    asked = await world.request("run_sandbox_code", arguments, call_id="before", effect=Effect.EXTERNAL)
    await world.run("delete_library", {"name": "lib"}, call_id="gone", effect=Effect.RECORDED)
    await world.runner().handle(delivery(asked))
    before = await world.result("before")
    assert before is not None
    assert before.event.result["result"] == 1
    after = await world.run("run_sandbox_code", arguments, call_id="after", effect=Effect.EXTERNAL)
    assert isinstance(after, ToolCallFailed)
