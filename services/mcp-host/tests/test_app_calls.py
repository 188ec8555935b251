"""Calls of tools by apps: of their own server, as it was accepted, judged, once, bounded, and kept."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.mcp_servers import AcceptedTool
from agent_contracts.entities.mcp_tools import READ_MCP_RESOURCE
from agent_contracts.entities.tool_answers import AppsCall, KeyedCall, ToolAnswer
from agent_contracts.ids import CallId, SessionId
from agent_contracts.outside import source
from agent_contracts.policies import Verdict
from agent_contracts.questions.code_calls import CodeCall, OfApp
from agent_tools.running.code_calls import CodeCalls
from agent_tools.running.keyed_calls import KeyedCalls, call_key
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.mcp_host.addressed import Addressed, addressed
from foldline_testing.mcp_host.servers.apps import with_apps
from foldline_testing.mcp_host.world import McpWorld
from mcp_host import limits
from mcp_host.asked_for import asked_for
from mcp_host.calling.app_calls import AppCalls
from mcp_host.calling.foreign_tools import ServerTools
from mcp_host.connecting.server_opener import ServerKey

SESSION = SessionId("s1")


class Apps:
    """Apps of the server `apps`, before a host."""

    def __init__(self, world: McpWorld, here: Addressed, pages: dict[str, str]) -> None:
        self.world, self.here, self.pages = world, here, pages
        foreign, self.keyed = ServerTools(world.entities), KeyedCalls(world.entities, world.clock)
        find = asked_for(foreign)
        self.code = CodeCalls(world.toolbox(), find)
        self.calls = AppCalls(find, world.entities, self.code, self.keyed)

    @property
    def sent(self) -> int:
        """Calls that reached the server."""
        return self.here.methods.count("tools/call")

    async def call(
        self, tool: str, key: str, *, app: str = "c1", approved: bool = False, **given: Any
    ) -> ToolAnswer:
        """How a call ended."""
        asked = CodeCall(
            agent_id=AGENT,
            session_id=SESSION,
            call_id=CallId(key),
            number=0,
            sequence=await self.world.log.last_sequence(),
            attempt=1,
            tool=tool if tool == READ_MCP_RESOURCE else f"apps__{tool}",
            arguments=given,
            outside=(source("mcp", "apps"),),
            of_app=OfApp(CallId(app), f"digest {tool}", approved),
        )
        return msgspec.json.decode(await self.calls.run(asked), type=ToolAnswer)

    async def kept(self, key: str) -> KeyedCall:
        """What the log has of it."""
        found = await self.world.entities.current(call_key(AGENT, CallId(key)))
        assert found is not None
        return msgspec.convert(found.value, KeyedCall)

    async def policy(self, preset: str, *rules: Any) -> None:
        """A person writes it."""
        await self.world.policy({"preset": preset, "rules": list(rules)})


@pytest.fixture
async def apps(world: McpWorld) -> AsyncIterator[Apps]:
    pages: dict[str, str] = {}
    with addressed(with_apps(pages=pages)) as here:
        await world.add("apps", here.url)
        await world.accept("apps")
        yield Apps(world, here, pages)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 — a real server's, on another thread
            await asyncio.sleep(0.02)


def kind(answer: ToolAnswer) -> str | None:
    return answer.error.kind if answer.error else None


async def test_an_allowed_call_runs_once_for_its_key_and_the_log_has_all_of_it(apps: Apps) -> None:
    await apps.policy("free")
    first, again = await asyncio.gather(*(apps.call("keep", "a1", text="x") for _ in range(2)))
    assert first == again == await apps.call("keep", "a1", text="x")
    assert isinstance(first.result, dict)
    assert first.result["structured"] == {"result": "kept x"}
    assert apps.sent == 1
    kept = await apps.kept("a1")
    assert (kept.name, kept.answer) == ("apps__keep", first)
    assert kept.by_app is not None
    assert (kept.by_app.session_id, kept.by_app.of, kept.by_app.arguments, kept.by_app.verdict) == (
        SESSION,
        "c1",
        {"text": "x"},
        Verdict.ALLOW,
    )


async def test_where_the_policy_asks_nothing_is_sent_before_a_yes_to_exactly_this(apps: Apps) -> None:
    await apps.policy("balanced")
    asked = await apps.call("keep", "a1", text="x")
    assert asked.error is not None
    assert asked.error.kind == "approval_needed"
    assert asked.error.details is not None
    assert (asked.error.details["tool"], asked.error.details["arguments"]) == ("apps__keep", {"text": "x"})
    assert apps.sent == 0
    assert (await apps.call("keep", "a2", approved=True, text="x")).error is None
    assert kind(await apps.call("keep", "a3", text="x")) == "approval_needed", "a yes is for once"
    assert apps.sent == 1
    kept = (await apps.kept("a2")).by_app
    assert kept is not None
    assert (kept.verdict, kept.approved) == (Verdict.ASK, True)


async def test_a_rule_for_after_outside_holds_and_no_yes_helps_against_it(apps: Apps) -> None:
    await apps.policy("free", {"verdict": "deny", "match": {"tool": "apps__keep", "after_outside": True}})
    assert kind(await apps.call("keep", "a1", approved=True, text="x")) == "refused"
    kept = await apps.kept("a1")
    assert kept.by_app is not None
    assert kept.by_app.verdict == Verdict.DENY
    assert apps.sent == 0


@pytest.mark.parametrize(
    ("tool", "why"), [("inner", "not_found"), ("nothing", "not_found"), ("keep", "invalid")]
)
async def test_what_isnt_for_apps_or_doesnt_fit_is_refused(apps: Apps, tool: str, why: str) -> None:
    await apps.policy("free")
    assert str(kind(await apps.call(tool, "a1"))).startswith(why)
    assert (await apps.call("refresh", "a2")).error is None, "one for apps alone runs"
    assert apps.sent == 1


async def test_nothing_is_sent_of_a_tool_that_isnt_what_was_accepted_or_whose_server_is_off(
    apps: Apps,
) -> None:
    await apps.policy("free")
    server = await apps.world.connections.server(ServerKey(AGENT, "apps"))
    other = {**server.accepted, "keep": AcceptedTool("0" * 64, 1)}
    await apps.world.keep("apps", msgspec.structs.replace(server, accepted=other))
    assert kind(await apps.call("keep", "a1", text="x")) == "not_found"
    await apps.world.keep("apps", msgspec.structs.replace(server, enabled=False))
    assert kind(await apps.call("keep", "a2", text="x")) == "disabled_tool"
    assert apps.sent == 0


async def test_what_the_server_says_went_wrong_is_an_answer_and_much_is_told_as_too_large(apps: Apps) -> None:
    await apps.policy("free")
    failed = await apps.call("fails", "a1")
    assert failed.error is not None
    assert failed.error.kind == "upstream"
    assert "out of order" in failed.error.message
    assert await apps.call("fails", "a1") == failed
    much = await apps.call("fill", "a2", kib=limits.APP_RESULT // 1024)
    assert much.error is not None
    assert "the tool ran, but its result is too large" in much.error.message
    assert apps.sent == 2


async def test_a_call_whose_host_died_is_not_sent_again(apps: Apps) -> None:
    await apps.policy("free")
    by_app = AppsCall(SESSION, CallId("c1"), {"text": "x"}, Verdict.ALLOW, "r")
    made = KeyedCall("apps__keep", "digest keep", by_app=by_app)
    assert await apps.keyed.begin(call_key(AGENT, CallId("a1")), made)
    first = await apps.call("keep", "a1", text="x")
    assert kind(first) == "outcome_unknown"
    assert await apps.call("keep", "a1", text="x") == first
    assert apps.sent == 0


async def test_a_call_that_a_person_stops_was_sent_once_and_its_outcome_is_unknown(apps: Apps) -> None:
    await apps.policy("free")
    calling = asyncio.create_task(apps.call("slow", "a1", text="x"))
    await until(lambda: apps.sent == 1)
    apps.calls.stop(SESSION, CallId("c2"))
    apps.calls.stop(SessionId("s2"), CallId("c1"))
    again = asyncio.create_task(apps.call("slow", "a1", text="x"))
    done, _ = await asyncio.wait({calling, again}, timeout=0.2)
    assert not done, "another app's calls were stopped"
    apps.calls.stop(SESSION, CallId("c1"))
    stopped = await calling
    assert kind(stopped) == "outcome_unknown"
    assert await again == stopped == await apps.call("slow", "a1", text="x")
    assert (await apps.kept("a1")).answer == stopped
    assert apps.sent == 1
    assert (await apps.call("keep", "a2", text="x")).error is None, "the next one runs"


async def test_a_call_that_is_stopped_before_it_was_sent_isnt_sent(apps: Apps) -> None:
    await apps.policy("free")
    apps.code.stop(SESSION, CallId("a1"))
    assert kind(await apps.call("slow", "a1", text="x")) == "cancelled"
    assert apps.sent == 0


async def test_an_app_reads_a_resource_of_its_server_as_the_policy_has_it(apps: Apps) -> None:
    uri = "ui://apps/talks"
    await apps.policy("balanced")
    asked = await apps.call(READ_MCP_RESOURCE, "r1", server="apps", uri=uri)
    assert kind(asked) == "approval_needed"
    read = await apps.call(READ_MCP_RESOURCE, "r2", server="apps", uri=uri, approved=True)
    assert isinstance(read.result, dict)
    (content,) = read.result["contents"]
    assert (content["uri"], content["mimeType"]) == (uri, "text/html;profile=mcp-app")
    assert "nothing yet" in content["text"]
    assert (await apps.kept("r2")).name == READ_MCP_RESOURCE
    await apps.policy("free", {"verdict": "deny", "match": {"tool": READ_MCP_RESOURCE, "server": "apps"}})
    assert kind(await apps.call(READ_MCP_RESOURCE, "r3", server="apps", uri=uri)) == "refused"
    await apps.policy("free")
    assert kind(await apps.call(READ_MCP_RESOURCE, "r4", server="apps", uri="ui://apps/none")) is not None
    apps.pages["talks"] = "x" * limits.APP_RESULT
    assert kind(await apps.call(READ_MCP_RESOURCE, "r5", server="apps", uri=uri)) == "too_large"
    assert kind(await apps.call("list_mcp_resources", "r6", server="apps")) == "not_found", "no other tool"


async def test_an_app_may_call_so_often_in_a_minute_and_so_many_at_once(
    apps: Apps, monkeypatch: pytest.MonkeyPatch
) -> None:
    await apps.policy("free")
    monkeypatch.setattr(limits, "APP_A_MINUTE", 6)
    at_once = [apps.call("refresh", f"a{n}") for n in range(limits.APP_AT_ONCE + 1)]
    kinds = [kind(answer) for answer in await asyncio.gather(*at_once)]
    assert sorted(map(str, kinds)) == [*["None"] * limits.APP_AT_ONCE, "too_often"]
    for n in range(2):
        assert kind(await apps.call("refresh", f"b{n}")) is None
    assert kind(await apps.call("refresh", "b9")) == "too_often"
    assert kind(await apps.call("refresh", "d1", app="c2")) is None, "another app has its own"
    assert apps.sent == 7
