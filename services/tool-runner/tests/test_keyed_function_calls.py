"""A function that is called again under the same idempotency key is not run again."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
import pytest
from structlog.testing import capture_logs

from agent_contracts.entities.definitions import NamedDefinition, ToolDefinition
from agent_contracts.entities.tool_answers import KeyedCall, ToolAnswer
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.questions.function_calls import FunctionCall
from agent_contracts.tool_spec import Effect
from agent_platform.entities.entities import Entities
from agent_tools.context import CallContext
from agent_tools.running.keyed_calls import KeyedCalls, call_key
from foldline_testing.agent_tools.world import AGENT, SOURCE
from foldline_testing.tool_runner.world import World
from tool_runner.code.own_tools import CodeRunner
from tool_runner.questions.function_calls import FunctionCalls

CALL = FunctionCall(AGENT, CallId("f_1"), "half", {"n": 4}, "digest")


@dataclass
class Counting:
    """Code that halves `n`, waits until it may go on, and fails for a negative one; it counts its runs."""

    runs: list[str] = field(default_factory=list)
    running: asyncio.Event = field(default_factory=asyncio.Event)
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    def of_call(self, call: CallContext) -> CodeRunner:
        """The port of one call."""
        return CountedCall(self, call)


@dataclass
class CountedCall:
    """A `CodeRunner`."""

    counting: Counting
    call: CallContext

    async def run(self, made: NamedDefinition[ToolDefinition], args: dict[str, Json]) -> Json:
        self.counting.runs.append(self.call.call_id)
        self.counting.running.set()
        await self.counting.may_go_on.wait()
        match args:
            case {"n": int(n)} if n >= 0:
                return n / 2
        raise Rejected("RangeError: negative")


@pytest.fixture
def code() -> Counting:
    code = Counting()
    code.may_go_on.set()
    return code


@pytest.fixture
async def world(code: Counting) -> World:
    world = World(code=code.of_call)
    await made(world)
    return world


async def made(world: World, call_id: str = "made") -> None:
    half = {"name": "half", "description": "d", "parameter_schema": {"type": "object"}, "code": "1"}
    await world.run("create_function", half, call_id=call_id, effect=Effect.RECORDED)


async def called(functions: FunctionCalls, call: FunctionCall = CALL) -> ToolAnswer:
    return msgspec.json.decode(await functions.answer(msgspec.json.encode(call)), type=ToolAnswer)


async def test_a_repeat_gets_the_first_answer_from_another_runner_too(world: World, code: Counting) -> None:
    first = await called(world.functions())
    assert (first.result, first.request) == (2.0, "digest")
    assert await called(world.functions()) == first
    assert code.runs == ["f_1"]


async def test_it_gets_it_after_the_function_is_gone(world: World) -> None:
    first = await called(world.functions())
    await world.run("delete_function", {"name": "half"}, call_id="gone", effect=Effect.RECORDED)
    assert await called(world.functions()) == first


async def test_what_failed_in_the_code_is_an_answer(world: World, code: Counting) -> None:
    call = msgspec.structs.replace(CALL, arguments={"n": -1})
    first = await called(world.functions(), call)
    assert first.error is not None
    assert first.error.kind is ErrorKind.REJECTED
    assert await called(world.functions(), call) == first
    assert len(code.runs) == 1


async def test_what_never_ran_is_tried_again(code: Counting) -> None:
    world = World(code=code.of_call)
    refused = await called(world.functions())
    assert refused.error is not None
    assert refused.error.kind is ErrorKind.NOT_FOUND
    await made(world)
    assert (await called(world.functions())).result == 2.0


async def test_another_request_under_the_key_is_told_what_the_first_was(world: World, code: Counting) -> None:
    await called(world.functions())
    other = msgspec.structs.replace(CALL, arguments={"n": 6}, request="other")
    assert await called(world.functions(), other) == ToolAnswer(request="digest")
    assert len(code.runs) == 1


async def test_of_calls_at_the_same_moment_one_runs_and_all_get_its_answer(
    world: World, code: Counting
) -> None:
    code.may_go_on.clear()
    runners = [world.functions(), world.functions()]
    asked = [asyncio.create_task(called(one)) for one in (*runners, *runners)]
    await code.running.wait()
    code.may_go_on.set()
    assert {one.result for one in await asyncio.gather(*asked)} == {2.0}
    assert code.runs == ["f_1"]


async def test_a_call_whose_runner_died_has_an_unknown_outcome_for_ever(world: World, code: Counting) -> None:
    entities = Entities(world.log, world.clock, SOURCE)
    assert await KeyedCalls(entities, world.clock).begin(
        call_key(AGENT, CALL.call_id), KeyedCall("half", "digest")
    )
    world.clock.ahead = timedelta(minutes=2)
    with capture_logs() as logs:
        first = await called(world.functions())
    assert [line["log_level"] for line in logs if line["event"] == "call.outcome_unknown"] == ["warning"]
    assert first.error is not None
    assert first.error.kind is ErrorKind.OUTCOME_UNKNOWN
    world.clock.ahead = timedelta()
    assert await called(world.functions()) == first
    assert code.runs == []


async def test_without_a_key_each_call_runs(world: World, code: Counting) -> None:
    call = msgspec.structs.replace(CALL, request=None)
    for _ in range(2):
        assert (await called(world.functions(), call)).request is None
    assert len(code.runs) == 2


async def test_one_that_is_cut_short_with_its_runner_gets_that_answer(world: World, code: Counting) -> None:
    code.may_go_on.clear()
    calling = asyncio.create_task(called(world.functions()))
    await code.running.wait()
    calling.cancel()
    await asyncio.wait({calling})
    assert calling.cancelled()
    again = await called(world.functions())
    assert again.error is not None
    assert (again.error.kind, code.runs) == (ErrorKind.OUTCOME_UNKNOWN, ["f_1"])
