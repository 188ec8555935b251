"""`files`, `spreadsheet`, `pdf` and `image` in code: the tools by the names of their methods, and bytes."""

import re

import msgspec
import pytest

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind
from agent_contracts.files import FileScope
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.questions.function_calls import FunctionCall
from agent_contracts.tool_spec import Effect
from agent_domain.files.file import FileRef, Workspace
from agent_tools.tool import Tool
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.tool_runner.world import World, all_tools
from tool_runner.code.file_bytes import MOST_BYTES
from tool_runner.code.file_methods import tool_behind
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

OBJECTS = {"files": "files", "spreadsheets": "spreadsheet", "pdfs": "pdf", "images": "image"}


@pytest.fixture
def world(sandbox: Sandbox) -> World:
    return World(sandbox=sandbox)


async def ran(world: World, code: str, call_id: str = "c1") -> Json:
    event = await world.run("run_sandbox_code", {"code": code}, call_id=call_id)
    return event.result["result"] if hasattr(event, "result") else event.error


class _Registered:
    def find(self, name: str) -> Tool | None:
        return all_tools().get(name)


@pytest.mark.parametrize("family", OBJECTS)
async def test_every_tool_of_these_families_is_a_method(family: str) -> None:
    shown = OBJECTS[family]
    noun = "file" if shown == "files" else shown
    tools = [tool for tool in all_tools() if tool.spec.family == family]
    assert len(tools) > 4
    for tool in tools:
        words = re.sub(rf"^{noun}_|_{noun}$", "", tool.spec.name)
        method = re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), words)
        assert tool_behind(f"{shown}.{method}", _Registered()) is tool, tool.spec.name  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["files", "files.", "files.then", "files.deletePage", "files.__proto__", "state.get", "pdf.Info"]
)
async def test_nothing_else_is(name: str) -> None:
    assert tool_behind(name, _Registered()) is None  # type: ignore[arg-type]


async def test_the_nested_objects_are_those_of_the_top_and_a_method_that_is_not_there_says_so(
    world: World,
) -> None:
    code = """
    const out = [files.pdf === pdf, files.image === image, files.spreadsheet === spreadsheet, typeof (await files)]
    for (const f of [() => files.noSuch(), () => pdf.then, () => pdf.noSuch({}), () => pdf.info('x'), () => pdf.info({ path: 'no.pdf' })])
      try { out.push((await f()) ?? 'nothing') } catch (e) { out.push(e.name + ' ' + e.code) }
    return out
    """
    assert await ran(world, code) == [
        *([True] * 3),
        "object",
        "NotAvailableError not_available",
        "nothing",
        "NotAvailableError not_available",
        "TypeError invalid_arguments",
        "HostError not_found",
    ]


async def test_bytes_are_written_appended_and_read_as_they_are(world: World) -> None:
    code = """
    const all = Uint8Array.from({ length: 256 }, (_, i) => i)
    const first = await files.writeBytes({ path: 'a/b.bin' }, all)
    const second = await files.appendBytes({ file_id: first.file_id, version: 1 }, all.subarray(250))
    const third = await files.appendBytes({ path: 'new.bin' }, new Uint8Array([1, 2]).buffer)
    const back = await files.readBytes({ path: 'a/b.bin' })
    return [first.version, second.version, second.size, back instanceof Uint8Array, back.length, [...back.slice(254)],
      [...await files.readBytes({ path: 'a/b.bin', offset: 255, length: 2 })], (await files.readBytes({ path: 'a/b.bin', version: 1 })).length,
      (await files.readBytes({ path: 'a/b.bin', offset: 999 })).length, third.version, [...await files.readBytes({ path: 'new.bin' })]]
    """
    assert await ran(world, code) == [
        *(1, 2, 262, True, 262),
        [254, 255, 250, 251, 252, 253, 254, 255],
        [255, 250],
        *(256, 0, 1, [1, 2]),
    ]
    file = await world.files.find(Workspace(AGENT, SESSION), FileRef(path="a/b.bin"))
    assert (file.source, file.scope) == ("code", FileScope.SESSION)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("files.writeBytes({ path: 'a' }, 'text')", "TypeError undefined"),
        ("files.writeBytes({ path: 'a' }, [1])", "TypeError undefined"),
        ("files.writeBytes({ path: 'a' })", "TypeError undefined"),
        ("files.writeBytes({}, new Uint8Array(1))", "HostError invalid_arguments"),
        ("files.writeBytes({ path: 'a', file_id: 'b' }, new Uint8Array(1))", "HostError invalid_arguments"),
        ("files.writeBytes({ path: '../a' }, new Uint8Array(1))", "HostError invalid_arguments"),
        ("files.writeBytes({ path: 'a', size: 1 }, new Uint8Array(1))", "HostError invalid_arguments"),
        ("files.appendBytes({ file_id: 'f_none' }, new Uint8Array(1))", "HostError not_found"),
        (f"files.writeBytes({{ path: 'a' }}, new Uint8Array({MOST_BYTES + 4}))", "HostError too_large"),
        ("files.writeBytes({ path: 'a' }, new Uint8Array(1e7))", "ArgumentSizeError undefined"),
        ("files.readBytes({ path: 'there', offset: -1 })", "HostError invalid_arguments"),
        (f"files.readBytes({{ path: 'there', length: {MOST_BYTES + 1} }})", "HostError too_large"),
        ("files.writeBytes({ path: 'there', version: 7 }, new Uint8Array(1))", "HostError conflict"),
    ],
)
async def test_what_is_wrong_has_its_own_kind_and_changes_nothing(world: World, code: str, told: str) -> None:
    program = f"""
    await files.writeBytes({{ path: 'there' }}, new Uint8Array([1]))
    try {{ await {code}; return 'none' }} catch (e) {{ return e.name + ' ' + e.code }}
    """
    assert await ran(world, program) == told
    seen = await world.files.list(Workspace(AGENT, SESSION))
    assert [(file.path, file.version) for file in seen] == [("there", 1)]


async def test_a_mebibyte_goes_both_ways_in_one_call(world: World) -> None:
    code = f"""
    const data = crypto.getRandomValues(new Uint8Array(65536)), all = new Uint8Array({MOST_BYTES})
    for (let at = 0; at < all.length; at += data.length) all.set(data, at)
    await files.writeBytes({{ path: 'big' }}, all)
    const back = await files.readBytes({{ path: 'big' }})
    return back.length === all.length && all.every((one, i) => one === back[i])
    """
    assert await ran(world, code) is True


async def test_appends_that_are_made_at_once_come_in_the_order_in_which_code_asked(world: World) -> None:
    code = """
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => files.appendBytes({ path: 'log' }, new Uint8Array([n]))))
    return [...await files.readBytes({ path: 'log' })]
    """
    assert await ran(world, code) == [1, 2, 3, 4, 5, 6, 7, 8]


async def test_a_call_that_is_run_again_appends_once(world: World) -> None:
    code = """
    for (const n of [1, 2, 3]) await files.appendBytes({ path: 'log' }, new Uint8Array([n]))
    return [...await files.readBytes({ path: 'log' })]
    """
    await _function(world, code)
    for _ in range(2):
        assert await _page_calls(world, "f1", {}) == [1, 2, 3]
    assert await _page_calls(world, "f2", {}) == [1, 2, 3, 1, 2, 3]


async def _function(world: World, code: str) -> None:
    made = {"name": "made", "description": "d", "parameter_schema": {"type": "object"}, "code": code}
    await world.run("create_function", made, call_id="made", effect=Effect.RECORDED)


async def _page_calls(world: World, call_id: str, arguments: dict[str, Json]) -> Json:
    call = FunctionCall(AGENT, CallId(call_id), "made", arguments)
    answer = await world.functions().answer(msgspec.json.encode(call))
    return msgspec.json.decode(answer, type=ToolAnswer).result


async def test_a_function_that_a_page_calls_sees_and_makes_only_the_agents_files(world: World) -> None:
    code = """
    await files.appendBytes({ path: 'page.txt' }, new Uint8Array([65]))
    return await files.readBytes({ path: args.path }).then((b) => b.length, (e) => e.code)
    """
    await _function(world, code)
    await ran(world, "await files.writeBytes({ path: 'own.txt' }, new Uint8Array(3))", call_id="c2")
    assert await _page_calls(world, "f1", {"path": "own.txt"}) == ErrorKind.NOT_FOUND
    assert await _page_calls(world, "f2", {"path": "page.txt"}) == 2
    (file,) = await world.files.list(Workspace(AGENT))
    assert (file.path, file.scope) == ("page.txt", FileScope.AGENT)
