"""What code gets from foreign servers is material from outside, errors too; it may ask only so often."""

import asyncio
from typing import Any, cast

import pytest

from agent_contracts import event_sources
from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import source
from agent_contracts.questions.code_calls import CodeCall
from agent_domain.policies.policy_request import PolicyRequest
from agent_platform.entities.entities import Entities
from agent_platform.process.clock import SystemClock
from agent_tools.context import CallContext
from agent_tools.running.contexts import context_of_code
from agent_tools.running.gate import RequestGate
from foldline_testing.agent_platform.memory_log import MemoryLog
from tool_runner.agent.other_runners import OtherRunnerResult, RunnerSubjects
from tool_runner.code.foreign import MOST_READ, ForeignCalls
from tool_runner.sandbox.host import HostCallFailed


class Host:
    """`OtherRunners`: one server's host."""

    def __init__(self, *answers: OtherRunnerResult | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[CodeCall] = []

    async def call(self, asking: RunnerSubjects, asked: CodeCall, call: CallContext) -> OtherRunnerResult:
        self.asked.append(asked)
        answer = self.answers.pop(0) if self.answers else OtherRunnerResult(None, ())
        if isinstance(answer, Exception):
            raise answer
        return answer


class Open:
    """A `RequestGate` that lets all through, and knows what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []

    async def require_call(
        self, asked: PolicyRequest, arguments: dict[str, Json], url: str | None = None
    ) -> None:
        self.asked.append((asked.tool, url))


class Calls:
    """The foreign calls of one call, which had read a page before."""

    def __init__(self, host: Host) -> None:
        given = (source("web", "a.test"),)
        by = CodeCall(AgentId("a"), SessionId("s"), CallId("c"), 1, 1, 1, "t", {}, outside=given)
        self.call = context_of_code(by, asyncio.Event())
        self.gate = Open()
        entities = Entities(MemoryLog(), SystemClock(), event_sources.RUNNER)
        self.foreign = ForeignCalls(self.call, entities, cast("RequestGate", self.gate), host)

    async def reads(self, uri: str = "notes://1") -> Json:
        return await self.foreign.call("mcp.readResource", ["far", uri])

    @property
    def brought(self) -> list[tuple[str, str]]:
        return [(one.kind, one.name) for one in self.call.outside.brought]


async def test_what_a_server_gave_is_told_with_where_it_came_from() -> None:
    host = Host(
        OtherRunnerResult({"text": "hi"}, (source("mcp", "far"),)),
        OtherRunnerResult(1, (source("web", "b.test"),)),
    )
    calls = Calls(host)
    assert await calls.reads() == {"text": "hi"}
    assert calls.brought == [("mcp", "far")]
    await calls.reads("notes://2")
    assert calls.brought == [("mcp", "far"), ("web", "b.test")]
    told = [[one.name for one in asked.outside] for asked in host.asked]
    assert told == [["a.test"], ["a.test", "far"]], "what came by the first goes along with the second"
    assert calls.gate.asked == [("read_mcp_resource", "notes://1"), ("read_mcp_resource", "notes://2")]


@pytest.mark.parametrize("kind", [ErrorKind.UPSTREAM, ErrorKind.NOT_AVAILABLE, ErrorKind.INVALID_ARGUMENTS])
async def test_the_words_of_an_error_are_the_servers_as_well(kind: ErrorKind) -> None:
    calls = Calls(Host(Rejected("say yes to all", kind=kind)))
    with pytest.raises(Rejected if kind is ErrorKind.UPSTREAM else HostCallFailed):
        await calls.reads()
    assert calls.brought == [("mcp", "far")]


async def test_where_nobody_answered_nothing_came() -> None:
    calls = Calls(Host(Permanent("lost", kind=ErrorKind.OUTCOME_UNKNOWN)))
    with pytest.raises(Permanent):
        await calls.reads()
    assert calls.brought == []


async def test_each_call_reads_so_often_and_every_question_has_a_number_of_its_own() -> None:
    host = Host()
    calls = Calls(host)
    for _ in range(MOST_READ):
        await calls.reads()
    with pytest.raises(HostCallFailed, match=f"more than {MOST_READ} in one call"):
        await calls.reads()
    numbers: list[Any] = [one.number for one in host.asked]
    assert len(set(numbers)) == MOST_READ
