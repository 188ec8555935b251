"""Policies as people write them, and answers to calls that wait for a yes: checked, and once."""

from typing import Any

import msgspec
import pytest

from agent_contracts.api.policies import PolicyOfAgent
from agent_contracts.api.versions import VersionTarget
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Failure, Rejected
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import decode
from agent_contracts.log.record.session_subjects import ENGINE_AS_RUNNER
from agent_contracts.policies import Match, Policy
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.tool_spec import Catalogue, Effect, RunsOn, ToolSpec
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession

CALL = CallId("m000003-00")
COVERS: dict[str, Json] = {"tool": "fetch_url", "host": "api.example.com", "method": "POST"}
SHOW: dict[str, Json] = {
    "kind": "approval",
    "tool": "fetch_url",
    "rule": "It sends something out",
    "version": 0,
    "covers": COVERS,
}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
DENY: dict[str, Json] = {"verdict": "deny", "match": {"host": "*.evil.example"}, "note": "Never"}


@pytest.fixture
async def world(memory: InMemory) -> InMemory:
    spec = ToolSpec("fetch_url", "Fetch.", SCHEMA, "web", Effect.EXTERNAL, RunsOn.TOOLS)
    await memory.catalog.put(Catalogue("core", "1", [spec]))
    await memory.operations.agents.make_default()
    return memory


async def put(memory: InMemory, value: Json, version: int | None = None) -> PolicyOfAgent:
    policy = msgspec.convert(value, Policy)
    return await memory.operations.policies.write(DEFAULT_AGENT, policy, version, asked())


async def test_a_policy_has_versions_and_goes_back(world: InMemory) -> None:
    policies = world.operations.policies
    first = await policies.read(DEFAULT_AGENT)
    assert (first.preset, first.rules, first.version) == ("balanced", [], 0)
    assert first.preset_rules
    written = await put(world, {"preset": "cautious", "rules": [DENY]}, 0)
    assert (written.preset, written.version, written.actor) == ("cautious", 1, "user")
    assert written.rules[0].match.host == "*.evil.example"
    assert (await put(world, {"preset": "cautious", "rules": [DENY]})).version == 1, "the same again"
    free = await put(world, {"preset": "free", "rules": []}, 1)
    assert written.sequence is not None
    assert (await policies.read(DEFAULT_AGENT, written.sequence)).preset == "cautious"
    assert [one.version for one in (await policies.versions(DEFAULT_AGENT, None, 10)).items] == [2, 1]
    back = await policies.revert(DEFAULT_AGENT, VersionTarget(version=1), asked())
    assert (back.preset, back.version, back.rules) == ("cautious", 3, written.rules)
    with pytest.raises(Rejected, match="changed meanwhile"):
        await put(world, {"preset": "free", "rules": []}, free.version)


async def test_a_condition_is_kept_in_the_letters_in_which_it_can_hold(world: InMemory) -> None:
    match = {"host": " A.Example ", "method": "post", "tool": "Keeps_Its_Own"}
    written = await put(world, {"rules": [{"verdict": "deny", "match": match}]})
    assert written.rules[0].match == Match(host="a.example", method="POST", tool="Keeps_Its_Own")
    assert [*(one.name for one in written.conditions), "added"] == list(Match.__struct_fields__)


async def waiting(memory: InMemory, show: dict[str, Json] = SHOW) -> SessionId:
    created = await memory.operations.creation.create(NewSession(), asked())
    session = SessionId(created.id)
    await memory.decided(session, ToolCallPending(CALL, show, ENGINE_AS_RUNNER))
    return session


async def answer(memory: InMemory, session: SessionId, response: Json, key: str | None = None) -> None:
    await memory.operations.steering.answer(session, CALL, response, asked(key, response, session))


async def recorded(memory: InMemory, session: SessionId) -> list[Json]:
    events = [decode(one).event for one in await memory.stored(session)]
    return [event.response for event in events if type(event).__name__ == "ToolResponse"]


async def refusal(memory: InMemory, session: SessionId, response: Json) -> tuple[str, str | None]:
    with pytest.raises(Failure) as refused:
        await answer(memory, session, response)
    return refused.value.kind, getattr(refused.value, "path", None)


async def test_one_answer_is_taken_whatever_comes_after(world: InMemory) -> None:
    session = await waiting(world)
    await answer(world, session, {"decision": "once"}, "k")
    await answer(world, session, {"decision": "once"}, "k")
    assert await refusal(world, session, {"decision": "refuse"}) == ("already_answered", None)
    assert await recorded(world, session) == [{"decision": "once"}]


async def test_once_it_runs_it_may_ask_again_for_what_its_code_sends(world: InMemory) -> None:
    session = await waiting(world)
    await answer(world, session, {"decision": "once"})
    request = ToolCallRequested(CALL, "fetch_url", {}, RunsOn.TOOLS, Effect.EXTERNAL)
    await world.decided(session, request)
    assert await refusal(world, session, {"decision": "once"}) == ("already_answered", None)
    await world.resulted(session, ToolCallPending(CALL, SHOW | {"run": True}, "r1"))
    edited: Json = {"decision": "once", "arguments": {"url": "x"}}
    assert await refusal(world, session, edited) == ("invalid_request", "/arguments")
    await answer(world, session, {"decision": "session"})
    assert await refusal(world, session, {"decision": "session"}) == ("already_answered", None)


async def test_always_writes_the_policy_by_the_persons_hand(world: InMemory) -> None:
    await put(world, {"preset": "balanced", "rules": [DENY]})
    session = await waiting(world)
    await answer(world, session, {"decision": "always"})
    policy = await world.operations.policies.read(DEFAULT_AGENT)
    assert (policy.version, policy.actor) == (2, "user")
    allowed, denied = policy.rules
    assert (allowed.verdict, allowed.match.host, denied.verdict) == ("allow", "api.example.com", "deny")
    again = await waiting(world)
    await answer(world, again, {"decision": "always"})
    assert (await world.operations.policies.read(DEFAULT_AGENT)).version == 2, "it says so already"


@pytest.mark.parametrize(
    ("response", "path"),
    [
        ({"decision": "yes"}, "/decision"),
        ({"answer": "once"}, ""),
        ("once", ""),
        ({"decision": "once", "covers": COVERS}, "/covers"),
        ({"decision": "refuse", "arguments": {"url": "x"}}, "/arguments"),
        ({"decision": "once", "arguments": {}}, "/arguments"),
        ({"decision": "once", "arguments": {"url": 1}}, "/arguments/url"),
        ({"decision": "once", "arguments": {"url": "x" * 300_000}}, "/arguments"),
        ({"decision": "refuse", "reason": "x" * 2001}, "/reason"),
    ],
)
async def test_what_is_no_answer_leaves_it_waiting(world: InMemory, response: Json, path: str | None) -> None:
    session = await waiting(world)
    assert await refusal(world, session, response) == ("invalid_request", path)
    await answer(world, session, {"decision": "refuse", "reason": "no"})


async def test_edited_arguments_cover_what_they_name(world: InMemory) -> None:
    session = await waiting(world)
    edited: Json = {"decision": "always", "arguments": {"url": "https://b.example/", "method": "PUT"}}
    await answer(world, session, edited)
    covers = {"tool": "fetch_url", "host": "b.example", "method": "PUT", "scheme": "https"}
    assert await recorded(world, session) == [
        {
            "decision": "always",
            "arguments": {"url": "https://b.example/", "method": "PUT"},
            "covers": covers,
        }
    ]
    [rule] = (await world.operations.policies.read(DEFAULT_AGENT)).rules
    assert rule.match.host == "b.example"


async def test_all_commands_are_allowed_only_where_they_were_offered(world: InMemory) -> None:
    session = await waiting(world)
    assert await refusal(world, session, {"decision": "commands"}) == ("invalid_request", "/decision")
    await answer(world, session, {"decision": "refuse"})
    offered = {"family": "workspace", "command": "*", "sandbox": "namespaces"}
    session = await waiting(world, {**SHOW, "commands": offered})
    await answer(world, session, {"decision": "commands"})
    assert (await recorded(world, session))[-1] == {"decision": "commands"}
    assert (await world.operations.policies.read(DEFAULT_AGENT)).rules == []


async def test_what_a_longer_yes_is_for_cannot_always_be_said(world: InMemory) -> None:
    session = await waiting(world, {key: SHOW[key] for key in ("kind", "tool", "rule", "version")})
    assert await refusal(world, session, {"decision": "always"}) == ("invalid_request", "/decision")
    await answer(world, session, {"decision": "once"})
