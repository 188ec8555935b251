"""Test runs: what the agent made is run once, for real, by a person, and tells all of how it ended."""

import msgspec
import pytest
import pytest_asyncio

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.kinds.tool import TOOL
from agent_contracts.questions.function_calls import FunctionCall
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.tool_runner.world import World
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

CODE = """console.log("n is", args.n)
await state.set("last", args.n)
if (args.n > 9) throw new RangeError("too much")
return args.n * 2
"""
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest_asyncio.fixture(loop_scope="module")
async def world(sandbox: Sandbox) -> World:
    world = World(sandbox=sandbox, check=None)
    made = {"name": "double", "description": "d", "parameter_schema": SCHEMA, "code": CODE}
    await world.run("create_tool", made, call_id="made", effect=Effect.RECORDED)
    return world


async def tried(
    world: World, arguments: dict[str, Json], call: str = "t_1", *, trial: bool = True
) -> ToolAnswer:
    asked = FunctionCall(AGENT, CallId(call), "double", arguments, None, kind=TOOL.kind, trial=trial)
    return msgspec.json.decode(await world.functions().answer(msgspec.json.encode(asked)), type=ToolAnswer)


async def test_it_gives_the_result_the_log_and_the_time_and_what_it_wrote_stays(world: World) -> None:
    ended = await tried(world, {"n": 4})
    assert (ended.result, ended.error, ended.logs) == (8, None, ("n is 4",))
    assert ended.ms is not None
    read = await world.run("get_state", {"key": "last"})
    assert isinstance(read, ToolCallCompleted)
    assert read.result == {"value": 4}


async def test_what_its_code_throws_has_its_line_and_what_was_logged_before(world: World) -> None:
    ended = await tried(world, {"n": 10})
    assert ended.error is not None
    assert ended.error.details is not None
    assert (ended.error.details["name"], ended.error.details["line"]) == ("RangeError", 3)
    assert ended.logs == ("n is 10",)


async def test_arguments_that_dont_fit_run_nothing(world: World) -> None:
    ended = await tried(world, {"n": "four"})
    assert ended.error is not None
    assert (ended.error.kind, ended.error.path, ended.ms) == (ErrorKind.INVALID_ARGUMENTS, "/n", None)


async def test_a_disabled_one_runs_on_trial_and_not_in_earnest(world: World) -> None:
    await world.run("disable_tool", {"name": "double"}, call_id="off", effect=Effect.RECORDED)
    assert (await tried(world, {"n": 4})).result == 8
    refused = await tried(world, {"n": 4}, "t_2", trial=False)
    assert refused.error is not None
    assert refused.error.kind is ErrorKind.DISABLED_TOOL


async def test_the_log_of_an_answer_is_bounded_by_its_newest_lines(world: World) -> None:
    chatty = "for (let i = 0; i < 150; i++) console.log(i + 'x'.repeat(1000))\nreturn 1"
    change = {"name": "double", "code": chatty}
    await world.run("update_tool", change, call_id="changed", effect=Effect.RECORDED)
    ended = await tried(world, {"n": 1})
    assert sum(map(len, ended.logs)) <= 65_536
    assert ended.logs[-1].startswith("149x")
