"""The gate of requests: a yes lasts as long as a person said, who can read what they are asked."""

import asyncio
from typing import Any

import msgspec
import pytest
import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_tools import FAMILY
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.event_sources import GATEWAY
from agent_contracts.ids import CallId
from agent_contracts.json_value import Json
from agent_contracts.outside import Source, Sources
from agent_contracts.policies import (
    LARGEST_ASKED,
    POLICY_NAME,
    Grant,
    Match,
    Policy,
    Rule,
    Verdict,
    approved_hash,
)
from agent_contracts.tool_spec import Effect, FixedHost, RunsOn, ToolSpec
from agent_domain.policies.judgement import CompiledPolicies
from agent_domain.policies.policy_request import PolicyRequest, WebOrigin, call_of, request_of
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.context import CallContext, CallSources
from agent_tools.running.call_writers import writers_of_page
from agent_tools.running.gate import RequestGate
from egress.fetching import FetchRequest
from egress.redirects import Hop
from egress.targets import target_of
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.clock import MovableClock
from foldline_testing.agent_tools.world import AGENT, SESSION, SOURCE

PAGE: Sources = (Source("web", "evil.example", "9.0"),)
API = WebOrigin("https", "api.example.com", 443)
COVERS = Match(tool="run_sandbox_code", host="api.example.com", method="POST", scheme="https")
FOREIGN = ToolSpec("notes__add", "Adds.", {"type": "object"}, f"{FAMILY}notes", Effect.EXTERNAL, RunsOn.MCP)


def gate(outside: Sources = (), entities: Entities | None = None, **call: Any) -> RequestGate:
    """That of a call of the agent's code, whose model had this material from outside."""
    brought = CallSources(outside)
    entities = entities or Entities(MemoryLog(), MovableClock(), SOURCE)
    context = CallContext(
        AGENT,
        SESSION,
        CallId("c1"),
        10**6,
        1,
        writers_of_page(CallId("c1"), 0, brought),
        asyncio.Event(),
        structlog.get_logger(),
        outside=brought,
        tool="run_sandbox_code",
        family="code",
        **call,
    )
    return RequestGate(entities, context, CompiledPolicies())


def sent(method: str, path: str = "/v1", to: WebOrigin = API) -> PolicyRequest:
    return request_of("run_sandbox_code", "code", method, to, path)


async def kind_of(asking: Any) -> str:
    """What became of it: empty, it may leave."""
    try:
        await asking
    except Rejected as refused:
        return refused.kind
    return ""


async def test_a_yes_for_once_is_over_with_its_call_and_one_for_the_session_is_not() -> None:
    for once in (True, False):
        one = gate(grants=(Grant(COVERS, once=once),))
        assert await kind_of(one.require(sent("POST"))) == ""
        afterwards = await kind_of(one.afterwards().require(sent("POST")))
        assert afterwards == (ErrorKind.APPROVAL_NEEDED if once else "")


@pytest.mark.parametrize(
    ("method", "to", "asked"),
    [
        ("GET", API, False),
        ("HEAD", API, False),
        ("POST", API, True),
        ("GET", WebOrigin("https", "api.example.com", 8443), True),
        ("GET", WebOrigin("http", "api.example.com", 80), True),
        ("GET", WebOrigin("https", "other.example.com", 443), True),
    ],
)
async def test_a_tool_of_one_host_may_read_there_after_outside_and_nothing_else(
    method: str, to: WebOrigin, asked: bool
) -> None:
    one = gate(PAGE, fixed_host=FixedHost("api.example.com", "GET"))
    found = await kind_of(one.require(sent(method, "/v1?q=anything", to)))
    assert found == (ErrorKind.APPROVAL_NEEDED if asked else "")


async def test_what_a_tool_sends_to_its_one_host_is_no_known_address() -> None:
    log = MemoryLog()
    policy = Policy("balanced", (Rule(Verdict.ALLOW, Match(known_url=True)),))
    key = EntityKey(AGENT, EntityKind.POLICY, POLICY_NAME)
    people = Entities(log, MovableClock(), GATEWAY)
    await people.write(key, msgspec.to_builtins(policy), EntityWriter.user("policy"))
    one = gate(PAGE, Entities(log, MovableClock(), SOURCE), fixed_host=FixedHost("api.example.com", "POST"))
    assert await kind_of(one.require(sent("GET"))) == ""
    assert await kind_of(one.require(sent("POST"))) == ErrorKind.APPROVAL_NEEDED


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        (FetchRequest("https://known.example/a"), False),
        (FetchRequest("https://known.example/a?secret=1"), True),
        (FetchRequest("https://known.example/a", headers=(("accept", "text/html"),)), False),
        (FetchRequest("https://known.example/a", headers=(("x-note", "what it was told"),)), True),
        (FetchRequest("https://known.example/a", body=b"what it was told"), True),
    ],
)
async def test_a_known_address_counts_only_where_nothing_is_carried_besides(
    request_: FetchRequest, asked: bool
) -> None:
    one, target = gate(PAGE, urls=("https://known.example/a",)), target_of(request_.url)
    found = await kind_of(one.check(Hop(target, request_), target))
    assert found == (ErrorKind.APPROVAL_NEEDED if asked else "")


async def test_a_yes_to_what_code_asked_another_tool_for_is_for_exactly_these_arguments() -> None:
    arguments: dict[str, Json] = {"title": "a"}
    exact = approved_hash(FOREIGN.tool, arguments, None)
    one = gate(grants=(Grant(Match(tool=FOREIGN.tool), once=True, exact=exact),))
    assert await kind_of(one.require_call(call_of(FOREIGN, arguments), arguments)) == ""
    others: dict[str, Json] = {"title": "b"}
    assert await kind_of(one.require_call(call_of(FOREIGN, others), others)) == ErrorKind.APPROVAL_NEEDED


async def test_a_person_is_asked_no_more_than_anybody_would_read() -> None:
    fits: dict[str, Json] = {"text": "x" * (LARGEST_ASKED - len('{"text":""}'))}
    one = gate()
    assert await kind_of(one.require_call(call_of(FOREIGN, fits), fits)) == ErrorKind.APPROVAL_NEEDED
    longer: dict[str, Json] = {"text": f"{fits['text']}x"}
    assert await kind_of(one.require_call(call_of(FOREIGN, longer), longer)) == ErrorKind.TOO_LARGE
    allowed = gate(grants=(Grant(Match(tool=FOREIGN.tool)),))
    assert await kind_of(allowed.require_call(call_of(FOREIGN, longer), longer)) == ""
