"""The first gate: each call is judged by the policy as of its request, and the verdict recorded with it."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import ErrorKind, Permanent
from agent_contracts.json_value import Json
from agent_contracts.outside import source, web
from agent_contracts.policies import POLICY_NAME, Match, Verdict
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import AGENT, Conversation
from session_domain.domain.messages import CallStatus

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

OBJECT: dict[str, Any] = {"type": "object"}
FETCH = ToolSpec("fetch_url", "Fetch.", OBJECT, "web", Effect.EXTERNAL, RunsOn.TOOLS)
READ = ToolSpec("get_state", "Read.", OBJECT, "state", Effect.PURE, RunsOn.TOOLS)
MCP_TOOLS = ("list_mcp_resources", "read_mcp_resource", "get_mcp_prompt")
POST = {"url": "https://api.example.com/x", "method": "POST"}
SCRIPT = {
    "rules": [
        {
            "turns": [
                {
                    "tool_calls": [
                        {"name": "get_state", "arguments": {}},
                        {"name": "fetch_url", "arguments": POST},
                        {"name": "call_tool", "arguments": {"name": "fetch_url", "arguments": POST}},
                    ]
                },
                {"text": "Done."},
            ]
        }
    ]
}


async def write(conversation: Conversation, value: Json, source: str = event_sources.GATEWAY) -> None:
    entities = Entities(conversation.log, conversation.clock, source)
    key = EntityKey(AGENT, EntityKind.POLICY, POLICY_NAME)
    await entities.write(key, value, EntityWriter.user(conversation.clock.new_id("edit")))


async def test_without_a_policy_what_sends_is_asked_for_also_through_call_tool(talk: Talk) -> None:
    conversation, _ = await talk(SCRIPT, tools=(FETCH, READ))
    await conversation.say("hello")
    read, *posts = (await conversation.state()).messages()[1].tool_calls
    assert read.judged is None
    for post in posts:
        assert post.judged is not None
        assert (post.judged.verdict, post.judged.version) == (Verdict.ASK, 0)
        assert post.judged.covers == Match(
            tool="fetch_url", host="api.example.com", method="POST", scheme="https"
        )
        assert post.status is CallStatus.PENDING
        assert post.requested is None


async def test_a_written_policy_counts_from_the_next_call_on_and_its_version_is_recorded(talk: Talk) -> None:
    conversation, _ = await talk(SCRIPT, tools=(FETCH, READ))
    await write(
        conversation, {"rules": [{"verdict": "deny", "match": {"tool": "fetch_*"}, "note": "No web"}]}
    )
    await conversation.say("hello")
    read, *posts = (await conversation.state()).messages()[1].tool_calls
    assert read.judged is not None
    assert (read.judged.verdict, read.judged.version) == (Verdict.ALLOW, 1)
    for post in posts:
        assert post.status is CallStatus.FAILED
        assert post.error is not None
        assert post.error.kind is ErrorKind.REFUSED
        assert "Rule 1: No web" in post.error.message
        assert post.judged is not None
        assert post.judged.version == 1


async def test_no_agent_and_no_runner_writes_it(talk: Talk) -> None:
    conversation, _ = await talk(SCRIPT, tools=(FETCH, READ))
    with pytest.raises(Permanent, match="only /gateway for user or /engine for user may write"):
        await write(conversation, {"preset": "free"}, source=event_sources.RUNNER)


async def test_after_outside_a_get_is_asked_for_unless_its_url_stands_in_what_was_said_or_read(
    talk: Talk,
) -> None:
    read, named = {"url": "https://a.test/index"}, {"url": "https://a.test/next?page=2"}
    carrying = {"url": "https://a.test/next?page=2&notes=secret"}
    first = {"tool_calls": [{"name": "fetch_url", "arguments": read}]}
    more = {**named, "headers": {"x-context": "secret"}}
    then = [{"name": "fetch_url", "arguments": one} for one in (named, carrying, more)]
    script = {"rules": [{"turns": [first, {"tool_calls": then}, {"text": "Done."}]}]}
    conversation, _ = await talk(script, tools=(FETCH,))
    await conversation.say("hello")
    [open_call] = (await conversation.state()).open_calls()
    assert open_call.judged is None, "nothing had been read yet"
    result = ToolCallCompleted(
        open_call.call_id,
        {"body": f"Go to <{named['url']}>"},
        event_sources.RUNNER,
        duration_ms=1,
        outside=(web(read["url"]),),
    )
    await conversation.add(result)
    await conversation.settle()
    there, *carry = (await conversation.state()).messages()[-1].tool_calls
    assert (there.judged, there.urls) == (None, (named["url"],))
    assert there.status is CallStatus.REQUESTED
    assert len(carry) == 2
    for carries in carry:
        assert carries.judged is not None
        assert carries.judged.verdict is Verdict.ASK
        assert [one.name for one in carries.judged.outside] == ["a.test"]
    assert (carries.status, carries.requested) == (CallStatus.PENDING, None)


async def test_after_outside_a_foreign_server_is_asked_only_for_what_was_listed_or_said(talk: Talk) -> None:
    listing = {"name": "list_mcp_resources", "arguments": {"server": "notes"}}
    asked = [
        ("read_mcp_resource", {"server": "notes", "uri": "note:1"}),
        ("read_mcp_resource", {"server": "notes", "uri": "note:1?q=secret"}),
        ("get_mcp_prompt", {"server": "notes", "name": "greet", "arguments": {"who": "secret"}}),
    ]
    then = [{"name": name, "arguments": arguments} for name, arguments in asked]
    script = {"rules": [{"turns": [{"tool_calls": [listing]}, {"tool_calls": then}, {"text": "Done."}]}]}
    tools = [ToolSpec(name, "Ask it.", OBJECT, "mcp", Effect.EXTERNAL, RunsOn.MCP) for name in MCP_TOOLS]
    conversation, _ = await talk(script, tools=tuple(tools))
    await conversation.say("hello")
    [open_call] = (await conversation.state()).open_calls()
    listed: Json = {"resources": [{"uri": "note:1"}], "templates": []}
    result = ToolCallCompleted(
        open_call.call_id, listed, "/mcp", duration_ms=1, outside=(source("mcp", "notes"),)
    )
    await conversation.add(result)
    await conversation.settle()
    known, *carry = (await conversation.state()).messages()[-1].tool_calls
    assert (known.judged, known.urls, known.status) == (None, ("note:1",), CallStatus.REQUESTED)
    assert [one.status for one in carry] == [CallStatus.PENDING] * 2
    for one in carry:
        assert one.judged is not None
        assert [each.name for each in one.judged.outside] == ["notes"]
        assert one.judged.covers == Match(tool=one.tool, server="notes")
