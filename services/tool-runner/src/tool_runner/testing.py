"""For tests of tools and runners: a log with requests in it, and runners that are delivered them."""

import asyncio
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from agent_contracts.codec import Recorded, type_of
from agent_contracts.definitions import Defined, ToolDefinition
from agent_contracts.errors import Rejected, Transient
from agent_contracts.generation import Generate, Generated
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.session_events.base import Event
from agent_contracts.session_events.decisions import ToolCallCancelled, ToolCallRequested
from agent_contracts.session_key import SessionKey
from agent_contracts.subjects import SNAPSHOTS_BUCKET
from agent_contracts.tool_spec import Effect, RunsOn
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.vault import Vault
from agent_platform.blobs.memory import MemoryBlobs
from agent_platform.entities.entities import Entities
from agent_platform.log.decoding import decode
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.memory import MemoryLog
from agent_platform.log.port import Log, StoredMessage
from agent_platform.nats.bucket import Bucket
from agent_platform.nats.consuming.consumer import Delivery
from agent_platform.process.clock import SystemClock
from agent_platform.settings.settings import Settings
from egress.guard import Egress
from egress.testing.web import egress_to
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.call_log import SOURCE, CallLog
from tool_runner.code_check import CodeCheck, CodeForm, CodeProblem
from tool_runner.compute import ComputeThread
from tool_runner.context import Resources, ToolContext
from tool_runner.function_calls import FunctionCalls
from tool_runner.handlers import ToolCalls
from tool_runner.own_tools import CodeRunner
from tool_runner.registry import Pack, Registry, discover
from tool_runner.runner import ToolRunner
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.tool import Tool
from tool_runner.user_questions import UserQuestions

AGENT = AgentId("a1")
SESSION = SessionId("s1")
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class MovableClock(SystemClock):
    """The machine's clock, `ahead` of it by as much as a test says."""

    ahead = timedelta()

    def now(self) -> datetime:
        """The time in UTC."""
        return super().now() + self.ahead


def memory_vault() -> Vault:
    """A vault with a key of its own, in memory."""
    return Vault(Bucket(MemoryLog(), "secrets"), SecretsKey(Settings(secrets_key=SecretStr(new_key()))))


class Parentheses:
    """A code check to which code parses if its parentheses match."""

    async def problem(self, code: str, form: CodeForm) -> CodeProblem | None:
        """See `CodeCheck`."""
        opened = code.count("(") - code.count(")")
        if not opened:
            return None
        line = code.count("\n") + 1
        return CodeProblem("parentheses don't match", line, len(code.rpartition("\n")[2]) + 1)


class EchoedCode:
    """A sandbox in which code returns itself and its arguments, but `fail` fails."""

    async def run(self, made: Defined[ToolDefinition], args: dict[str, Json], ctx: ToolContext) -> Json:
        """See `CodeRunner`."""
        if made.value.code == "fail":
            raise Rejected("TypeError: no (line 1, column 1)")
        return {"code": made.value.code, "args": args}


@dataclass
class BuiltInOf:
    """The built-in names are those of one registry."""

    registry: Registry

    async def names(self) -> frozenset[str]:
        """See `BuiltIn`."""
        return frozenset(tool.spec.name for tool in self.registry)


class ScriptedModels:
    """Model callers that give these answers, one after another, and keep what they were asked."""

    def __init__(self, *answers: Generated) -> None:
        self.answers = list(answers)
        self.asked: list[Generate] = []

    async def generate(self, asked: Generate) -> Generated:
        """The next answer; `Transient` if there is none left."""
        self.asked.append(asked)
        if not self.answers:
            raise Transient("nobody answers", kind="no_responders")
        return self.answers.pop(0)


@dataclass
class World:
    """One log, and what is delivered from it."""

    log: Log = field(default_factory=MemoryLog)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    clock: MovableClock = field(default_factory=MovableClock)
    egress: Egress = field(default_factory=lambda: egress_to("a.test", "b.test"))
    vault: Vault = field(default_factory=memory_vault)
    compute: ComputeThread = field(default_factory=ComputeThread)
    code: CodeRunner = field(default_factory=EchoedCode)
    check: CodeCheck = field(default_factory=Parentheses)
    sandbox: Sandbox = field(
        default_factory=lambda: Sandbox(Path(tempfile.gettempdir()) / "foldline-test-sandbox")
    )
    folder: Path = field(default_factory=lambda: Path(tempfile.gettempdir()) / "foldline-test-copies")

    def __post_init__(self) -> None:
        snapshots = Bucket(MemoryLog(), SNAPSHOTS_BUCKET)
        self.databases = AgentDatabases(self.log, snapshots, self.blobs, self.folder, self.clock, SOURCE)

    models: ScriptedModels = field(default_factory=ScriptedModels)

    def runner(self, name: str = "r1", *tools: Tool) -> ToolCalls:
        """A runner of every tool there is, or of these alone."""
        registry = Registry([Pack("test", "1", tools)]) if tools else discover(selftest=True, installed=())
        calls = CallLog(self.log, self.clock, name)
        runner = ToolRunner(registry, calls, self._resources(registry), self.code, name)
        return ToolCalls(runner, calls, self.clock, name)

    def functions(self) -> FunctionCalls:
        """A runner for pages."""
        resources = self._resources(discover(selftest=True, installed=()))
        return FunctionCalls(self.log, resources, self.code, parallel=4)

    def questions(self) -> UserQuestions:
        """A runner for people."""
        return UserQuestions(self.log, self._resources(discover(selftest=True, installed=())))

    def _resources(self, registry: Registry) -> Resources:
        return Resources(
            Entities(self.log, self.clock, SOURCE),
            self.databases,
            self.blobs,
            self.egress,
            self.compute,
            self.clock,
            BuiltInOf(registry),
            self.check,
            self.vault,
            self.models,
            self.sandbox,
            registry,
        )

    async def request(
        self,
        tool: str,
        arguments: dict[str, Json] | None = None,
        *,
        call_id: str = "c1",
        effect: Effect = Effect.PURE,
        session_id: SessionId = SESSION,
    ) -> StoredMessage:
        """The engine asks for a call; the message that runners are delivered."""
        call = CallId(call_id)
        event = ToolCallRequested(call, tool, arguments or {}, RunsOn.TOOLS, effect)
        return await self.append(event, session_id, (RunsOn.TOOLS, call))

    async def cancel(self, call_id: str = "c1") -> None:
        """The engine cancels a call."""
        await self.append(ToolCallCancelled(CallId(call_id)), SESSION, None)

    async def append(
        self, event: Event, session_id: SessionId, call: tuple[RunsOn | None, CallId] | None
    ) -> StoredMessage:
        """The engine decides something."""
        subject = SessionKey(AGENT, session_id).decision(type_of(event), call)
        origin = Origin("/test", traceparent=TRACE)
        message, _ = event_message(event, subject, session_id, origin, self.clock)
        stored = await self.log.get(await self.log.append(message))
        assert stored is not None
        return stored

    async def result(self, call_id: str = "c1", session_id: SessionId = SESSION) -> Recorded[Any] | None:
        """The one result of a call, or None; more than one fails."""
        subject = SessionKey(AGENT, session_id).result(CallId(call_id))
        found = [message async for message in self.log.read(subject)]
        assert len(found) <= 1
        return decode(found[0]) if found else None

    async def run(
        self, tool: str, arguments: dict[str, Json] | None = None, *, call_id: str = "c1", **more: Any
    ) -> Any:
        """Ask for a call, let a runner handle it, and give the event of its result."""
        message = await self.request(tool, arguments, call_id=call_id, **more)
        await self.runner().handle(delivery(message))
        found = await self.result(call_id, more.get("session_id", SESSION))
        assert found is not None
        return found.event


def delivery(message: StoredMessage, attempt: int = 1) -> Delivery:
    """The message on its way to a handler."""
    return Delivery(message, attempt)


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
