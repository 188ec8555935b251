"""What leaves a program is JSON, or an error that names the place: nothing becomes null or text in silence."""

import pytest

from agent_contracts.json_value import Json
from tool_runner.code.host import PARTS
from tool_runner.sandbox.host import HostTable
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

NOT_JSON = [
    ("() => 1", "", "a function"),
    ("class A {}", "", "a function"),
    ("Symbol('s')", "", "a symbol"),
    ("10n", "", "a BigInt: take Number(it) or String(it)"),
    ("Object(10n)", "", "a BigInt: take Number(it) or String(it)"),
    ("0 / 0", "", "NaN"),
    ("Object(NaN)", "", "NaN"),
    ("-1 / 0", "", "-Infinity"),
    ("new Map([['a', 1]])", "", "a Map: take Object.fromEntries(it) or [...it]"),
    ("new Set([1])", "", "a Set: take [...it]"),
    ("new WeakMap()", "", "a WeakMap"),
    ("new Error('no')", "", "an Error: take its message"),
    ("/a/g", "", "a RegExp: take its source"),
    ("new Uint8Array(2)", "", "a Uint8Array: take Array.from(it), or it.toBase64()"),
    (
        "new ArrayBuffer(2)",
        "",
        "an ArrayBuffer: take an array of numbers, or base64 by new Uint8Array(it).toBase64()",
    ),
    ("new Headers({ a: 1 })", "", "a Headers: take Object.fromEntries(it)"),
    ("new Blob(['a'])", "", "a Blob: take await it.text(), or await it.bytes()"),
    ("new URLSearchParams('a=1')", "", "a URLSearchParams: take String(it)"),
    ("new Date(NaN)", "", "a Date without a valid time"),
    ("(function* () {})()", "", "a Generator"),
    ("[1, undefined]", "[1]", "undefined"),
    ("[1, , 2]", "[1]", "undefined"),
    ("({ items: [0, 1, 2, { fn() {} }] })", ".items[3].fn", "a function"),
    ("({ a: { 'b c': { 7: [NaN] } } })", '.a["b c"]["7"][0]', "NaN"),
    ("({ waiting: Promise.resolve(1) })", ".waiting", "a Promise: await it"),
    ("({ a: 1, late: { toJSON() { return 1n } } })", ".late", "a BigInt: take Number(it) or String(it)"),
    ("((o) => (o.self = { o }, o))({})", ".self.o", "a circle: it contains itself"),
    ("((a) => (a.push([a]), a))([])", "[0][0]", "a circle: it contains itself"),
    ("({ when: [new Date(0), new Date('never')] })", ".when[1]", "a Date without a valid time"),
]

JSON = [
    ("{ a: undefined, b: 1 }", {"b": 1}),
    ("{ [Symbol('s')]: 1 }", {}),
    ("new Date(0)", "1970-01-01T00:00:00.000Z"),
    ("{ at: new URL('https://a.test/b') }", {"at": "https://a.test/b"}),
    ("[Object('x'), Object(1), Object(true)]", ["x", 1, True]),
    ("new (class P { x = 1; #y = 2; get z() { return 3 } })()", {"x": 1}),
    ("Object.create(null, { a: { value: 1, enumerable: true } })", {"a": 1}),
    ("((x) => [x, x, { x }, [], {}, [{}]])({ n: null })", [{"n": None}] * 2 + [{"x": {"n": None}}, [], {}, [{}]]),
    ("{ toJSON() { return { a: [1] } } }", {"a": [1]}),
    ("'\\u2028 \"quoted\" é'", '\u2028 "quoted" é'),
    ("[1e21, 5e-324, -0.5, 2 ** 53]", [1e21, 5e-324, -0.5, 2**53]),
]  # fmt: skip


class Taken:
    """A host that keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[list[Json]] = []
        names = (*PARTS, "functions.call", "fetch")
        self.table = HostTable(dict.fromkeys(names, self.take))

    async def take(self, arguments: list[Json]) -> Json:
        self.given.append(arguments)
        return {"status": 200}


@pytest.mark.parametrize(("made", "path", "wrong"), NOT_JSON)
async def test_a_result_that_is_not_json_is_an_error_with_its_path(
    sandbox: Sandbox, made: str, path: str, wrong: str
) -> None:
    for program in (f"const v = {made}; return {{ v }}", f"const v = {made}; resolve({{ v }})"):
        outcome = await sandbox.run(SandboxProgram(program))
        assert outcome.error is not None
        assert (outcome.error.name, outcome.error.message) == ("TypeError", f"result.v{path} is {wrong}")


@pytest.mark.parametrize(("made", "path", "wrong"), NOT_JSON)
async def test_an_argument_that_is_not_json_is_an_error_with_its_path_and_the_host_is_not_asked(
    sandbox: Sandbox, made: str, path: str, wrong: str
) -> None:
    host = Taken()
    code = f"const v = {made}; try {{ await state.set('k', v) }} catch (e) {{ return [e.name, e.message] }}"
    outcome = await sandbox.run(SandboxProgram(code), host.table)
    assert outcome.value == ["TypeError", f"state.set: value{path} is {wrong}"]
    assert host.given == []


@pytest.mark.parametrize(("made", "value"), JSON)
async def test_what_json_can_say_goes_through_as_json_says_it(
    sandbox: Sandbox, made: str, value: Json
) -> None:
    host = Taken()
    outcome = await sandbox.run(
        SandboxProgram(f"const v = {made}; await state.set('k', v); return v"), host.table
    )
    assert outcome.error is None, outcome.error
    assert (outcome.value, host.given) == (value, [["k", value]])


async def test_arguments_that_are_undefined_at_the_end_were_not_given(sandbox: Sandbox) -> None:
    host = Taken()
    code = "await state.keys(undefined); await db.sql('x', undefined); await state.set('k', null)"
    assert (await sandbox.run(SandboxProgram(code), host.table)).error is None
    assert host.given == [[], ["x"], ["k", None]]
    error = (await sandbox.run(SandboxProgram("await db.sql(undefined, [])"), host.table)).error
    assert error is not None
    assert error.message == "db.sql: sql is undefined"


@pytest.mark.parametrize("name", [name for name, part in PARTS.items() if part.takes])
async def test_errors_call_arguments_as_the_tools_do(sandbox: Sandbox, name: str) -> None:
    for at, argument in enumerate(PARTS[name].takes):
        before = "1, " * at
        error = (await sandbox.run(SandboxProgram(f"await {name}({before}() => 1)"))).error
        assert error is not None
        assert error.message == f"{name}: {argument} is a function"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("llm.generate({ prompt: 'x', schema: { f() {} } })", "llm.generate: schema.f is a function"),
        ("llm.generate(() => 1)", "llm.generate: argument 1 is a function"),
        ("functions.call('f', { n: [NaN] })", "functions.call: args.n[0] is NaN"),
        ("mcp.callTool('a', { n: NaN })", "mcp.callTool: argument 2.n is NaN"),
        ("fetch('https://a.test', { method: 'POST', body: { a: 1 } })",
         "fetch: body is an Object: take JSON.stringify(it)"),
        ("fetch('https://a.test', { method: 'POST', body: () => 1 })", "fetch: body is a function"),
        ("fetch('https://a.test', { headers: { 'X-A': undefined } })", "fetch: headers.X-A is undefined"),
        ("fetch('https://a.test', { headers: { a: ['b'] } })",
         "fetch: headers.a is an Array: take JSON.stringify(it)"),
    ],
)  # fmt: skip
async def test_every_host_call_is_strict(sandbox: Sandbox, call: str, message: str) -> None:
    error = (await sandbox.run(SandboxProgram(f"await {call}"))).error
    assert error is not None
    assert (error.name, error.message) == ("TypeError", message)


async def test_a_write_that_nobody_awaits_is_told_too(sandbox: Sandbox) -> None:
    outcome = await sandbox.run(SandboxProgram("state.set('k', () => 1); return 1"))
    assert [line.text for line in outcome.logs] == [
        "a promise was rejected and nobody looked: TypeError: state.set: value is a function"
    ]


async def test_the_log_stays_lenient(sandbox: Sandbox) -> None:
    code = "const o = {}; o.o = o; console.log({ f() {}, n: NaN, b: 1n }, o, [undefined]); return 1"
    outcome = await sandbox.run(SandboxProgram(code))
    assert (outcome.value, len(outcome.logs)) == (1, 1)


async def test_what_is_nested_too_deeply_is_an_error(sandbox: Sandbox) -> None:
    deep = "let v = 1; for (let i = 0; i < {n}; i++) v = [v];"
    assert (await sandbox.run(SandboxProgram(deep.format(n=90) + "return v"))).error is None
    for many in (150, 100_000):
        error = (await sandbox.run(SandboxProgram(deep.format(n=many) + "return v"))).error
        assert error is not None
        assert "nested more than 100 levels deep" in error.message
