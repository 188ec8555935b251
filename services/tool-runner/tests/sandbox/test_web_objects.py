"""What code knows from the web: Headers, AbortController, Blob, FormData, intervals, crypto.subtle."""

import asyncio
import base64
import hashlib
import hmac
from email import message_from_bytes, policy
from email.message import EmailMessage

import msgspec
import pytest

from agent_contracts.json_value import Json
from tool_runner.sandbox.host import HostTable
from tool_runner.sandbox.limits import MIB, RunLimits
from tool_runner.sandbox.outcome import FailureKind
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

BYTES = "const hex = (b) => new Uint8Array(b).toHex(), enc = (s) => new TextEncoder().encode(s);"
HEADERS = [
    ("return [...new Headers([['a', undefined], ['b', null]])]", [["a", "undefined"], ["b", "null"]]),
    ("const h = new Headers({ 'X-B': ' 2 ', a: 1 }); h.append('A', '3'); return [...h]", [["a", "1, 3"], ["x-b", "2"]]),
    ("const h = new Headers([['a', 'b']]); return [h.get('A'), h.has('a'), h.get('none'), new Headers(h).get('a')]", ["b", True, None, "b"]),
    ("const h = new Headers({ a: 1 }); h.set('A', 2); h.delete('none'); const o = []; h.forEach((v, k) => o.push(k + v)); return o", ["a2"]),
    ("const h = new Headers(); h.append('Set-Cookie', 'a=1'); h.append('set-cookie', 'b=2'); return [h.getSetCookie(), [...h].length]", [["a=1", "b=2"], 2]),
    ("return Object.fromEntries(new Headers({ b: 1, A: 2 }))", {"a": "2", "b": "1"}),
    ("return [...new Headers({ b: 1, a: 2 }).keys(), ...new Headers({ b: 1 }).values()]", ["a", "b", "1"]),
    ("const o = []; for (const f of [() => new Headers({ 'a b': 1 }), () => new Headers({ a: 'x\\ny' }), () => new Headers({ a: '€' }), () => new Headers([['a']]), () => new Headers(null), () => new Headers().get('')]) try { f(); o.push('none') } catch (e) { o.push(e.name) } return o", ["TypeError"] * 6),
]  # fmt: skip
ABORTING = [
    ("const c = new AbortController(); const o = []; c.signal.addEventListener('abort', (e) => o.push(e.type, e.target === c.signal), { once: true }); c.signal.onabort = () => o.push('on'); c.abort(); c.abort(); return [...o, c.signal.aborted, c.signal.reason.name]", ["on", "abort", True, True, "AbortError"]),
    ("try { AbortSignal.abort('why').throwIfAborted() } catch (e) { return e }", "why"),
    ("const s = AbortSignal.timeout(5); await new Promise((r) => s.addEventListener('abort', r)); return s.reason.name", "TimeoutError"),
    ("const c = new AbortController(); const s = AbortSignal.any([c.signal, AbortSignal.timeout(20000)]); c.abort(1); return s.reason", 1),
    ("AbortSignal.timeout(25000); AbortSignal.timeout(1e9)", None),
    ("try { await fetch('https://a.example', { signal: AbortSignal.abort() }) } catch (e) { return [e.name, e instanceof DOMException] }", ["AbortError", True]),
    ("try { new AbortSignal() } catch (e) { return e.name }", "TypeError"),
    ("const t = new EventTarget(); const o = []; const f = () => o.push(1); t.addEventListener('x', f); t.addEventListener('x', f); t.dispatchEvent(new Event('x')); t.removeEventListener('x', f); t.dispatchEvent(new Event('x')); return o", [1]),
]  # fmt: skip
BLOBS = [
    ("const b = new Blob(['é', new Uint8Array([65]), new Blob(['!'])], { type: 'Text/Plain' }); return [b.size, b.type, await b.text(), await b.slice(2, -1).text()]", [4, "text/plain", "éA!", "A"]),
    ("const f = new File(['x'], 'a.txt', { lastModified: 5 }); return [f.name, f.lastModified, f instanceof Blob, (await f.arrayBuffer()).byteLength]", ["a.txt", 5, True, 1]),
    ("const f = new FormData(); f.append('a', 1); f.append('a', 'b'); f.set('c', new Blob(['x']), 'n'); f.append('d', ''); f.delete('d'); return [f.getAll('a'), f.get('c').name, f.get('none'), f.has('a'), [...f.keys()]]", [["1", "b"], "n", None, True, ["a", "a", "c"]]),
    ("const f = new FormData(); f.append('a', 1); f.append('b', 2); f.append('a', 3); f.set('a', 4); return [...f]", [["a", "4"], ["b", "2"]]),
    ("try { new FormData().append('a', 'text', 'name') } catch (e) { return e.name }", "TypeError"),
]  # fmt: skip
TIMERS = [
    ("let n = 0; await new Promise((r) => { const i = setInterval((by) => { n += by; if (n === 6) { clearInterval(i); r() } }, 1, 2) }); return n", 6),
    ("const o = []; const i = setInterval(() => o.push('no'), 1); clearTimeout(i); await new Promise((r) => setTimeout(r, 5)); return o", []),
    ("let n = 0; setInterval(() => { if (++n === 3) resolve('enough') }, 1)", "enough"),
    ("try { for (let i = 0; ; i++) setInterval(() => {}, 1) } catch (e) { return e.name }", "TimerError"),
]  # fmt: skip
SUBTLE = [
    (f"{BYTES} return await Promise.all(['SHA-1', 'sha-256', {{ name: 'SHA-384' }}, 'SHA-512'].map(async (a) => hex(await crypto.subtle.digest(a, enc('abc')))))", [hashlib.new(name, b"abc").hexdigest() for name in ("sha1", "sha256", "sha384", "sha512")]),
    (f"{BYTES} return hex(await crypto.subtle.digest('SHA-256', new Uint8Array([9, 97, 98, 9]).subarray(1, 3).buffer))", hashlib.sha256(b"\x09ab\x09").hexdigest()),
    (f"{BYTES} return hex(await crypto.subtle.digest('SHA-256', new Uint8Array([9, 97, 98, 9]).subarray(1, 3)))", hashlib.sha256(b"ab").hexdigest()),
    (f"{BYTES} const o = []; for (const hash of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) o.push(hex(await crypto.subtle.sign('HMAC', await crypto.subtle.importKey('raw', enc('key'), {{ name: 'HMAC', hash }}, false, ['sign']), enc('data')))); return o", [hmac.new(b"key", b"data", name).hexdigest() for name in ("sha1", "sha256", "sha384", "sha512")]),
    (f"{BYTES} const k = await crypto.subtle.importKey('raw', new Uint8Array(200).fill(7), {{ name: 'HMAC', hash: 'SHA-256' }}, true, ['verify', 'sign']); const s = await crypto.subtle.sign('HMAC', k, enc('x')); const ok = await crypto.subtle.verify('HMAC', k, s, enc('x')); new Uint8Array(s)[0] ^= 1; return [ok, await crypto.subtle.verify('HMAC', k, s, enc('x')), await crypto.subtle.verify('HMAC', k, new Uint8Array(3), enc('x')), k.usages, (await crypto.subtle.exportKey('raw', k)).byteLength]", [True, False, False, ["sign", "verify"], 200]),
    (f"{BYTES} const k = await crypto.subtle.importKey('jwk', {{ kty: 'oct', k: 'a2V5' }}, {{ name: 'HMAC', hash: 'SHA-256' }}, true, ['sign']); return [hex(await crypto.subtle.exportKey('raw', k)), (await crypto.subtle.exportKey('jwk', k)).alg]", [b"key".hex(), "HS256"]),
    (f"{BYTES} const k = await crypto.subtle.generateKey({{ name: 'HMAC', hash: 'SHA-512' }}, true, ['sign']); return (await crypto.subtle.exportKey('raw', k)).byteLength", 128),
    (f"{BYTES} const o = [], s = crypto.subtle, h = {{ name: 'HMAC', hash: 'SHA-256' }}; const k = await s.importKey('raw', enc('k'), h, false, ['sign']); for (const f of [() => s.digest('MD5', enc('a')), () => s.digest('SHA-256', 'text'), () => s.importKey('raw', enc('a'), {{ name: 'AES-GCM', hash: 'SHA-1' }}, false, ['sign']), () => s.importKey('raw', enc('a'), h, false, ['encrypt']), () => s.importKey('raw', enc(''), h, false, ['sign']), () => s.verify('HMAC', k, enc('a'), enc('a')), () => s.exportKey('raw', k)]) try {{ await f(); o.push('none') }} catch (e) {{ o.push(e.name) }} return o", ["NotSupportedError", "TypeError", "NotSupportedError", "SyntaxError", "DataError", "InvalidAccessError", "InvalidAccessError"]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "value"), [*HEADERS, *ABORTING, *BLOBS, *TIMERS, *SUBTLE])
async def test_the_webs_objects_do_as_on_the_web(sandbox: Sandbox, code: str, value: object) -> None:
    outcome = await sandbox.run(SandboxProgram(code, limits=RunLimits(cpu_s=10)))
    assert outcome.error is None, outcome.error
    assert outcome.value == value


async def test_randomness_is_the_runs_own_and_comes_again_with_its_seed(sandbox: Sandbox) -> None:
    code = """
    const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-1' }, true, ['sign'])
    return [crypto.randomUUID(), (await crypto.subtle.exportKey('jwk', key)).k, [...crypto.getRandomValues(new Uint8Array(4))]]
    """
    first, again, other = [(await sandbox.run(SandboxProgram(code, seed=seed))).value for seed in (5, 5, 6)]
    assert first == again != other


async def _sent(sandbox: Sandbox, init: str) -> dict[str, Json]:
    """What the host is asked for `fetch(url, init)`."""
    asked: list[Json] = []

    async def fetch(arguments: list[Json]) -> Json:
        asked.extend(arguments)
        return {
            "status": 200,
            "url": "",
            "headers": [["A", "1"], ["Content-Type", "image/png"]],
            "body": "AAE=",
            "base64": True,
        }

    code = f"""
    const r = await fetch('https://a.example', {init})
    const b = await r.blob()
    return [r.headers instanceof Headers, r.headers.get('a'), [...await r.bytes()], b.size, b.type]
    """
    outcome = await sandbox.run(SandboxProgram(code), HostTable({"fetch": fetch}))
    assert outcome.error is None, outcome.error
    assert outcome.value == [True, "1", [0, 1], 2, "image/png"]
    (one,) = asked
    assert isinstance(one, dict)
    return one


async def test_a_form_is_sent_as_multipart_that_others_read(sandbox: Sandbox) -> None:
    form = """((f) => (f.append('na"me', 'line\\none é'), f.append('file', new Blob([new Uint8Array([0, 255, 13, 10])],
        { type: 'image/png' }), 'a "b".png'), f))(new FormData())"""
    sent = await _sent(sandbox, f"{{ method: 'POST', headers: new Headers({{ 'x-a': 1 }}), body: {form} }}")
    headers = dict(msgspec.convert(sent["headers"], list[tuple[str, str]]))
    assert headers["x-a"] == "1"
    raw = base64.b64decode(str(sent["body"]))
    head = b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n"
    parsed = message_from_bytes(head + raw, policy=policy.HTTP)
    assert isinstance(parsed, EmailMessage)
    text, file = parsed.iter_parts()
    assert text["content-disposition"] == 'form-data; name="na%22me"'
    assert text.get_payload(decode=True) == "line\r\none é".encode()
    assert file["content-disposition"] == 'form-data; name="file"; filename="a %22b%22.png"'
    assert (file.get_content_type(), file.get_payload(decode=True)) == ("image/png", b"\x00\xff\r\n")


@pytest.mark.parametrize(
    ("body", "content_type", "data"),
    [
        ("new Blob(['hi'], { type: 'text/x' })", "text/x", b"hi"),
        ("new Uint8Array([1, 2, 3]).subarray(1)", None, b"\x02\x03"),
        ("new Uint8Array([1]).buffer", None, b"\x01"),
    ],
)
async def test_bytes_are_sent_as_they_are(
    sandbox: Sandbox, body: str, content_type: str | None, data: bytes
) -> None:
    sent = await _sent(sandbox, f"{{ method: 'PUT', body: {body} }}")
    assert sent["headers"] == ([["content-type", content_type]] if content_type else [])
    assert (sent["base64"], base64.b64decode(str(sent["body"]))) == (True, data)


class _Hanging:
    """A host whose `fetch` never answers; it counts those that began and those that were cancelled."""

    def __init__(self) -> None:
        self.began = 0
        self.cancelled = 0

    def waits(self, name: str) -> bool:
        return name == "fetch"

    async def call(self, name: str, arguments: list[Json]) -> Json:
        if name != "fetch":
            return [self.began, self.cancelled]
        self.began += 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return None


@pytest.mark.parametrize(
    ("signal", "error"),
    [
        ("AbortSignal.timeout(20)", "TimeoutError"),
        ("((c) => (setTimeout(() => c.abort(), 20), c.signal))(new AbortController())", "AbortError"),
    ],
)
async def test_an_aborted_fetch_is_cancelled_at_the_host(sandbox: Sandbox, signal: str, error: str) -> None:
    code = f"""
    let name
    try {{ await fetch('https://a.example', {{ signal: {signal} }}) }} catch (e) {{ name = e.name }}
    for (;;) {{
      const [began, cancelled] = await state.get('counts')
      if (cancelled) return [name, began, cancelled]
    }}
    """
    assert (await sandbox.run(SandboxProgram(code), _Hanging())).value == [error, 1, 1]


async def test_ten_thousand_aborted_fetches_leave_nothing_behind(sandbox: Sandbox) -> None:
    host = _Hanging()
    code = """
    const names = {}
    for (let round = 0; round < 20; round++) {
      const c = new AbortController(), all = []
      for (let i = 0; i < 500; i++) all.push(fetch('https://a.example', { signal: c.signal }).catch((e) => names[e.name] = (names[e.name] ?? 0) + 1))
      if (round % 2) await null
      else await new Promise((r) => setTimeout(r, 1))
      c.abort()
      await Promise.all(all)
    }
    return [names, await state.get('x').then(() => 'still answers')]
    """
    outcome = await sandbox.run(SandboxProgram(code), host)
    assert outcome.error is None, outcome.error
    assert outcome.value == [{"AbortError": 10_000}, "still answers"]
    assert host.began == host.cancelled


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("const f = new FormData(); f.append('a', new Blob([new Uint8Array(1e7)])); await fetch('https://a.example', { method: 'POST', body: f })", FailureKind.ARGUMENT_SIZE),
        ("await fetch('https://a.example', { method: 'POST', body: new Uint8Array(1e7) })", FailureKind.ARGUMENT_SIZE),
        ("const b = [new Uint8Array(1e6)]; for (;;) b.push(new Blob(b))", FailureKind.MEMORY),
        ("const f = new FormData(); for (let i = 0; ; i++) f.append('k' + i, 'v'.repeat(1000))", FailureKind.MEMORY),
        ("for (;;) await crypto.subtle.digest('SHA-1', new Uint8Array(1e6))", FailureKind.CPU_TIME),
        ("setInterval(() => { for (;;); }, 1)", FailureKind.CPU_TIME),
        ("const t = new EventTarget(); t.addEventListener('x', () => { for (;;); }); t.dispatchEvent(new Event('x'))", FailureKind.CPU_TIME),
        ("AbortSignal.any({ *[Symbol.iterator]() { for (;;) yield AbortSignal.timeout(1e9) } })", FailureKind.MEMORY),
        ("setInterval(() => {}, 1)", FailureKind.WALL_TIME),
    ],
)  # fmt: skip
async def test_what_is_too_much_ends_by_its_own_limit(sandbox: Sandbox, code: str, kind: FailureKind) -> None:
    cpu_s, wall_s = {FailureKind.CPU_TIME: (0.2, 30.0), FailureKind.WALL_TIME: (30.0, 0.3)}.get(
        kind, (30.0, 30.0)
    )
    outcome = await sandbox.run(
        SandboxProgram(code, limits=RunLimits(cpu_s=cpu_s, wall_s=wall_s, memory=48 * MIB))
    )
    assert outcome.error is not None
    # On a busy machine what didn't stop at once is ended from outside, for the same limit.
    killed = outcome.error.kind is FailureKind.KILLED and f"({kind.value})" in outcome.error.message
    assert outcome.error.kind is kind or killed, outcome.error


async def test_a_hundred_thousand_headers_stay_within_the_memory(sandbox: Sandbox) -> None:
    code = (
        "const h = new Headers(); for (let i = 0; i < 1e5; i++) h.append('x-' + i, 'v'); return [...h].length"
    )
    outcome = await sandbox.run(SandboxProgram(code))
    assert outcome.value == 100_000
