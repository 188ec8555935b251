"""Examples of own tools: run in the sandbox at each change, and what breaks one is not stored."""

import asyncio
import contextlib
import itertools
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from agent_contracts.entities.definitions import LARGEST_EXAMPLES, Example
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, ToolError, Transient
from agent_contracts.json_value import Json
from agent_contracts.kinds.tool import TOOL
from agent_contracts.questions.user_questions import CheckDefinition
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import Effect
from agent_platform.entities.entity import EntityKey
from agent_tools.registry import installed_packs
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import egress_to
from foldline_testing.tool_runner.world import World
from tool_runner.code import examples
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

SCHEMA = {"type": "object", "properties": {"c": {"type": "number"}}, "required": ["c"]}
GOOD = "return { f: args.c * 9 / 5 + 32 }"
EXAMPLES: list[Json] = [
    {"arguments": {"c": 100}, "result": {"f": 212}},
    {"arguments": {"c": -40}, "holds": "result.f === args.c"},
]
_numbers = itertools.count()


@pytest_asyncio.fixture(loop_scope="module")
async def world(sandbox: Sandbox) -> World:
    return World(sandbox=sandbox, check=None, egress=egress_to("a.test"))


async def called(world: World, tool: str, **arguments: Json) -> Any:
    """The result, or the error."""
    call = f"c{next(_numbers)}"
    event = await world.run(tool, arguments, call_id=call, effect=Effect.RECORDED)
    assert isinstance(event, ToolCallCompleted | ToolCallFailed)
    return event.result if isinstance(event, ToolCallCompleted) else event.error


async def made(world: World, name: str, code: str = GOOD, **more: Json) -> Any:
    return await called(
        world, "create_tool", name=name, description="d", parameter_schema=SCHEMA, code=code, **more
    )


async def test_an_update_that_breaks_an_example_is_refused_with_the_difference(world: World) -> None:
    assert await made(world, "to_f", examples=EXAMPLES) == {"name": "to_f", "version": 1}
    wrong = await called(world, "update_tool", name="to_f", code="return { f: args.c * 2 + 30 }")
    assert wrong.path == "/examples/0"
    assert wrong.message == (
        'nothing was stored: example 1 is broken: to_f({"c":100}) should give {"f":212}, and it gives {"f":230}'
    )
    assert wrong.details == {"example": 1, "expected": '{"f":212}', "got": '{"f":230}'}
    read = await called(world, "read_tool", name="to_f")
    assert (read["code"], read["version"], read["examples"]) == (GOOD, 1, EXAMPLES)
    better = await called(world, "update_tool", name="to_f", code="return { f: 32 + 1.8 * args.c }")
    assert better == {"name": "to_f", "version": 2}
    assert (await called(world, "read_tool", name="to_f"))["examples"] == EXAMPLES


async def test_a_predicate_that_is_false_or_fails_and_code_that_throws_are_told(world: World) -> None:
    for code, example, said in [
        (
            GOOD,
            {"arguments": {"c": 1}, "holds": "result.f < 0"},
            'result.f < 0 is true, and it gives {"f":33.8}',
        ),
        (GOOD, {"arguments": {"c": 1}, "holds": "result.x.y"}, "it fails: TypeError"),
        (GOOD, {"arguments": {"c": 1}, "holds": "result."}, "it fails: SyntaxError"),
        ("null.x", {"arguments": {"c": 1}, "result": 1}, "it fails: TypeError"),
        ("while (true) ;", {"arguments": {"c": 1}, "result": 1}, "it fails: "),
        (GOOD, {"arguments": {"c": "x"}, "result": 1}, "doesn't fit the schema"),
        (GOOD, {"arguments": {"c": 1}}, "needs either `result` or `holds`"),
        (GOOD, {"arguments": {"c": 1}, "result": 1, "holds": "1"}, "needs either `result` or `holds`"),
        (GOOD, {"arguments": {"c": 1}, "expect": 1}, "`expect`"),
    ]:
        wrong = await made(world, "bad", code, examples=[example])
        assert said in wrong.message, (example, wrong)
        assert wrong.path.startswith("/examples/0")
    assert await world.entities.current(EntityKey(AGENT, EntityKind.TOOL, "bad")) is None


async def test_examples_are_bounded_in_number_size_and_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = {"arguments": {"c": 0}, "result": {"f": 32}}
    assert "more than 10 examples" in (await made(world, "many", examples=[one] * 11)).message
    large = {"arguments": {"c": 0}, "holds": " " * LARGEST_EXAMPLES}
    assert (await made(world, "many", examples=[large])).kind == ErrorKind.TOO_LARGE
    monkeypatch.setattr(examples, "LONGEST_S", 0.3)
    slow = "await new Promise((done) => setTimeout(done, 200)); return 1"
    late = await made(world, "many", slow, examples=[{"arguments": {"c": 0}, "result": 1}] * 4)
    assert "took more than 0.3 seconds in all" in late.message


async def test_examples_send_nothing_and_write_nothing_also_by_functions(world: World) -> None:
    await called(world, "set_state", key="k", value=7)
    await called(
        world,
        "create_function",
        name="inner",
        description="d",
        parameter_schema={"type": "object"},
        code="await state.set('k', 8)",
    )
    for code in (
        "await fetch('http://a.test/')",
        "await state.set('k', 9)",
        "await db.sql('CREATE TABLE t (a)')",
        "await files.write('a.txt', 'x')",
        "await web.read({ url: 'http://a.test/' })",
        "await llm.generate({ prompt: 'x' })",
        "await functions.call('inner', {})",
    ):
        wrong = await made(world, "sender", code, examples=[{"arguments": {"c": 1}, "result": None}])
        assert "examples send nothing and write nothing" in wrong.message, (code, wrong)
    reads = [{"arguments": {"c": 1}, "result": 7}]
    assert (await made(world, "reader", "return await state.get('k')", examples=reads))["version"] == 1
    assert (await called(world, "get_state", key="k"))["value"] == 7


async def test_examples_are_changed_and_taken_away_with_an_update(world: World) -> None:
    assert (await made(world, "plain"))["version"] == 1
    assert "examples" not in await called(world, "read_tool", name="plain")
    wrong: list[Json] = [{"arguments": {"c": 0}, "result": {"f": 31}}]
    refused = await called(world, "update_tool", name="plain", examples=wrong)
    assert 'it gives {"f":32}' in refused.message
    both = await called(world, "update_tool", name="plain", examples=wrong, code="return { f: 31 }")
    assert both["version"] == 2
    await called(world, "update_tool", name="plain", examples=[])
    assert (await called(world, "update_tool", name="plain", code=GOOD))["version"] == 4


async def test_an_update_of_the_code_and_one_of_the_examples_at_once_never_store_what_doesnt_hold(
    world: World,
) -> None:
    assert (await made(world, "raced", examples=EXAMPLES))["version"] == 1
    other: list[Json] = [{"arguments": {"c": 2}, "result": {"f": 35.6}}]

    async def change(call: str, **given: Json) -> None:
        for attempt in itertools.count(1):
            with contextlib.suppress(Transient):  # it is delivered again
                arguments = {"name": "raced", **given}
                await world.run("update_tool", arguments, call_id=f"{call}-{attempt}", effect=Effect.RECORDED)
                return

    await asyncio.gather(
        change("r1", code="return { f: 30 + 2 * args.c }", examples=[]), change("r2", examples=other)
    )
    read = await called(world, "read_tool", name="raced")
    assert (read["code"] == GOOD) is bool(read.get("examples"))


async def test_what_a_person_writes_is_held_to_its_examples_and_may_call_the_agents_functions(
    world: World,
) -> None:
    await called(
        world,
        "create_function",
        name="double",
        description="d",
        parameter_schema={"type": "object"},
        code="return args.n * 2",
    )
    wanted: dict[str, Json] = {"description": "d", "parameter_schema": SCHEMA}
    wanted["code"] = "return functions.call('double', { n: args.c })"

    async def check(result: Json) -> ToolAnswer:
        given = {**wanted, "examples": [{"arguments": {"c": 2}, "result": result}]}
        question = CheckDefinition(AGENT, EntityKind.TOOL, "mine", given)
        answer = await world.questions().check(msgspec.json.encode(question))
        return msgspec.json.decode(answer, type=ToolAnswer)

    refused = (await check(5)).error
    assert refused is not None
    assert "should give 5, and it gives 4" in refused.message
    told = await check(4)
    assert told.error is None
    assert msgspec.convert(told.result, TOOL.shape).examples == (Example({"c": 2}, 4),)


async def test_what_installed_packs_bring_can_be_checked_and_torn_code_is_refused(world: World) -> None:
    async def flaw(kind: str, name: str, definition: dict[str, Json]) -> ToolError | None:
        given = {member: one for member, one in definition.items() if member not in ("enabled", "examples")}
        question = CheckDefinition(AGENT, EntityKind(kind), name, given)
        answer = await world.questions().check(msgspec.json.encode(question))
        return msgspec.json.decode(answer, type=ToolAnswer).error

    brought = [one for pack in installed_packs() if pack.about for one in pack.about.brings]
    code = [one for one in brought if one.kind in ("component", "function", "tool", "library")]
    assert code
    for thing in code:
        assert isinstance(thing.value, dict)
        assert await flaw(thing.kind, thing.name, thing.value) is None, thing.name
    for kind in ("function", "tool", "library", "component"):
        shape: dict[str, Json] = {"parameter_schema": SCHEMA} if kind in ("function", "tool") else {}
        torn = await flaw(kind, "Torn", {"description": "d", "code": "return { <p> ", **shape})
        assert torn is not None, kind
