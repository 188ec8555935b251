"""Values of secrets are looked for in everything that a running Foldline stores or sends.

Code, tools and functions do all they can with two secrets (`HIDDEN`, a placeholder to code, and `SHOWN`,
which it sees), and the very same with a witness, which is none. In each place the witness must be found and
the secrets must not: a place that isn't looked at fails, and so does one in which nothing is taken out.
"""

import base64
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote

import httpx
import pytest

from agent_contracts import service_names
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.stored_texts import around, dumped, files_of, spelled

pytestmark = pytest.mark.faults

HIDDEN = "canary-hidden/+é~7d0c1e5fb2"
SHOWN = "canary-shown/+é~93ab44e1c07"
WITNESS = "witness-word/+é~5f2e88d3a16"
MODEL_KEY = "canary-model-key-2c5d9f7a4e"
TOKEN = "canary-gateway-token-b81e44"
SAY = "do everything you can"


def echoed(value: str) -> Iterator[bytes]:
    """A value in the ways in which a server may give it back."""
    plain = value.encode()
    for before in (b"", b"u:", b"us:", b"key="):
        coded = base64.b64encode(before + plain)
        yield from (coded, coded.rstrip(b"="), coded.translate(bytes.maketrans(b"+/", b"-_")))
    yield from (plain.hex().encode(), plain.hex().upper().encode(), quote(value, safe="").encode())
    yield from (quote(value, safe="").lower().encode(), json.dumps(value).encode(), value.encode("utf-16-le"))


@dataclass
class Upstream:
    """Servers that keep what they were sent: one that may have the secrets and gives back all it got in every
    spelling, one that may not, and one that takes traces."""

    seen: dict[str, list[bytes]] = field(default_factory=lambda: {"friend": [], "other": [], "traces": []})
    ports: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Serves until the end of the block."""
        servers = []
        for name in self.seen:
            handler = type("Handler", (_Handler,), {"upstream": self, "name": name})
            servers.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
            self.ports[name] = servers[-1].server_port
            threading.Thread(target=servers[-1].serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield self
        finally:
            for server in servers:
                server.shutdown()
                server.server_close()


class _Handler(BaseHTTPRequestHandler):
    upstream: ClassVar[Upstream]
    name: ClassVar[str]

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        head = f"{self.requestline}\n{self.headers}".encode("latin-1", "replace")
        self.upstream.seen[self.name].append(head + body)
        keys = [self.headers.get(name, "").encode("latin-1").decode() for name in ("x-key", "x-witness")]
        path = self.path.partition("?")[0]
        if path == "/hangup":
            self.close_connection = True
            return
        headers = {"x-echo": " ".join(map(quote, keys)), "content-type": "text/plain"}
        if path == "/away":
            headers["location"] = f"http://127.0.0.1:{self.upstream.ports['other']}/end"
        if path == "/take":
            headers["location"] = f"http://127.0.0.1:{self.upstream.ports['other']}/end?k={quote(keys[0])}"
        if path == "/odd":
            headers["content-encoding"] = quote(keys[0])
        told = head + body + "".join(f"\n{unquote(self.path)} {key}" for key in keys).encode()
        told += b"".join(b"\n" + one for key in keys for one in echoed(key))
        if path == "/picture":
            headers["content-type"], told = "image/x-raw", b"\0\xff\xfe" + told
        self.send_response({"/away": 307, "/take": 302, "/fails": 500}.get(path, 200))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(told)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Quiet."""


CODE = """
const friend = 'http://localhost:FRIEND', other = 'http://127.0.0.1:OTHER'
const bytes = (v) => new TextEncoder().encode(v)
const spelled = (v) => {
  const b64 = btoa(String.fromCharCode(...bytes(v)))
  return [v, encodeURIComponent(v), b64, btoa('me:' + String.fromCharCode(...bytes(v))),
    JSON.stringify({ v }), b64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    [...bytes(v)].map((b) => b.toString(16).padStart(2, '0')).join('')]
}
const coded = [...spelled(secrets.SHOWN), ...spelled(args.witness)]
const said = []
for (const key of [secrets.HIDDEN, secrets.SHOWN])
  for (const url of [friend + '/echo', friend + '/fails', friend + '/away', friend + '/take', friend + '/odd',
    friend + '/hangup', friend + '/picture', other + '/direct', 'http://169.254.169.254/'])
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? JSON.stringify({ key, witness: args.witness }) : undefined
      const headers = { 'x-key': key, 'x-witness': args.witness, 'content-type': 'application/json' }
      try {
        const answer = await fetch(`${url}?k=${encodeURIComponent(key)}`, { method, headers, body })
        said.push([...answer.headers].join(), await answer.text())
      } catch (e) { said.push(`${e.name} ${e.code} ${e.message}`) }
    }
const all = [...coded, ...said]
await state.set('all', all)
await state.set(secrets.SHOWN, args.witness)
await db.sql('create table if not exists heard (text)')
await db.sql('insert into heard values (?)', [all.join()])
await db.sql(`insert into heard values ('${secrets.SHOWN} ${args.witness}')`)
try { await session.notepad.write(all.join()) } catch (e) { console.log(e.code) }
const { text } = await llm.generate({ prompt: 'repeat: ' + all.join(), system: coded.join() })
console.log(...coded)
console.error(new Error(all.join()))
if (args.how === 'throw') { const e = new Error(all.join()); e.code = coded.join(); throw e }
const { rows } = await db.sql('select * from heard')
return { all, text, rows, more: args.how === 'big' ? 'x'.repeat(3e5) : '' }
"""
CALLED = "const got = await functions.call('inner', args); console.log(got); return [got, secrets.SHOWN]"
SCHEMA = {"type": "object", "properties": {"witness": {"type": "string"}, "how": {"type": "string"}}}


def script(ports: dict[str, int]) -> dict[str, Any]:
    """A model that makes a tool and functions, calls them, fetches too, and repeats all that it saw."""
    code = CODE.replace("FRIEND", str(ports["friend"])).replace("OTHER", str(ports["other"]))
    mention = "{{secret:HIDDEN}}"

    def call(name: str, /, **arguments: Any) -> dict[str, Any]:
        return {"tool_calls": [{"name": name, "raw_arguments": json.dumps(arguments)}]}

    def fetched(where: str, path: str, **more: Any) -> dict[str, Any]:
        headers = {"x-key": f"{mention}", "x-witness": WITNESS}
        host = "localhost" if where == "friend" else "127.0.0.1"
        return call(
            "fetch_url", url=f"http://{host}:{ports[where]}{path}?k={mention}", headers=headers, **more
        )

    made = {"description": "For a test.", "parameter_schema": SCHEMA, "code": code}
    turns = [
        call("create_tool", name="probe", **made),
        call("create_function", name="inner", **made),
        call("create_function", name="outer", **{**made, "code": CALLED}),
        *(call("probe", witness=WITNESS, how=how) for how in ("return", "throw", "big")),
        fetched("friend", "/echo", method="POST", body=f"{mention} {WITNESS}"),
        *(fetched("friend", path) for path in ("/picture", "/away", "/take", "/odd", "/hangup")),
        fetched("other", "/direct"),
        {"text": "I saw: {{ results | json }}"},
    ]
    return {
        "rules": [
            {"when": {"user_contains": SAY}, "turns": turns},
            {
                "when": {"user_contains": "say your key"},
                "reply": {"fault": {"kind": "bad_request", "status": 401, "message": f"bad {MODEL_KEY}"}},
            },
            {"reply": {"text": "You said: {{ last_user }} {{ system }}"}},
        ],
        "pace": {"size": 4000},
    }


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a Foldline stored and sent, by place, when it had done all of it."""
    data_dir = tmp_path_factory.mktemp("canary")
    with Upstream().running() as upstream, ModelServer(script(upstream.ports)) as model:
        env = model.environment() | {
            "FOLDLINE_MODEL_API_KEY": MODEL_KEY,
            "FOLDLINE_TOKEN": TOKEN,
            "FOLDLINE_TOKEN_LIMIT": str(10**9),
            "FOLDLINE_MODEL_RETRIES": "1",
            "FOLDLINE_EGRESS_PRIVATE_HOSTS": "localhost,127.0.0.1",
            "FOLDLINE_LOG_LEVEL": "debug",
            "FOLDLINE_LOG_FORMAT": "json",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{upstream.ports['traces']}",
        }
        with Stack(data_dir, env=env) as stack:
            found = _done(stack, Command(data_dir, data_dir.parent))
            found["model requests"] = b"\n".join(
                json.dumps(one.body, ensure_ascii=False).encode() for one in model.recording.requests
            )
            found["postgres"] = dumped(data_dir)
            found["nats"] = files_of(data_dir / "nats")
            found["other files"] = files_of(data_dir, but=("nats", "secrets.key", "up.log", "running.json"))
        found["logs"] = (data_dir / "up.log").read_bytes()
        found["traces"] = b"\n".join(upstream.seen["traces"])
        found["friend"] = b"\n".join(upstream.seen["friend"])
        found["other"] = b"\n".join(upstream.seen["other"])
    return found


def _done(stack: Stack, foldline: Command) -> dict[str, bytes]:
    heard: list[bytes] = []
    listening = threading.Thread(target=_listen, args=(stack, heard), daemon=True)
    listening.start()
    told: list[bytes] = []
    for name, value, more in (("HIDDEN", HIDDEN, ()), ("SHOWN", SHOWN, ("--reveal",))):
        done = foldline("secrets", "set", name, "--host", "localhost", *more, "--json", stdin=value)
        assert done.code == 0, done.err
        told.append((done.out + done.err).encode())
    with stack.gateway() as door, httpx.Client(base_url=stack.url, timeout=120) as http:
        door.put("/agents/default/policy", {"preset": "free", "rules": []})
        http.headers["Authorization"] = f"Bearer {stack.token}"
        session = _turn(door, SAY)
        refused = _turn(door, "say your key")
        for name in ("inner", "outer"):
            for how in ("return", "throw", "big"):
                given = {"arguments": {"witness": WITNESS, "how": how}}
                answer = http.post(f"/api/v1/agents/default/functions/{name}:invoke", json=given)
                assert answer.json()["usage"]["output"] > 0, answer.text[:500]
                told.append(answer.content)
        for wrong in ({"value": HIDDEN}, {"value": f"{SHOWN}\r\n", "hosts": ["a.org"]}, [HIDDEN], SHOWN):
            told.append(http.put("/api/v1/agents/default/secrets/WRONG", json=wrong).content)
        told += [answer.content for answer in _everything_asked(http, (session, refused))]
        exported = b"".join(http.get(f"/api/v1/sessions/{one}/export").content for one in (session, refused))
        last = http.get(f"/api/v1/sessions/{refused}").json()["last_sequence"]
    deadline = time.monotonic() + 60
    while not any(re.match(rf"id: {last}[.\n]".encode(), line) for line in heard):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return {"http": b"\n".join(told), "export": exported, "live events": b"".join(heard)}


def _turn(door: Gateway, text: str) -> str:
    turn = ChatTurn(door, None)
    turn.say(text)
    for _ in turn.pieces():
        pass
    return turn.session_id


def _listen(stack: Stack, heard: list[bytes]) -> None:
    headers = {"Authorization": f"Bearer {stack.token}"}
    with (
        httpx.Client(base_url=stack.url, headers=headers, timeout=None) as http,
        http.stream("GET", "/api/v1/events", params={"after": 0}) as answer,
    ):
        try:
            heard.extend(f"{line}\n".encode() for line in answer.iter_lines())
        except httpx.TransportError:
            return  # it was stopped


def _everything_asked(http: httpx.Client, sessions: tuple[str, ...]) -> Iterator[httpx.Response]:
    for session in sessions:
        home = f"/api/v1/sessions/{session}"
        events = http.get(f"{home}/events", params={"limit": 1000})
        yield events
        for path in ("", "/messages", "/state", "/timeline"):
            yield http.get(home + path)
        kinds = [(event["type"], event["body"]) for event in events.json()["items"]]
        calls = [body["call_id"] for kind, body in kinds if ".tool_call_requested." in kind]
        for call in calls:
            yield http.get(f"{home}/calls/{call}")
        for number in range(1, 1 + sum(".model_call_requested." in kind for kind, _ in kinds)):
            yield http.get(f"{home}/model-calls/{number}")
    agent = "/api/v1/agents/default"
    for path in ("", "/secrets", "/tools", "/tools/probe", "/functions/outer", "/state", "/state/all"):
        yield http.get(agent + path)
    for path in ("/api/v1/settings", "/api/v1/agents", "/api/v1/sessions", "/api/openapi.json", "/metrics"):
        yield http.get(path)
    yield http.get("/api/v1/sessions", params={"q": WITNESS})


WITH_TEXT = ("http", "export", "live events", "model requests", "postgres", "nats", "other files")


@pytest.mark.parametrize("place", [*WITH_TEXT, "logs", "traces", "other"])
def test_no_secret_is_in(places: dict[str, bytes], place: str) -> None:
    found = places[place]
    for name, value in {"HIDDEN": HIDDEN, "SHOWN": SHOWN, "MODEL_KEY": MODEL_KEY}.items():
        leaks = {how: around(found, coded) for how, coded in spelled(value).items() if coded in found}
        assert leaks == {}, f"{name} is in {place}"


@pytest.mark.parametrize("place", [*WITH_TEXT, "friend"])
def test_what_is_no_secret_went_the_same_ways(places: dict[str, bytes], place: str) -> None:
    assert spelled(WITNESS)["plain"] in places[place]


def test_every_spelling_of_the_witness_would_be_found(places: dict[str, bytes]) -> None:
    stored = places["nats"] + places["http"]
    missing = [how for how, coded in spelled(WITNESS).items() if coded not in stored and how != "utf-16"]
    assert missing == []


@pytest.mark.parametrize("place", ["logs", "traces"])
def test_logs_and_traces_are_those_of_these_calls(places: dict[str, bytes], place: str) -> None:
    parts = {
        "logs": ("request.answered", "call.ended", "function.called", "model.answered", "projection.started"),
        "traces": (
            service_names.GATEWAY,
            service_names.ENGINE,
            service_names.RUNNER,
            service_names.MODEL_CALLER,
            "tool_call_requested.tools",
        ),
    }
    assert [part for part in parts[place] if part.encode() not in places[place]] == []
    assert b"projection.problem" not in places["logs"]


def test_the_secrets_reached_who_may_have_them_and_only_requests_without_them_anybody_else(
    places: dict[str, bytes],
) -> None:
    for value in (HIDDEN, SHOWN):
        assert value.encode() in places["friend"]
        assert quote(value, safe="").encode() in places["friend"]
    assert b"GET /end HTTP" in places["other"]
    assert not any(path in places["other"] for path in (b"POST", b"/direct", b"?k="))


@pytest.mark.parametrize(
    "place", ["http", "export", "live events", "model requests", "postgres", "logs", "traces"]
)
def test_the_gateways_token_is_in_nothing_that_it_sends(places: dict[str, bytes], place: str) -> None:
    assert TOKEN.encode() not in places[place]
