"""What hostile code tries, and how it ends: always in an outcome, after which the next call is answered."""

import asyncio
from collections.abc import Sized

import pytest

from tool_runner.sandbox.host import HostTable
from tool_runner.sandbox.limits import MIB, RunLimits
from tool_runner.sandbox.outcome import FailureKind as Kind
from tool_runner.sandbox.outcome import ProgramOutcome
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [
    pytest.mark.faults,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("sandbox"),
]

TIME = {Kind.CPU_TIME, Kind.KILLED}
MEMORY = {Kind.MEMORY}
STACK = {Kind.STACK}
SHORT = RunLimits(cpu_s=0.05, memory=64 * MIB)
LONGER = RunLimits(cpu_s=8.0, memory=24 * MIB)

TAKES_TIME = [
    "for(;;);",
    "while(true){}",
    "do{}while(1)",
    "let i=0; for(;;) i++",
    "for(;;) { try { throw 1 } catch {} }",
    "for(;;) { try { for(;;); } finally { continue } }",
    "try { for(;;); } catch { return 'caught' }",
    "try { for(;;); } finally { return 'escaped' }",
    "for(;;) await null",
    "for(;;) await Promise.resolve()",
    "const f=()=>Promise.resolve().then(f); f(); await new Promise(()=>{})",
    "const f=()=>queueMicrotask(f); f(); await new Promise(()=>{})",
    "function* g(){for(;;) yield 1} for (const x of g());",
    "async function* g(){for(;;) yield 1} for await (const x of g());",
    "for(;;) Array.from({length:1e5},(_,i)=>(i*7919)%100003).sort()",
    "function f(){try{f()}finally{f()}} f()",
    "for(;;) Array.from({length:1e5},(_,i)=>-i).sort()",
    "for(;;) [3,2,1].sort((a,b)=>a-b)",
    "for(;;) 'ab'.repeat(1e6).indexOf('ba'.repeat(5e5))",
    "for(;;) 'x'.repeat(1e6)",
    "for(;;) 'x'.repeat(1e4).split('')",
    "for(;;) 'a,b'.repeat(1e5).replaceAll('a', 'bb')",
    "for(;;) JSON.parse('['+'1,'.repeat(1e5)+'1]')",
    "const o={a:'x'.repeat(1e5)}; for(;;) JSON.stringify([o,o,o])",
    "/^(a+)+$/.test('a'.repeat(40)+'b')",
    "/(a*)*b/.test('a'.repeat(40))",
    "/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60))",
    "/(x+x+)+y/.exec('x'.repeat(50))",
    "'a'.repeat(40).match(/(a|aa)+$/g); /(?:a|a)+b/.test('a'.repeat(45))",
    "'x'.repeat(5e4).replace(/(x*)*y/g, '')",
    "/(?=(a+))*b/.test('a'.repeat(1e6)); /^(a|a?)+$/.test('a'.repeat(40)+'!')",
    "let n=3n; for(;;) n=n*n%(2n**20000n)+1n",
    "let n=2n**60000n; for(;;) n*n/3n",
    "for(;;) (2n**50000n).toString()",
    "const p=new Proxy({},{get(){for(;;);}}); p.x",
    "const p=new Proxy({},{ownKeys(){for(;;);}}); Object.keys(p)",
    "({get x(){for(;;);}}).x",
    "({toString(){for(;;);}})+''",
    "({valueOf(){for(;;);}})*1",
    "({[Symbol.toPrimitive](){for(;;);}})+1",
    "[...{[Symbol.iterator](){return {next(){return {done:false}}}}}].length; for(;;);",
    "for(const x of {[Symbol.iterator]:()=>({next:()=>({done:false})})});",
    "class A{static{for(;;);}}",
    "label: for(;;) { continue label }",
    "const s=new Set([1]); for (const x of s) { s.delete(x); s.add(x) }",
    "const m=new Map([[1,1]]); m.forEach(function f(v,k){m.delete(k);m.set(k,v)}); for(;;);",
    "new Promise(()=>{for(;;);})",
    "let a=[]; for(let i=0;i<1e5;i++) a=[a]; JSON.stringify(a)",
    "resolve({toJSON(){for(;;);}})",
    "throw {get message(){for(;;);}}",
    "throw {get name(){for(;;);}}",
    "console.log({toJSON(){for(;;);}})",
    "return {then(f){for(;;);}}",
    "state.get({toJSON(){for(;;);}})",
    "setTimeout(()=>{for(;;);},0)",
    "const f=()=>setTimeout(f,0); f(); for(;;) await null",
    "new Uint8Array(1e7).fill(1).sort(); for(;;) new Uint8Array(1e6).map(x=>x+1).reverse()",
    "for(;;) Math.max(...new Array(1e4).fill(1))",
    "for(;;) structuredClone({a:[1,2,{b:3}]})",
    "for(;;) new URL('http://a/'+'b/'.repeat(1000))",
    "for(;;) parseCSV('a,b\\n'.repeat(1e4))",
    "for(;;) new TextEncoder().encode('é'.repeat(1e5))",
    "for(;;) btoa('x'.repeat(1e6))",
    "for(;;) crypto.getRandomValues(new Uint8Array(65536))",
    "Date.now=()=>0; performance.now=()=>0; for(;;);",
    "const t=Date.now(); while(Date.now()-t<1e9);",
]

TAKES_MEMORY = [
    "const a=[]; for(;;) a.push(new Array(1000).fill(1))",
    "const a=[]; for(;;) a.push('x'.repeat(1e5)+a.length)",
    "let s='x'; for(;;) s=`${s}${s}`.split('').join('')",
    "let o={}; for(let i=0;;i++) o['k'+i]={i}",
    "const m=new Map(); for(let i=0;;i++) m.set(i,[i])",
    "const s=new Set(); for(let i=0;;i++) s.add('v'+i)",
    "const a=[]; for(;;) a.push(new ArrayBuffer(1e6))",
    "const a=[]; for(;;) a.push(new Float64Array(1e5))",
    "new Uint8Array(2e9)",
    "new ArrayBuffer(1e9)",
    "const a=[]; for(;;) a.push(2n**BigInt(50000+a.length))",
    "let p=null; for(;;) p={p, q:[1,2,3]}",
    "const a=[]; for(;;) a.push(()=>a)",
    "const a=[]; for(;;) a.push(Symbol('s'+a.length))",
    "const a=[]; for(;;) a.push(/x/g)",
    "const a=[]; for(;;) a.push(new Date())",
    "const a=[]; for(;;) a.push(new Promise(()=>{}))",
    "const a=[]; for(;;) a.push(a.concat([1]))",
    "let a=[1]; for(;;) a=[...a,...a]",
    "new Array(5e6).fill().map(()=>({}))",
    "JSON.parse('['+'[],'.repeat(4e6)+'1]')",
    "'x'.repeat(2e7).split('')",
    "const a=[]; for(;;) a.push(Promise.resolve().then(()=>a))",
    "for(;;) globalThis['g'+Math.random()]=new Array(100).fill({})",
]

TAKES_STACK = [
    "function f(){return f()+1} f()",
    "const f=()=>1+f(); f()",
    "const a={get x(){return this.x}}; a.x",
    "const o={toString(){return ''+this}}; ''+o",
    "const p=new Proxy({},{get(t,k,r){return r[k]}}); p.x",
    "function f(){[1].map(f)} f()",
    "function f(){'a'.replace(/a/, f)} f()",
    "function f(){JSON.stringify({toJSON:f})} f()",
    "function f(){Reflect.apply(f,null,[])} f()",
    "class A{constructor(){new A()}} new A()",
    "const f=async()=>{await f()}; await f()",
    "JSON.parse('['.repeat(1e5)+']'.repeat(1e5))",
    "let a=[]; for(let i=0;i<1e5;i++) a=[a]; a.flat(Infinity)",
    "let p={}; for(let i=0;i<1e5;i++) p=new Proxy(p,{}); p.x",
]

TRIES_TO_ESCAPE = [
    ("return eval('1')", "ReferenceError"),
    ("return (0,globalThis.eval)('1')", "TypeError"),
    ("return new Function('return 1')()", "TypeError"),
    ("return Function('return this')()", "TypeError"),
    ("return (()=>{}).constructor('return 1')()", "TypeError"),
    ("return (async()=>{}).constructor('return 1')()", "TypeError"),
    ("return (function*(){}).constructor('yield 1')().next()", "TypeError"),
    ("return Object.getPrototypeOf(async function*(){}).constructor('')", "TypeError"),
    ("return setTimeout('1', 0)", "TypeError"),
    ("return await import('fs')", None),
    ("return process.exit(1)", "ReferenceError"),
    ("return require('fs')", "ModuleNotFoundError"),
    ("return require('child_process').execSync('id')", "ModuleNotFoundError"),
    ("return require('../../etc/passwd')", "ModuleNotFoundError"),
    ("return require('__proto__')", "ModuleNotFoundError"),
    ("return require('constructor')", "ModuleNotFoundError"),
    ("return Buffer.from('x')", "ReferenceError"),
    ("return new WebAssembly.Module(new Uint8Array())", "ReferenceError"),
    ("return Deno.readTextFileSync('/etc/passwd')", "ReferenceError"),
    ("return std.open('/etc/passwd','r')", "ReferenceError"),
    ("return os.exec(['id'])", "ReferenceError"),
    ("return new Worker('x')", "ReferenceError"),
    ("return new SharedArrayBuffer(8)", "ReferenceError"),
    ("return Atomics.wait(new Int32Array(8),0,0)", "ReferenceError"),
    ("return new XMLHttpRequest()", "ReferenceError"),
    ("return new WebSocket('ws://x')", "ReferenceError"),
    ("}); globalThis.x = 1; (async function(){", "SyntaxError"),
    ("}})(); ({ a() {", "SyntaxError"),
    ("*/ return 1 /*", "SyntaxError"),
    ("import fs from 'fs'; return 1", "SyntaxError"),
    ("export default 1", "SyntaxError"),
    ("return arguments.callee.caller.caller", None),
    ("return new Error().stack.includes('<prelude>')", None),
    ("Error.prepareStackTrace=(e,s)=>s; return new Error().stack.map(c=>typeof c.getFunction)", None),
]

POLLUTES = [
    ("Object.prototype.x=1; return 2", 2),
    ("Object.prototype.toJSON=()=>'owned'; return {a:1}", "owned"),
    ("Array.prototype.toJSON=()=>'owned'; return [1]", "owned"),
    ("JSON.stringify=()=>'owned'; return {a:1}", {"a": 1}),
    ("JSON.parse=()=>'owned'; return {a:1}", {"a": 1}),
    ("Promise.prototype.then=()=>{}; return 3", 3),
    ("Promise=null; return 4", 4),
    ("Map.prototype.get=()=>{throw 1}; Map.prototype.set=Map.prototype.get; return 5", 5),
    ("Array.prototype.push=null; Array.prototype[Symbol.iterator]=null; return [6]", [6]),
    ("Object.defineProperty=null; Object.keys=null; Reflect.apply=null; return {a:7}", {"a": 7}),
    ("Error=null; TypeError=null; String=null; return 8", 8),
    ("console=null; resolve=null; return 9", 9),
    ("Object.defineProperty(Object.prototype,'0',{set(){throw 1},get(){return 1}}); return 'z'", "z"),
    ("Object.prototype.__proto__=null; return 10", None),
    ("globalThis.__proto__=null; return 11", None),
    ("for (const k of Reflect.ownKeys(globalThis)) try { delete globalThis[k] } catch {} return 12", 12),
    ("args.__proto__.polluted=1; return ({}).polluted", None),
    ('return JSON.parse(\'{"__proto__":{"x":1}}\')', {"__proto__": {"x": 1}}),
]

HOSTILE_RESULTS = [
    ("return {get x(){throw new Error('no')}}", None),
    ("return new Proxy({},{get(){throw 1},ownKeys(){throw 2}})", None),
    ("return new Proxy([1,2],{})", [1, 2]),
    ("return {toJSON(){throw new TypeError('no')}}", None),
    ("let n=0; return {get x(){return n++ ? 1 : () => 1}, y: {get z(){return n++}}}", None),
    ("Array.prototype[Symbol.toStringTag]='Map'; return {a:[1]}", None),
    ("return {get [Symbol.toStringTag](){throw 1}}", None),
    ("Object.defineProperty(Array.prototype,'0',{set(){throw 1}}); return {a:{b:1}}", None),
    ("return {toJSON(){return this}}", None),
    ("return '\\ud800'", "\ufffd"),
    ("return {'\\udc00':'a\\ud83d'}", {"\ufffd": "a\ufffd"}),
    ("return '\\\\ud800'", "\\ud800"),
    ("return 'a\\u0000b'", "a\x00b"),
    ("return {__proto__:null,a:1}", {"a": 1}),
    ("return Object.create({inherited:1})", {}),
    ("const a=[]; a[100]=1; return a.length", 101),
]

HOSTILE_ERRORS = [
    ("throw null", "null"),
    ("throw undefined", "undefined"),
    ("throw 1", "1"),
    ("throw 'text'", "text"),
    ("throw Symbol('s')", "Symbol(s)"),
    ("throw 10n", "10"),
    ("throw {}", "{}"),
    ("throw {message:{toString(){throw 1}}}", "[unprintable]"),
    ("throw {get message(){throw 1}}", "[unreadable error]"),
    ("throw new Proxy(new Error('x'),{get(){throw 1}})", "[unreadable error]"),
    ("const e=new Error('x'); e.cause=e; throw e", "x"),
    (
        "const e=new Error('x'); Object.defineProperty(e,'stack',{get(){throw 1}}); throw e",
        "[unreadable error]",
    ),
    ("const e=new Error('x'); e.name={}; throw e", "x"),
    ("throw new Error('a\\ud800')", "a\ufffd"),
    ("throw Object.create(null)", "{}"),
    ("return Promise.reject(new Error('later'))", "later"),
    ("Error.prepareStackTrace=()=>{throw 1}; throw new Error('y')", "y"),
    ("Error.stackTraceLimit=1e9; throw new Error('z')", "z"),
    ("throw new AggregateError([new Error('a')],'many')", "many"),
    ("await new Promise((_,no)=>no(new Error('async')))", "async"),
]

FLOODS = [
    ("for(;;) console.log('x'.repeat(1000))", Kind.LOGS),
    ("for(;;) console.error({a:1})", Kind.LOGS),
    ("return 'x'.repeat(5*1024*1024)", Kind.RESULT_SIZE),
    ("return 'é'.repeat(3*1024*1024)", Kind.RESULT_SIZE),
    ("return new Array(1e6).fill(123456)", Kind.RESULT_SIZE),
    ("await Promise.all(Array.from({length:1001},()=>host()))", Kind.PENDING_CALLS),
    ("for(;;) setTimeout(()=>{},30000)", Kind.TIMER),
    ("setTimeout(()=>{},30001)", Kind.TIMER),
    ("setTimeout(()=>{},Infinity)", Kind.TIMER),
    ("await state.set('k','x'.repeat(5*1024*1024))", Kind.ARGUMENT_SIZE),
    ("for(let i=0;i<60;i++) await llm.generate({prompt:'x'})", Kind.CALL_QUOTA),
    ("await new Promise(()=>{})", Kind.STUCK),
    ("let a=1; for(let i=0;i<150;i++) a=[a]; return a", Kind.STACK),
]

NAMES_OF_ERRORS = {Kind.STACK: {Kind.STACK, Kind.EXCEPTION, Kind.MEMORY}}


async def attacked(sandbox: Sandbox, code: str, limits: RunLimits) -> ProgramOutcome:
    """How an attack ends; and the next call, in the same worker, is answered."""

    async def answer(_: object) -> int:
        return 1

    host = HostTable({"state.get": answer, "state.set": answer, "llm.generate": answer})
    outcome = await sandbox.run(SandboxProgram(code, {}, limits=limits), host)
    async with asyncio.timeout(30):
        assert (await sandbox.run(SandboxProgram("return 1 + 1"))).value == 2
    return outcome


@pytest.mark.parametrize("code", TAKES_TIME)
async def test_code_that_does_not_end_is_ended(sandbox: Sandbox, code: str) -> None:
    outcome = await attacked(sandbox, code, SHORT)
    assert outcome.error is not None
    assert outcome.error.kind in TIME, outcome.error
    assert outcome.error.name == "TimeoutError"


@pytest.mark.parametrize("code", TAKES_MEMORY)
async def test_code_that_takes_all_memory_gets_an_error(sandbox: Sandbox, code: str) -> None:
    outcome = await attacked(sandbox, code, LONGER)
    assert outcome.error is not None
    assert outcome.error.kind in MEMORY, outcome.error
    assert outcome.usage.memory <= LONGER.memory


@pytest.mark.parametrize("code", TAKES_STACK)
async def test_code_that_recurses_for_ever_gets_an_error(sandbox: Sandbox, code: str) -> None:
    outcome = await attacked(sandbox, code, RunLimits(cpu_s=8.0, memory=64 * MIB))
    assert outcome.error is not None
    assert outcome.error.kind in STACK, outcome.error


@pytest.mark.parametrize(("code", "name"), TRIES_TO_ESCAPE)
async def test_there_is_no_way_out(sandbox: Sandbox, code: str, name: str | None) -> None:
    outcome = await attacked(sandbox, code, SHORT)
    if name is not None:
        assert outcome.error is not None, outcome.value
        assert outcome.error.name == name, outcome.error
    assert outcome.value in (None, False, ["undefined"]) or "function" not in str(outcome.value)


@pytest.mark.parametrize(("code", "value"), POLLUTES)
async def test_changed_intrinsics_harm_only_their_run(sandbox: Sandbox, code: str, value: object) -> None:
    outcome = await attacked(sandbox, code, SHORT)
    if value is not None:
        assert outcome.value == value, outcome.error
    clean = await sandbox.run(
        SandboxProgram(
            "return [typeof ({}).x, typeof ({}).polluted, typeof Map.prototype.get, [1].map(String)]"
        )
    )
    assert clean.value == ["undefined", "undefined", "function", ["1"]]


@pytest.mark.parametrize(("code", "value"), HOSTILE_RESULTS)
async def test_any_result_becomes_json_or_an_error(sandbox: Sandbox, code: str, value: object) -> None:
    outcome = await attacked(sandbox, code, SHORT)
    if value is not None:
        assert outcome.value == value, outcome.error
    assert outcome.error is None or outcome.error.kind is Kind.EXCEPTION


@pytest.mark.parametrize(("code", "message"), HOSTILE_ERRORS)
async def test_anything_thrown_becomes_an_error(sandbox: Sandbox, code: str, message: str) -> None:
    outcome = await attacked(sandbox, code, SHORT)
    assert outcome.error is not None
    assert outcome.error.kind is Kind.EXCEPTION
    assert outcome.error.message == message


@pytest.mark.parametrize(("code", "kind"), FLOODS)
async def test_every_limit_has_a_kind_of_its_own(sandbox: Sandbox, code: str, kind: Kind) -> None:
    code = code.replace("host()", "state.get('k')")
    outcome = await attacked(sandbox, code, RunLimits(cpu_s=8.0))
    assert outcome.error is not None, outcome.value
    assert outcome.error.kind in NAMES_OF_ERRORS.get(kind, {kind}), outcome.error


async def test_there_are_at_least_120_attacks() -> None:
    tables: tuple[Sized, ...] = (
        TAKES_TIME,
        TAKES_MEMORY,
        TAKES_STACK,
        TRIES_TO_ESCAPE,
        POLLUTES,
        HOSTILE_RESULTS,
    )
    assert sum(map(len, (*tables, HOSTILE_ERRORS, FLOODS))) >= 120
