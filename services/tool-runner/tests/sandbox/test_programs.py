"""What ordinary code gets: sixty and more programs of ES2023 and of the web's own, with exact results."""

import pytest

from tool_runner.sandbox.limits import RunLimits
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

PROGRAMS = [
    ("return 1 + 1", 2),
    ("return args.name.toUpperCase()", "ADA"),
    ("resolve(5)", 5),
    ("setTimeout(() => resolve('later'), 1)", "later"),
    ("const v = await Promise.resolve(3); return v", 3),
    ("return", None),
    ("return null", None),
    ("return { a: [1, 'x', true, null], b: { c: 1.5 } }", {"a": [1, "x", True, None], "b": {"c": 1.5}}),
    ("const { a, ...rest } = { a: 1, b: 2, c: 3 }; return rest", {"b": 2, "c": 3}),
    ("const [x, , y = 9] = [1, 2]; return [x, y]", [1, 9]),
    ("return [3, 1, 2].toSorted()", [1, 2, 3]),
    ("return [1, 2, 3].toReversed()", [3, 2, 1]),
    ("return [1, 2, 3].with(1, 9)", [1, 9, 3]),
    ("return [1, 2, 3, 4].toSpliced(1, 2)", [1, 4]),
    ("return [1, 2, 3].findLast((x) => x < 3)", 2),
    ("return [1, 2, 3].findLastIndex((x) => x > 5)", -1),
    ("return [1, [2, [3]]].flat(Infinity)", [1, 2, 3]),
    ("return ['a b', 'c'].flatMap((s) => s.split(' '))", ["a", "b", "c"]),
    ("return [1, 2, 3].at(-1)", 3),
    ("return Object.groupBy([1, 2, 3], (x) => (x % 2 ? 'odd' : 'even'))", {"odd": [1, 3], "even": [2]}),
    ("return Object.fromEntries(new Map([['a', 1]]))", {"a": 1}),
    ("return Object.entries({ x: 1, y: 2 })", [["x", 1], ["y", 2]]),
    ("return structuredClone({ d: new Date(0), s: new Set([1]) }).d.toISOString()", "1970-01-01T00:00:00.000Z"),
    ("const m = new Map([[1, { a: 1 }]]); const c = structuredClone(m); c.get(1).a = 2; return m.get(1).a", 1),
    ("const a = { n: 1 }; a.self = a; return structuredClone(a).self.self.n", 1),
    ("try { structuredClone(() => 1) } catch (e) { return e.name }", "DataCloneError"),
    ("class A { #x = 1; get x() { return this.#x } static s = 2 } return [new A().x, A.s]", [1, 2]),
    ("class A { static { this.y = 3 } } return A.y", 3),
    ("class B extends Array { sum() { return this.reduce((a, b) => a + b, 0) } } return B.from([1, 2]).sum()", 3),
    ("function* g() { yield 1; yield* [2, 3] } return [...g()]", [1, 2, 3]),
    ("async function* g() { yield 1; yield 2 } const o = []; for await (const x of g()) o.push(x); return o", [1, 2]),
    ("return await Promise.all([1, Promise.resolve(2)])", [1, 2]),
    ("return (await Promise.allSettled([Promise.reject(new Error('x')), 1])).map((r) => r.status)", ["rejected", "fulfilled"]),
    ("return await Promise.any([Promise.reject(1), Promise.resolve(2)])", 2),
    ("return await Promise.race([new Promise((r) => setTimeout(r, 50, 'slow')), 'fast'])", "fast"),
    ("const { promise, resolve: r } = Promise.withResolvers(); r(4); return await promise", 4),
    ("return 'a-b-c'.replaceAll('-', '+')", "a+b+c"),
    ("return 'x'.padStart(3, 'ab') + 'y'.padEnd(2, '.')", "abxy."),
    ("return [...'a1b22'.matchAll(/\\d+/g)].map((m) => m[0])", ["1", "22"]),
    ("return '2024-05-06'.match(/(?<y>\\d+)-(?<m>\\d+)/).groups.m", "05"),
    ("return /(?<=\\$)\\d+/.exec('cost $42')[0]", "42"),
    ("return /\\p{Lu}/u.test('Ä')", True),
    ("return 'ｅ\\u0301'.normalize('NFKC')", "é"),
    ("return [...'👩‍🚀é'].length", 4),
    ("return 'ab\\ud800'.isWellFormed()", False),
    ("return (2n ** 64n).toString()", "18446744073709551616"),
    ("return 1_000_000 ** 0.5", 1000),
    ("return [0.1 + 0.2, 1e21, -0, 5e-324]", [0.30000000000000004, 1e21, 0, 5e-324]),
    ("return (1234.5678).toFixed(2)", "1234.57"),
    ("return Number.parseFloat('3.14abc')", 3.14),
    ("return Math.hypot(3, 4) + Math.trunc(-1.5) + Math.clz32(1)", 35),
    ("let o = null; return o?.a?.b ?? 'none'", "none"),
    ("let a = null; a ??= 5; a ||= 6; a &&= 7; return a", 7),
    ("return new Date(Date.UTC(2024, 1, 29)).toISOString()", "2024-02-29T00:00:00.000Z"),
    ("return new Date('2024-03-10T12:00:00+02:00').getTime()", 1710064800000),
    ("return new Date(0).getTimezoneOffset()", 0),
    ("const s = Symbol('k'); return { [s]: 1, k: Object(1) }", {"k": 1}),
    ("const p = new Proxy({}, { get: (_, k) => k + '!' }); return p.hey", "hey!"),
    ("return Reflect.ownKeys({ b: 1, a: 2, 1: 3 })", ["1", "b", "a"]),
    ("const w = new WeakMap(); const k = {}; w.set(k, 1); return w.get(k)", 1),
    ("return new Set([1, 2]).union(new Set([3])).size", 3),
    ("return [...new Set([3, 3, 1])].sort()", [1, 3]),
    ("return JSON.stringify({ b: 1, a: [undefined, () => 1] }, null, 1)", '{\n "b": 1,\n "a": [\n  null,\n  null\n ]\n}'),
    ("return JSON.parse('{\"a\":1}', (k, v) => (k === 'a' ? v + 1 : v))", {"a": 2}),
    ("return [...new Uint8Array([1, 2, 300])]", [1, 2, 44]),
    ("const b = new ArrayBuffer(4); new DataView(b).setInt32(0, -2); return [...new Uint8Array(b)]", [255, 255, 255, 254]),
    ("return encodeURIComponent('a b&ü') + decodeURIComponent('%C3%BC')", "a%20b%26%C3%BCü"),
    ("return btoa('hello') + atob('d29ybGQ=')", "aGVsbG8=world"),
    ("return [...new TextEncoder().encode('é€😀')]", [195, 169, 226, 130, 172, 240, 159, 152, 128]),
    ("return new TextDecoder().decode(new Uint8Array([239, 187, 191, 104, 105, 255]))", "hi\ufffd"),
    ("const d = new TextDecoder(); return d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }) + d.decode(new Uint8Array([0xac]))", "€"),
    ("return new TextDecoder('utf-16le').decode(new Uint8Array([104, 0, 105, 0]))", "hi"),
    ("const u = new URL('../b?q=1#h', 'https://user:pw@example.com:8443/x/a'); return [u.pathname, u.port, u.search, u.hash, u.username, u.origin]", ["/b", "8443", "?q=1", "#h", "user", "https://example.com:8443"]),
    ("return new URL('https://bücher.example/ä b').href", "https://xn--bcher-kva.example/%C3%A4%20b"),
    ("try { new URL('nope') } catch (e) { return e.name }", "TypeError"),
    ("const p = new URLSearchParams('a=1&a=2&b=x y'); p.append('c', 'ü'); return [p.getAll('a'), p.toString()]", [["1", "2"], "a=1&a=2&b=x+y&c=%C3%BC"]),
    ("return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())", True),
    ("return crypto.getRandomValues(new Uint16Array(3)).length", 3),
    ("return parseCSV('name,age\\n\"Lovelace, Ada\",36\\r\\nBob,\\n', { header: true })", [{"name": "Lovelace, Ada", "age": "36"}, {"name": "Bob", "age": ""}]),
    ("return parseCSV('a;b\\n\"x\"\"y\";\"line\\nbreak\"', { delimiter: ';' })", [["a", "b"], ['x"y', "line\nbreak"]]),
    ("return parseCSV('')", []),
    ("const o = []; queueMicrotask(() => o.push(2)); o.push(1); await null; return o", [1, 2]),
    ("const o = []; const t = setTimeout(() => o.push('no'), 1); clearTimeout(t); await new Promise((r) => setTimeout(r, 3)); return o", []),
    ("const o = []; await Promise.all([30, 10, 20].map((ms) => new Promise((r) => setTimeout(() => { o.push(ms); r() }, ms)))); return o", [10, 20, 30]),
    ("'use strict'; try { undefined_name = 1 } catch (e) { return e.name }", "ReferenceError"),
    ("label: for (const a of [1, 2]) for (const b of [1, 2]) { if (b === 2) continue label; if (a === 2) return [a, b] }", [2, 1]),
    ("switch (args.n) { case 7: { let x = 'seven'; return x } default: return 'other' }", "seven"),
    ("try { throw new Error('a', { cause: 'b' }) } catch ({ message, cause }) { return [message, cause] }", ["a", "b"]),
    ("try { return 1 } finally { globalThis.done = true }", 1),
    ("return typeof Function + typeof eval + typeof process + typeof globalThis", "functionundefinedundefinedobject"),
    ("const f = (a, b = a + 1, ...c) => [a, b, c]; return f(1, undefined, 3, 4)", [1, 2, [3, 4]]),
    ("const tag = (s, ...v) => s.raw.join('|') + v.join(','); return tag`a${1}\\n${2}c`", "a|\\n|c1,2"),
    ("return Array.from({ length: 3 }, (_, i) => i ** 2)", [0, 1, 4]),
    ("return [10, 9, 1].sort((a, b) => a - b)", [1, 9, 10]),
    ("let n = 0; for (let i = 0; i < 1e5; i++) n += i; return n", 4999950000),
    ("return Iterator.from([1, 2, 3]).map((x) => x * 2).filter((x) => x > 2).toArray()", [4, 6]),
    ("console.log('hi', { a: 1 }, [1], null, undefined); return 0", 0),
]  # fmt: skip


@pytest.mark.parametrize(("code", "value"), PROGRAMS)
async def test_ordinary_programs_give_exact_results(sandbox: Sandbox, code: str, value: object) -> None:
    outcome = await sandbox.run(SandboxProgram(code, {"name": "Ada", "n": 7}, limits=RunLimits(cpu_s=10)))
    assert outcome.error is None, outcome.error
    assert outcome.value == value


async def test_there_are_at_least_60_programs() -> None:
    assert len(PROGRAMS) >= 60


async def test_what_code_logs_comes_back_in_order(sandbox: Sandbox) -> None:
    code = """
    console.log('plain', 1, { a: [1] }, undefined, null)
    console.warn('%s is %d%% of %j', 'it', 50, { b: 1 })
    console.error(new TypeError('bad'))
    console.info(new Map([[1, 2]]), new Set(['x']), () => 1, Symbol('s'), 10n)
    const loop = {}; loop.loop = loop; console.log(loop)
    """
    logs = (await sandbox.run(SandboxProgram(code))).logs
    assert [line.level for line in logs] == ["log", "warn", "error", "log", "log"]
    assert logs[0].text == 'plain 1 {"a":[1]} undefined null'
    assert logs[1].text == 'it is 50% of {"b":1}'
    assert logs[2].text.startswith("TypeError: bad\n    at main (code.js:4:")
    assert logs[3].text == 'Map [[1,2]] Set ["x"] [function ] Symbol(s) 10'
    assert logs[4].text == '{"loop":"[circular]"}'


async def test_a_rejection_that_nobody_looks_at_is_logged(sandbox: Sandbox) -> None:
    outcome = await sandbox.run(SandboxProgram("Promise.reject(new Error('unseen')); return 1"))
    assert outcome.value == 1
    assert [line.text for line in outcome.logs] == ["a promise was rejected and nobody looked: Error: unseen"]


@pytest.mark.parametrize(
    ("code", "line", "column"),
    [
        ("throw new Error('x')", 1, 11),
        ("\n\n  null.foo()", 3, 3),
        ("function f() {\n  throw new Error('x')\n}\n\nf()", 2, 13),
        ("await null\nconst g = async () => {\n  await null\n  undefinedName\n}\nawait g()", 4, 3),
        ("let a = ;", 1, 9),
        ("const x = 1\nconst x = 2", 2, 9),
        ("return {\n  a: 1\n  b: 2\n}", 3, 3),
    ],
)
async def test_errors_name_the_line_of_the_authors_source(
    sandbox: Sandbox, code: str, line: int, column: int
) -> None:
    error = (await sandbox.run(SandboxProgram(code))).error
    assert error is not None
    assert (error.file, error.line, error.column) == ("code.js", line, column)
    assert "<prelude>" not in error.stack


async def test_code_is_checked_without_being_run(sandbox: Sandbox) -> None:
    assert await sandbox.problem_with("for (;;); await fetch('x'); return 1") is None
    problem = await sandbox.problem_with("const a = 1\nreturn a +")
    assert problem is not None
    assert (problem.name, problem.line) == ("SyntaxError", 2)


async def test_secrets_are_what_the_runner_gave(sandbox: Sandbox) -> None:
    program = SandboxProgram(
        "try { secrets.K = 'z' } catch {} return [secrets.K, typeof secrets.NONE]", secrets={"K": "{{K}}"}
    )
    assert (await sandbox.run(program)).value == ["{{K}}", "undefined"]
