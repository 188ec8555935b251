"""For tests of tools and runners: a log with requests in it, and runners that are delivered them."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import msgspec

from agent_contracts import event_sources
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.outside import Sources
from agent_contracts.policies import Grant
from agent_contracts.session_events.decisions import (
    Decision,
    ResumedCall,
    ToolCallCancelled,
    ToolCallRequested,
)
from agent_contracts.session_events.results import ToolCallPending
from agent_contracts.tool_spec import Effect, RunsOn
from agent_domain.policies.judgement import DEFAULT, InForce
from agent_platform.log.event_message import event_message
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_platform.log.result_offers import result_of
from agent_platform.services.consuming.consumer import Delivery
from agent_tools.context import CallContext
from agent_tools.hosting.base import NoOwnTools
from agent_tools.ports.agent import AgentDefinitions, AgentNotebook, AgentState, AgentTexts
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.models import Models
from agent_tools.ports.outside import AgentDelegates, AgentEgress, CallPolicy, Commands, LastingChanges
from agent_tools.ports.running import Compute
from agent_tools.providers import Provider
from agent_tools.registry import Pack, Registry
from agent_tools.running.call_log import CallLog
from agent_tools.running.handlers import ToolCalls
from agent_tools.running.platform_ports import platform_ports
from agent_tools.running.runner import OwnTools, ToolRunner
from agent_tools.tool import Tool
from agent_tools.toolbox import Toolbox
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.agent_tools.clock import MovableClock
from foldline_testing.agent_tools.commands import ScriptedCommands
from foldline_testing.agent_tools.fakes import (
    AnsweredEgress,
    AnsweringModels,
    AtOnce,
    JudgedBy,
    MemoryDatabase,
    MemoryDefinitions,
    MemoryNotebook,
    MemoryState,
    MemoryTexts,
    NamedDelegates,
    UnaskedChanges,
)
from foldline_testing.agent_tools.files import MemoryFiles

AGENT = AgentId("a1")
SESSION = SessionId("s1")
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SOURCE = event_sources.RUNNER


@dataclass
class CallWorld:
    """One log, and what is delivered from it to runners of these tools, whatever their ports are."""

    registry: Registry = field(default_factory=lambda: Registry([]))
    log: Log = field(default_factory=MemoryLog)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    clock: MovableClock = field(default_factory=MovableClock)
    grants: tuple[Grant, ...] = ()
    approved: str | None = None

    def providers(self) -> tuple[Provider, ...]:
        """How the ports of a call are built."""
        return platform_ports(self.clock, self.blobs)

    def own_tools(self) -> OwnTools:
        """What agents made."""
        return NoOwnTools()

    def toolbox(self, registry: Registry | None = None) -> Toolbox:
        """The tools of the world, or of this registry, with their ports."""
        return Toolbox.of(registry or self.registry, *self.providers())

    def runner(self, name: str = "r1", *tools: Tool) -> ToolCalls:
        """A runner of every tool there is, or of these alone."""
        registry = Registry([Pack("test", "1", tools)]) if tools else self.registry
        calls = CallLog(self.log, self.clock, SOURCE, name)
        runner = ToolRunner(self.toolbox(registry), self.own_tools(), calls, self.blobs)
        return ToolCalls(runner, calls, self.clock)

    async def request(
        self,
        tool: str,
        arguments: dict[str, Json] | None = None,
        *,
        call_id: str = "c1",
        effect: Effect = Effect.PURE,
        session_id: SessionId = SESSION,
        outside: Sources = (),
        unswayed: bool = False,
        urls: tuple[str, ...] = (),
        outside_as: int | None = None,
        open_tasks: int = 0,
        runs_on: RunsOn = RunsOn.TOOLS,
    ) -> StoredMessage:
        """The engine asks for a call; the message that runners are delivered."""
        call = CallId(call_id)
        asked = arguments or {}
        event = ToolCallRequested(
            call,
            tool,
            asked,
            runs_on,
            effect,
            self.grants,
            self.approved,
            outside=outside,
            unswayed=unswayed,
            urls=urls,
            outside_as=outside_as,
            open_tasks=open_tasks,
        )
        return await self.append(event, session_id)

    async def cancel(self, call_id: str = "c1") -> None:
        """The engine cancels a call."""
        await self.append(ToolCallCancelled(CallId(call_id)), SESSION)

    async def append(self, event: Decision, session_id: SessionId) -> StoredMessage:
        """The engine decides something."""
        subject = subject_of(event, SessionKey(AGENT, session_id))
        origin = origin_of(event, traceparent=TRACE)
        message, _ = event_message(event, subject, origin, self.clock)
        stored = await self.log.get(await self.log.append(message))
        assert stored is not None
        return stored

    async def result(self, call_id: str = "c1", session_id: SessionId = SESSION) -> RecordedEvent[Any] | None:
        """The one result of a call, or None; more than one fails."""
        found = [
            one
            async for one in events(self.log.read(SessionKey(AGENT, session_id).results))
            if one.event.call_id == call_id
        ]
        assert len(found) <= 1
        return found[0] if found else None

    async def ended(self, call_id: str = "c1", session_id: SessionId = SESSION) -> Any:
        """The event that ended a call; fails if there is none."""
        found = await self.result(call_id, session_id)
        assert found is not None, f"{call_id} has no result"
        return found.event

    async def run(
        self, tool: str, arguments: dict[str, Json] | None = None, *, call_id: str = "c1", **more: Any
    ) -> Any:
        """Ask for a call, let a runner handle it, and give the event of its result."""
        message = await self.request(tool, arguments, call_id=call_id, **more)
        await self.runner().handle(delivery(message))
        return await self.ended(call_id, more.get("session_id", SESSION))

    async def resuming(self, paused: ToolCallPending, answer: Json = None) -> StoredMessage:
        """The engine asks again for a call that paused, with an answer."""
        requests = self.log.read(SessionKey(AGENT, SESSION).decision(type_of(ToolCallRequested), "*"))
        asked = [one async for one in events(requests) if one.event.call_id == paused.call_id]
        first, resume = asked[0], paused.resume
        assert resume is not None
        resumed = ResumedCall(first.sequence, resume.round, resume.state, answer, resume.looks)
        effect = Effect.PURE if resume.looks else first.event.effect
        event = msgspec.structs.replace(first.event, code_at=first.sequence, resumed=resumed, effect=effect)
        return await self.append(event, SESSION)

    async def resumed(self, paused: ToolCallPending, answer: Json = None) -> Any:
        """It goes on; the event that it ended with, or paused again."""
        message = await self.resuming(paused, answer)
        await self.runner().handle(delivery(message))
        return await self.ended_since(message)

    async def ended_since(self, message: StoredMessage) -> Any:
        """The event that answered this request."""
        call_id = decode(message).event.call_id
        found = await result_of(self.log, SessionKey(AGENT, SESSION), call_id, after=message.sequence)
        assert found is not None
        return found.event


@dataclass
class PackWorld(CallWorld):
    """For tests of a pack: the registry's tools with every port of `agent_tools.ports` in memory."""

    state: AgentState = field(default_factory=MemoryState)
    notebook: AgentNotebook = field(default_factory=MemoryNotebook)
    texts: AgentTexts = field(default_factory=MemoryTexts)
    definitions: AgentDefinitions = field(default_factory=MemoryDefinitions)
    database: AgentDatabase = field(default_factory=MemoryDatabase)
    files: AgentFiles = field(default_factory=MemoryFiles)
    egress: AgentEgress = field(default_factory=AnsweredEgress)
    delegates: AgentDelegates = field(default_factory=NamedDelegates)
    models: Models = field(default_factory=AnsweringModels)
    compute: Compute = field(default_factory=AtOnce)
    commands: Commands = field(default_factory=ScriptedCommands)
    lasting: LastingChanges = field(default_factory=UnaskedChanges)
    in_force: InForce = DEFAULT

    def providers(self) -> tuple[Provider, ...]:
        """See `CallWorld`."""

        def state() -> AgentState:
            return self.state

        def notebook() -> AgentNotebook:
            return self.notebook

        def texts() -> AgentTexts:
            return self.texts

        def definitions() -> AgentDefinitions:
            return self.definitions

        def database() -> AgentDatabase:
            return self.database

        def files() -> AgentFiles:
            return self.files

        def egress() -> AgentEgress:
            return self.egress

        def delegates() -> AgentDelegates:
            return self.delegates

        def models() -> Models:
            return self.models

        def compute() -> Compute:
            return self.compute

        def commands() -> Commands:
            return self.commands

        def policy(call: CallContext) -> CallPolicy:
            return JudgedBy(self.in_force, call)

        def lasting() -> LastingChanges:
            return self.lasting

        kept = (state, notebook, texts, definitions, database, files)
        return *super().providers(), *kept, egress, delegates, models, compute, commands, policy, lasting


def delivery(message: StoredMessage, attempt: int = 1, *, again: bool = False) -> Delivery:
    """The message on its way to a handler."""
    return Delivery(message, attempt, again=again)


async def until(condition: Any, seconds: float = 20) -> Any:
    """Wait for an async (or plain) condition to give something true, and return that."""
    async with asyncio.timeout(seconds):
        while True:
            found = condition()
            if asyncio.iscoroutine(found):
                found = await found
            if found:
                return found
            await asyncio.sleep(0.02)
