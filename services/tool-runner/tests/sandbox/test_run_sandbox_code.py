"""`run_sandbox_code`: code of the moment, with what its call may ask for."""

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.definitions import LibraryDefinition, ToolDefinition
from agent_contracts.errors import ErrorKind
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.kinds.tool import TOOL
from agent_contracts.policies import Grant, Match
from agent_contracts.questions.generation import GenerationResult
from agent_contracts.session_events.results import TaskStep, ToolCallCompleted, ToolCallFailed, Usage
from agent_contracts.tool_spec import Effect
from agent_domain import definitions
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import answered, egress_to, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.agent.searching.searxng import SearXNG
from tool_runner.agent.searching.services import SearchServices
from tool_runner.code.runs import SandboxCodeCheck
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]


@pytest.fixture
def world(sandbox: Sandbox) -> World:
    return World(sandbox=sandbox)


async def test_it_gives_what_the_code_returned_and_logged(world: World) -> None:
    code = "console.log('a', 1); console.warn('careful'); return { n: [1, 2].map((x) => x * 2) }"
    event = await world.run("run_sandbox_code", {"code": code})
    assert isinstance(event, ToolCallCompleted)
    assert event.result == {"result": {"n": [2, 4]}, "logs": ["a 1", "warn: careful"]}


async def test_a_failure_tells_the_model_name_message_stack_line_column_and_logs(world: World) -> None:
    event = await world.run("run_sandbox_code", {"code": "console.log('before')\nconst a = null\na.b"})
    assert isinstance(event, ToolCallFailed)
    assert event.error.kind is ErrorKind.REJECTED
    assert event.error.message == "TypeError: cannot read property 'b' of null (line 3, column 1)"
    assert event.error.details is not None
    assert {key: event.error.details[key] for key in ("kind", "name", "line", "column", "logs")} == {
        "kind": "exception",
        "name": "TypeError",
        "line": 3,
        "column": 1,
        "logs": ["before"],
    }
    assert "at main (code.js:3:1)" in str(event.error.details["stack"])


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("let a = ;", ErrorKind.INVALID_ARGUMENTS),
        ("return 'x'.repeat(5e6)", ErrorKind.TOO_LARGE),
        ("await new Promise(() => {})", ErrorKind.REJECTED),
    ],
)
async def test_each_failure_has_a_kind_of_the_closed_list(world: World, code: str, kind: ErrorKind) -> None:
    event = await world.run("run_sandbox_code", {"code": code})
    assert event.error.kind is kind


async def test_code_reads_and_writes_the_agents_state(world: World) -> None:
    code = """
    await state.set('k', { n: 1 })
    await Promise.all(['a', 'b', 'c'].map((key, i) => state.set(key, i)))
    const gone = [await state.delete('a'), await state.delete('a')]
    try { await state.set('', 1) } catch (e) { gone.push(e.code) }
    return [await state.get('k'), await state.get('none'), await state.keys(), gone]
    """
    event = await world.run("run_sandbox_code", {"code": code}, call_id="c1")
    assert event.result["result"] == [{"n": 1}, None, ["b", "c", "k"], [True, False, "invalid_arguments"]]
    assert (await world.run("get_state", {"key": "k"}, call_id="c2")).result == {"value": {"n": 1}}


async def test_code_uses_the_agents_database_notepad_and_models(world: World) -> None:
    world.models = ScriptedModels(GenerationResult(text="yes", usage=Usage(3, 1)))
    code = """
    await db.sql('create table t (n)')
    await db.sql('insert into t values (?), (?)', [1, 2])
    await session.notepad.write('plan')
    const { rows } = await db.sql('select sum(n) from t')
    const said = await llm.generate({ prompt: 'well?' })
    try { await browser.navigate({}) } catch (e) { return [rows, said.text, await session.notepad.read(), e.code] }
    """
    event = await world.run("run_sandbox_code", {"code": code})
    assert isinstance(event, ToolCallCompleted), event
    rows, said, notepad, refused = event.result["result"]
    assert (rows, said, notepad["content"], refused) == ([[3]], "yes", "plan", "not_available")
    assert event.usage is not None
    assert event.usage.input == 3


async def test_code_requires_the_agents_libraries(world: World) -> None:
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    key = EntityKey(AGENT, LIBRARY.kind, "maths")
    library = LibraryDefinition("adds", "exports.add = (a: number, b: number) => a + b")
    await definitions.create(entities, key, LIBRARY, library, EntityWriter.user("w1"))
    event = await world.run("run_sandbox_code", {"code": "return require('maths').add(1, 2)"})
    assert event.result["result"] == 3


async def test_an_agents_own_tool_runs_with_its_arguments(world: World) -> None:
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    key = EntityKey(AGENT, TOOL.kind, "to_fahrenheit")
    schema = {"type": "object", "properties": {"c": {"type": "number"}}, "required": ["c"]}
    code = "if (args.c < -273.15) throw new RangeError('too cold')\nreturn args.c * 9 / 5 + 32"
    await definitions.create(
        entities, key, TOOL, ToolDefinition("converts", schema, code), EntityWriter.user("w1")
    )
    event = await world.run("to_fahrenheit", {"c": 100}, call_id="c1", effect=Effect.EXTERNAL)
    assert event.result == 212
    event = await world.run("to_fahrenheit", {"c": -300}, call_id="c2", effect=Effect.EXTERNAL)
    assert event.error.message == "RangeError: too cold (line 1, column 33)"
    event = await world.run("to_fahrenheit", {}, call_id="c3", effect=Effect.EXTERNAL)
    assert event.error.kind is ErrorKind.INVALID_ARGUMENTS


async def test_code_fetches_through_the_guard(world: World) -> None:
    world.grants = (Grant(Match()),)
    with_type = "Content-Type: text/plain; charset=utf-8"
    async with local_server(lambda _: answered("ü".encode(), with_type, "X-A: 1", status=201)) as server:
        code = f"""
        const r = await fetch({server.url("a.test", "/p")!r}, {{ method: 'POST', headers: {{ 'X-Q': 'q' }}, body: 'b' }})
        const out = [r.status, r.headers.get('x-a'), await r.text()]
        try {{ await fetch('http://10.0.0.1/') }} catch (e) {{ out.push(e.code) }}
        return out
        """
        event = await world.run("run_sandbox_code", {"code": code})
    assert isinstance(event, ToolCallCompleted), event
    assert event.result["result"] == [201, "1", "ü", "blocked"]
    assert server.seen[0].startswith("POST /p ")
    assert server.seen[0].endswith("\r\n\r\nb")


async def test_code_searches_and_reads_the_web(world: World) -> None:
    listed = b'{"results": [{"title": "Tea", "url": "https://tea.example/", "content": "leaves"}]}'
    answers = {"/search": answered(listed), "/tea": answered(b"All about tea.", "Content-Type: text/plain")}
    async with local_server(lambda request: answers[request.split()[1].partition("?")[0]]) as server:
        world.search = SearchServices([SearXNG(egress_to("a.test"), server.url("a.test", ""))])
        code = f"""
        const found = await web.search({{ query: 'tea', count: 1 }})
        const page = await web.read({{ url: {server.url("a.test", "/tea")!r} }})
        return [found.results[0].title, page.content]
        """
        event = await world.run("run_sandbox_code", {"code": code})
    assert event.result["result"] == ["Tea", "All about tea."]


async def test_the_model_is_told_where_a_value_is_that_is_not_json(world: World) -> None:
    code = "const value = { items: [1, { fn() {} }] }\nawait state.set('k', value)"
    event = await world.run("run_sandbox_code", {"code": code})
    assert isinstance(event, ToolCallFailed), event
    assert event.error.message == (
        "TypeError: state.set: value.items[1].fn is a function (line 2, column 22)"
    )
    event = await world.run("run_sandbox_code", {"code": "return { a: [NaN] }"}, call_id="c2")
    assert event.error.message == "TypeError: result.a[0] is NaN"


async def test_tasks_that_code_begins_and_ends_come_with_its_result(world: World) -> None:
    code = "await session.beginTask('search\\u0000'); await session.endTask('found'); return 1"
    event = await world.run("run_sandbox_code", {"code": code})
    assert event.tasks == (TaskStep(begins="search\ufffd"), TaskStep(ends="found"))
    event = await world.run(
        "run_sandbox_code", {"code": "await session.beginTask('x'); throw new Error('no')"}, call_id="c2"
    )
    assert isinstance(event, ToolCallFailed)
    assert event.tasks == (TaskStep(begins="x"),)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("session.beginTask()", "TypeError: session.beginTask takes a title"),
        ("session.endTask({})", "TypeError: session.endTask takes a summary"),
        ("session.endTask('found')", "RejectedError: session.endTask: no task is open: begin one"),
        (
            "session.beginTask('x').then(() => session.endTask('y')).then(() => session.endTask('z'))",
            "RejectedError: session.endTask: no task is open",
        ),
        ("session.beginTask(' ')", "TypeError: session.beginTask takes a title"),
        ("session.beginTask(() => 1)", "TypeError: session.beginTask: title is a function"),
        ("(async () => { for (;;) await session.beginTask('x') })()", "CallQuotaError: session.beginTask"),
    ],
)
async def test_what_is_no_task_is_refused(world: World, code: str, message: str) -> None:
    event = await world.run("run_sandbox_code", {"code": f"await {code}"})
    assert isinstance(event, ToolCallFailed)
    assert event.error.message.startswith(message)


async def test_code_ends_a_task_that_was_open_before_it(world: World) -> None:
    event = await world.run("run_sandbox_code", {"code": "await session.endTask('found')"}, open_tasks=1)
    assert event.tasks == (TaskStep(ends="found"),)


async def test_the_check_of_code_names_line_and_column(sandbox: Sandbox) -> None:
    check = SandboxCodeCheck(sandbox)
    assert await check.problem("return await x", "body") is None
    assert await check.problem("exports.a = (x: number) => x", "module") is None
    problem = await check.problem("const a = 1\nreturn (a", "body")
    assert problem is not None
    assert (problem.line, "SyntaxError" in problem.message) == (2, True)
    assert await check.problem("await x", "module") is not None
