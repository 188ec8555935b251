"""Libraries, TypeScript, host calls, replay and time: what a run is given, and what it may count on."""

import asyncio
from datetime import UTC, datetime

import msgspec
import pytest

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from agent_platform.observing.binding import bound, bound_ids
from tool_runner.sandbox.host import HostCallFailed, HostTable
from tool_runner.sandbox.limits import RunLimits
from tool_runner.sandbox.outcome import FailureKind, RunRecording
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]


class Shelf:
    """Libraries in memory; `read` are the names that were asked for."""

    def __init__(self, **libraries: str) -> None:
        self.libraries = libraries
        self.read: list[str] = []

    async def code_of(self, name: str) -> str | None:
        self.read.append(name)
        return self.libraries.get(name)


def chain(length: int) -> Shelf:
    links = {f"l{i}": f"exports.n = 1 + require('l{i + 1}').n" for i in range(1, length)}
    return Shelf(**links, **{f"l{length}": "exports.n = 1"})


# ---- libraries ----


async def test_libraries_require_each_other_and_are_evaluated_once_a_run(sandbox: Sandbox) -> None:
    shelf = Shelf(
        counter="let n = 0; exports.next = () => ++n",
        twice="const c = require('counter'); module.exports = () => [c.next(), c.next()]",
        unused="throw new Error('never read')",
    )
    code = "const t = require('twice'); return [...t(), require('counter').next(), require('twice') === t]"
    for _ in range(3):
        assert (await sandbox.run(SandboxProgram(code), libraries=shelf)).value == [1, 2, 3, True]
    assert "unused" not in shelf.read


async def test_a_library_is_found_by_a_name_that_only_the_code_knows(sandbox: Sandbox) -> None:
    shelf = Shelf(x1="exports.v = 'found'")
    code = "const name = 'x' + 1; return require(name).v"
    assert (await sandbox.run(SandboxProgram(code), libraries=shelf)).value == "found"


async def test_the_clock_and_randomness_of_a_library_are_those_of_the_run(sandbox: Sandbox) -> None:
    shelf = Shelf(born="exports.at = Date.now(); exports.r = Math.random()")
    code = "const b = require('born'); return [b.at, b.r]"
    clock = datetime(2030, 1, 1, tzinfo=UTC)
    first = (await sandbox.run(SandboxProgram(code, clock=clock, seed=1), libraries=shelf)).value
    other = (await sandbox.run(SandboxProgram(code, clock=clock, seed=2), libraries=shelf)).value
    assert first[0] // 60_000 == other[0] // 60_000 == clock.timestamp() // 60
    assert first[1] != other[1]


async def test_ten_libraries_deep_is_deep_enough_and_eleven_is_an_error(sandbox: Sandbox) -> None:
    assert (await sandbox.run(SandboxProgram("return require('l1').n"), libraries=chain(10))).value == 10
    error = (await sandbox.run(SandboxProgram("return require('l1').n"), libraries=chain(11))).error
    assert error is not None
    assert error.kind is FailureKind.REQUIRE_DEPTH


async def test_libraries_in_a_circle_are_an_error_that_names_the_circle(sandbox: Sandbox) -> None:
    shelf = Shelf(a="require('b')", b="require('c')", c="require('a')")
    error = (await sandbox.run(SandboxProgram("require('a')"), libraries=shelf)).error
    assert error is not None
    assert error.kind is FailureKind.REQUIRE_CYCLE
    assert error.message.endswith("a → b → c → a")


async def test_an_error_in_a_library_names_its_line(sandbox: Sandbox) -> None:
    shelf = Shelf(bad="exports.f = () => {\n  throw new Error('inside')\n}", broken="let = = 1")
    error = (await sandbox.run(SandboxProgram("require('bad').f()"), libraries=shelf)).error
    assert error is not None
    assert "(lib:bad:2:13)" in error.stack
    assert (error.file, error.line) == ("code.js", 1)
    syntax = (await sandbox.run(SandboxProgram("require('broken')"), libraries=shelf)).error
    assert syntax is not None
    assert syntax.name == "SyntaxError"
    assert "lib:broken:1" in syntax.stack


# ---- TypeScript ----


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("const x: number = 1; return x", 1),
        ("interface A {\n  b: string\n}\nconst a: A = { b: 'x' }\nreturn a.b", "x"),
        ("type N<T> = T | null\nfunction id<T>(x: T): T { return x }\nreturn id<number>(5)", 5),
        ("function id<T>(x: T) { return x }\nreturn id<string>('only a typed call')", "only a typed call"),
        ("enum C { Red = 1, Blue }\nreturn C.Blue", 2),
        ("class P { constructor(private x: number, readonly y = 2) {} sum() { return this.x + this.y } }\n"
         "return new P(1).sum()", 3),
        ("const f = async (a?: string): Promise<string> => a! + ' ' + (a as any)\nreturn await f('q')", "q q"),
        ("const o = { a: 1 } satisfies Record<string, number>\nreturn o.a", 1),
        ("return ((a: number, b: number) => a < b)(1, 2)", True),
        ("const m = new Map<string, number>([['a', 1]])\nreturn m.get('a')", 1),
    ],
)  # fmt: skip
async def test_typescript_runs_without_its_types(sandbox: Sandbox, code: str, value: object) -> None:
    outcome = await sandbox.run(SandboxProgram(code))
    assert outcome.error is None, outcome.error
    assert outcome.value == value


async def test_typescript_keeps_its_lines(sandbox: Sandbox) -> None:
    code = "interface A {\n  b: string\n}\ntype B =\n  | 1\n  | 2\nconst a: A | null = null as A | null\nreturn a!.b"
    error = (await sandbox.run(SandboxProgram(code))).error
    assert error is not None
    assert (error.name, error.line) == ("TypeError", 8)


async def test_typescript_is_checked_and_its_syntax_errors_have_lines(sandbox: Sandbox) -> None:
    assert await sandbox.problem_with("const x: number = 1\nreturn x as number") is None
    problem = await sandbox.problem_with("const x: number = 1\nconst y: = 2")
    assert problem is not None
    assert problem.kind is FailureKind.SYNTAX
    assert problem.line is not None


async def test_a_library_may_be_typescript(sandbox: Sandbox) -> None:
    shelf = Shelf(add="exports.add = (a: number, b: number): number => a + b")
    assert (await sandbox.run(SandboxProgram("return require('add').add(1, 2)"), libraries=shelf)).value == 3


# ---- host calls ----


class Notes:
    """A host with a store, that notes what it was asked, in order."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[Json]]] = []
        self.kept: dict[str, Json] = {}

    async def call(self, name: str, arguments: list[Json]) -> Json:
        self.asked.append((name, arguments))
        match name, arguments:
            case "state.set", [str(key), value]:
                self.kept[key] = value
                return None
            case "state.get", [str(key)]:
                return self.kept.get(key)
            case "fetch", [dict(request)]:
                return {
                    "status": 201,
                    "url": request["url"],
                    "headers": [["X-A", "1"], ["X-A", "2"]],
                    "body": msgspec.json.encode(request).decode(),
                }
            case "files.readText", _:
                raise HostCallFailed("no such file", name="NotFoundError", code="not_found")
            case "db.sql", _:
                raise Rejected("only one statement", kind="invalid_arguments")
            case "web.search", _:
                raise RuntimeError("a bug of ours, with /secret/path in it")
        return [name, arguments]

    def waits(self, name: str) -> bool:
        return name == "fetch"


async def test_host_calls_carry_values_and_errors(sandbox: Sandbox) -> None:
    host = Notes()
    code = """
    await state.set('k', { a: [1, null, 'ü'] })
    const out = [await state.get('k')]
    for (const f of [() => files.readText('x'), () => db.sql('a;b'), () => web.search('q'), () => pdf.info()])
      try { out.push(await f()) } catch (e) { out.push([e.name, e.message, e.code ?? null]) }
    return out
    """
    outcome = await sandbox.run(SandboxProgram(code), host)
    assert outcome.value == [
        {"a": [1, None, "ü"]},
        ["NotFoundError", "no such file", "not_found"],
        ["HostError", "only one statement", "invalid_arguments"],
        ["HostError", "web.search failed because of a bug in it, which was logged", "internal"],
        ["pdf.info", []],
    ]
    assert outcome.usage.host_calls == 6


async def test_fetch_gives_a_response_as_people_expect(sandbox: Sandbox) -> None:
    code = """
    const r = await fetch(new URL('https://a.example/x'), { method: 'post', headers: { 'X-Q': 'ü' },
      body: new URLSearchParams({ a: '1 2' }) })
    return [r.ok, r.status, r.url, r.headers.get('x-a'), r.headers.has('none'), (await r.json()), (await r.text()).length > 9]
    """
    value = (await sandbox.run(SandboxProgram(code), Notes())).value
    sent = {
        "url": "https://a.example/x",
        "method": "POST",
        "headers": [["X-Q", "ü"], ["content-type", "application/x-www-form-urlencoded;charset=UTF-8"]],
        "body": "a=1+2",
    }
    assert value == [True, 201, "https://a.example/x", "1, 2", False, sent, True]


async def test_calls_made_at_once_begin_in_order_and_are_answered_in_any(sandbox: Sandbox) -> None:
    gates = [asyncio.Event() for _ in range(3)]
    began: list[Json] = []

    async def get(arguments: list[Json]) -> Json:
        number = arguments[0]
        assert isinstance(number, int)
        began.append(number)
        if number == 2:
            gates[2].set()
        await gates[number].wait()
        gates[number - 1].set()
        return number * 10

    code = "const o = []; await Promise.all([0, 1, 2].map(async (i) => o.push(await state.get(i)))); return o"
    outcome = await sandbox.run(SandboxProgram(code), HostTable({"state.get": get}))
    assert outcome.value == [20, 10, 0]
    assert began == [0, 1, 2]


async def test_a_write_that_lacks_an_await_is_done_before_the_run_counts_as_ended(sandbox: Sandbox) -> None:
    host = Notes()
    outcome = await sandbox.run(SandboxProgram("state.set('a', 1); return 'done'"), host)
    assert outcome.value == "done"
    assert host.kept == {"a": 1}


async def test_the_quota_of_a_call_can_be_caught(sandbox: Sandbox) -> None:
    code = "let n = 0; try { for (;;) { await llm.generate({}); n++ } } catch (e) { return [n, e.name] }"
    assert (await sandbox.run(SandboxProgram(code), Notes())).value == [50, "CallQuotaError"]


async def test_a_run_that_waits_too_long_for_the_host_is_ended_and_the_host_is_told(sandbox: Sandbox) -> None:
    told = asyncio.Event()

    async def never(_: list[Json]) -> Json:
        try:
            await asyncio.Event().wait()
        finally:
            told.set()

    host = HostTable({"state.get": never})
    outcome = await sandbox.run(SandboxProgram("await state.get('x')", limits=RunLimits(wall_s=0.05)), host)
    assert outcome.error is not None
    assert outcome.error.kind is FailureKind.WALL_TIME
    async with asyncio.timeout(30):
        await told.wait()


async def test_a_cancelled_run_ends_its_host_calls(sandbox: Sandbox) -> None:
    asked, told = asyncio.Event(), asyncio.Event()

    async def never(_: list[Json]) -> Json:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            told.set()

    run = asyncio.create_task(
        sandbox.run(SandboxProgram("await state.get(1)"), HostTable({"state.get": never}))
    )
    await asked.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    async with asyncio.timeout(30):
        await told.wait()
    assert (await sandbox.run(SandboxProgram("return 1"))).value == 1


async def test_a_long_run_does_not_keep_others_of_its_worker_waiting(sandbox: Sandbox) -> None:
    long = asyncio.create_task(
        sandbox.run(SandboxProgram("for (;;);", limits=RunLimits(cpu_s=60, wall_s=60)))
    )
    async with asyncio.timeout(50):
        for number in range(20):
            assert (await sandbox.run(SandboxProgram(f"await null; return {number}"))).value == number
    assert not long.done()
    long.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long


# ---- clock, seed, replay ----


async def test_the_same_seed_gives_the_same_randomness(sandbox: Sandbox) -> None:
    code = "return [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]]"
    one, same, other = [(await sandbox.run(SandboxProgram(code, seed=seed))).value for seed in (5, 5, 6)]
    assert one == same
    assert one != other


async def test_a_recorded_run_replays_to_the_same_end(sandbox: Sandbox) -> None:
    code = """
    const lib = require('lib')
    const out = [Math.random(), Date.now(), crypto.randomUUID(), lib.v]
    out.push(...await Promise.all([state.get('a'), state.get('b')]))
    await new Promise((r) => setTimeout(r, 2))
    try { await files.readText('x') } catch (e) { out.push(e.message) }
    console.log('at', performance.now(), Date.now())
    return out
    """
    host, shelf = Notes(), Shelf(lib="exports.v = 1")
    host.kept = {"a": "A", "b": ["B"]}
    outcome = await sandbox.run(SandboxProgram(code, seed=9), host, shelf, record=True)
    assert outcome.error is None, outcome.error
    assert outcome.recording is not None
    stored = msgspec.json.encode(outcome.recording)
    again = await sandbox.replay(msgspec.json.decode(stored, type=RunRecording))
    assert again.value == outcome.value
    assert again.logs == outcome.logs
    assert len(host.asked) == 3


async def test_a_recorded_failure_replays_to_the_same_failure(sandbox: Sandbox) -> None:
    code = "const v = await state.get('a')\nthrow new TypeError(v + Math.random())"
    outcome = await sandbox.run(SandboxProgram(code, seed=3), Notes(), record=True)
    assert outcome.recording is not None
    assert (await sandbox.replay(outcome.recording)).error == outcome.error


async def test_what_a_host_logs_is_about_the_run_that_asked(sandbox: Sandbox) -> None:
    async def call_id_of(_: list[Json]) -> Json:
        await asyncio.sleep(0)
        return str(bound_ids()["call_id"])

    async def run(call_id: str) -> object:
        with bound(call_id=call_id):
            code = "return [await state.get('k'), await state.get('k')]"
            return (await sandbox.run(SandboxProgram(code), HostTable({"state.get": call_id_of}))).value

    ran = await asyncio.gather(*(asyncio.create_task(run(f"c{n}")) for n in range(3)))
    assert ran == [["c0", "c0"], ["c1", "c1"], ["c2", "c2"]]


# ---- many host calls at a time ----


@pytest.mark.parametrize(("size", "least", "most"), [(10, 32, 64), (1_000_000, 1, 8)])
async def test_of_many_host_calls_some_are_asked_at_a_time_fewer_where_answers_are_large(
    sandbox: Sandbox, size: int, least: int, most: int
) -> None:
    under_way, at_once = 0, 0

    async def answer(arguments: list[Json]) -> Json:
        nonlocal under_way, at_once
        under_way += 1
        at_once = max(at_once, under_way)
        await asyncio.sleep(0.005)  # sleeps: work
        under_way -= 1
        return "x" * size

    code = "const all = Array.from({ length: 120 }, () => state.get('k')); return (await Promise.all(all)).length"
    lengths = code.replace("state.get('k')", "state.get('k').then((v) => v.length)")
    outcome = await sandbox.run(SandboxProgram(lengths), HostTable({"state.get": answer}))
    assert outcome.value == 120, outcome.error
    assert least <= at_once <= most


async def test_what_nobody_waits_for_is_asked_all_the_same(sandbox: Sandbox) -> None:
    asked: list[Json] = []

    async def answer(arguments: list[Json]) -> Json:
        asked.append(arguments[0])
        return None

    code = "for (let i = 0; i < 200; i++) state.set(String(i), i); return 1"
    outcome = await sandbox.run(SandboxProgram(code), HostTable({"state.set": answer}))
    assert outcome.value == 1
    assert asked == [str(number) for number in range(200)]


async def test_the_arguments_of_all_pending_calls_are_bounded(sandbox: Sandbox) -> None:
    refused = asyncio.Event()

    async def answer(arguments: list[Json]) -> Json:
        await refused.wait()
        return None

    async def tell(arguments: list[Json]) -> Json:
        refused.set()
        return None

    code = """
    const large = 'x'.repeat(3_000_000)
    const told = async (i, e) => { await db.schema(); resolve([i, e.name]) }
    for (let i = 0; i < 6; i++) {
      state.set('k', large).catch((e) => told(i, e))
      await new Promise((r) => setTimeout(r, 1))
    }
    """
    outcome = await sandbox.run(SandboxProgram(code), HostTable({"state.set": answer, "db.schema": tell}))
    assert outcome.value == [5, "PendingCallsError"]
