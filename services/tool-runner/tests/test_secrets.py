"""A canary: a secret's value goes to the hosts that may have it, and is nowhere else."""

import base64
import json
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
import structlog

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.secrets import SecretDefinition
from agent_contracts.errors import ErrorKind
from agent_contracts.policies import Grant, Match
from agent_contracts.tool_spec import Effect
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World

CANARY = 'can"ary/+ é-0123456789'
MENTION = "{{secret:TOKEN}}"


async def world_with_a_secret() -> World:
    world = World(grants=(Grant(Match()),))
    revision = await world.vault.put(AGENT, "TOKEN", CANARY)
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    value = msgspec.to_builtins(SecretDefinition(("a.test",), revision))
    await entities.write(EntityKey(AGENT, EntityKind.SECRET, "TOKEN"), value, EntityWriter.user("e1"))
    return world


async def everything_stored(world: World) -> str:
    return "\n".join(
        [repr((m.headers, m.data)) async for m in world.log.read(">")] + [repr(vars(world.blobs))]
    )


def spellings(value: str) -> list[str]:
    return [value, quote(value, safe=""), json.dumps(value)[1:-1], base64.b64encode(value.encode()).decode()]


async def test_the_value_goes_out_to_its_host_and_comes_back_in_nothing() -> None:
    world = await world_with_a_secret()

    def echo(request: str) -> bytes:
        seen = request.encode("latin-1").decode()
        return answered(
            (seen + "".join(spellings(CANARY))).encode(),
            f"X-Echo: {CANARY.replace('é', '')}",
            "Content-Type: text/plain",
        )

    async with local_server(echo) as server:
        with structlog.testing.capture_logs() as logs:
            result = (
                await world.run(
                    "fetch_url",
                    {
                        "url": server.url("a.test", f"/p?key={MENTION}"),
                        "method": "POST",
                        "headers": {"Authorization": f"Bearer {MENTION}", "Content-Type": "application/json"},
                        "body": json.dumps({"key": MENTION}),
                    },
                    effect=Effect.EXTERNAL,
                )
            ).result
            await world.run("fetch_url", {"url": server.url("a.test")}, call_id="c2", effect=Effect.EXTERNAL)
    sent = server.seen[0].encode("latin-1").decode()
    assert f"Bearer {CANARY}" in sent
    assert f"key={quote(CANARY, safe='')}" in sent
    assert json.loads(sent.rpartition("\r\n\r\n")[2]) == {"key": CANARY}
    assert result["body"].count(MENTION) >= 3
    stored = await everything_stored(world)
    for spelling in spellings(CANARY):
        assert spelling not in stored
        assert spelling not in json.dumps(logs, default=repr, ensure_ascii=False)
        assert spelling not in result["body"]


@pytest.mark.parametrize(
    ("host", "mention", "kind"),
    [
        ("b.test", MENTION, ErrorKind.BLOCKED),
        ("a.test", "{{secret:OTHER}}", ErrorKind.NOT_FOUND),
    ],
)
async def test_it_goes_nowhere_else(host: str, mention: str, kind: ErrorKind) -> None:
    world = await world_with_a_secret()
    async with local_server(lambda _: answered(b"")) as server:
        requests: list[dict[str, Any]] = [
            {"url": server.url(host, f"/?k={mention}")},
            {"url": server.url(host), "headers": {"X-Key": mention}},
            {"url": server.url(host), "method": "POST", "body": mention},
        ]
        for number, arguments in enumerate(requests):
            event = await world.run("fetch_url", arguments, call_id=f"c{number}", effect=Effect.EXTERNAL)
            assert event.error.kind == kind
    assert server.seen == []


async def test_a_redirect_takes_it_to_no_other_host_and_can_ask_for_none() -> None:
    world = await world_with_a_secret()

    def answer(request: str) -> bytes:
        if "/away" in request:
            return answered(b"", f"Location: {server.url('b.test', '/end')}", status=307)
        if "/ask" in request:
            return answered(b"", "Location: /end?k={{secret:TOKEN}}", status=302)
        return answered(b"end")

    async with local_server(answer) as server:
        arguments = {"url": server.url("a.test", "/away"), "headers": {"X-Key": MENTION}}
        await world.run("fetch_url", arguments, call_id="c1", effect=Effect.EXTERNAL)
        arguments = {"url": server.url("a.test", "/away"), "method": "POST", "body": MENTION}
        event = await world.run("fetch_url", arguments, call_id="c2", effect=Effect.EXTERNAL)
        assert event.error.kind == ErrorKind.BLOCKED
        await world.run(
            "fetch_url", {"url": server.url("a.test", "/ask")}, call_id="c3", effect=Effect.EXTERNAL
        )
    at_the_end = [request for request in server.seen if "/end" in request]
    assert len(at_the_end) == 2
    assert not any("0123456789" in request for request in at_the_end)


async def test_without_the_key_nothing_is_fetched_that_might_show_it() -> None:
    world = await world_with_a_secret()
    world.vault._key = World().vault._key  # another installation's
    event = await world.run("fetch_url", {"url": "http://a.test/"}, effect=Effect.EXTERNAL)
    assert "another key" in event.error.message
