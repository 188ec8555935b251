"""For tests: the other services, as the gateway's operations ask them, in memory."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_contracts.api.operating import Queue
from agent_contracts.entities.notifications import TestOutcome
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import Failure, Rejected, Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.workers import WorkerStatus
from agent_contracts.questions.code_calls import CodeCall, StopCodeCall
from agent_contracts.questions.function_calls import FunctionCall
from agent_contracts.questions.mcp_logins import LoginQuestion, LoginStep
from agent_contracts.questions.mcp_states import McpState
from agent_contracts.questions.model_tests import ModelTrial, ModelTried
from agent_contracts.questions.takeover import (
    Answer,
    TakeoverAct,
    TakeoverFinish,
    TakeoverLook,
    TakeoverRelease,
)
from agent_contracts.questions.user_questions import (
    CheckDefinition,
    FetchedPicture,
    FetchPicture,
    ReadDatabase,
    TryDelegate,
)
from agent_platform.services.consuming.dead_letter import LetterPage, StoredLetter
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import FunctionOutput, Query, Tell
from gateway.queries.database import ProjectionSnapshot


@dataclass
class Engine:
    """Answers as a session engine would: from `answers`, by the question's name; a failure is raised."""

    answers: dict[str, Json | Failure] = field(default_factory=dict)
    asked: list[Query] = field(default_factory=list)

    async def ask(self, name: str, query: Query) -> Json:
        """See the port. `Transient` for what it has no answer to, as when no engine is running."""
        self.asked.append(query)
        answer = self.answers.get(name)
        if answer is None:
            raise Transient(f"nobody answers {name}")
        if isinstance(answer, Failure):
            raise answer
        return answer


@dataclass
class Runner:
    """Stores definitions as they are given, and returns what it was called with, unless it has a refusal."""

    refusal: Failure | None = None
    calls: dict[CallId, FunctionCall] = field(default_factory=dict)
    exact_from: int = 0

    async def call(
        self, called: FunctionCall, request: IdempotentRequest, tell: Tell | None = None
    ) -> FunctionOutput:
        """See the port. A call of the same id is answered, not made again."""
        first = self.calls.setdefault(called.call_id, called)
        if request.key is not None:
            request.check_same(first.request)
        self._may_refuse()
        return FunctionOutput(first.arguments, None)

    async def try_out(self, called: FunctionCall, request: IdempotentRequest) -> ToolAnswer:
        """See the port. Returns what it was called with."""
        answer = await self.call(called, request)
        return ToolAnswer(answer.result, logs=("it ran",), ms=1)

    async def check(self, asked: CheckDefinition) -> Json:
        """See the port."""
        self._may_refuse()
        return asked.definition

    async def read(self, asked: ReadDatabase) -> Json:
        """See the port. A database without tables, which is exact from `exact_from` on."""
        self._may_refuse()
        if asked.exact:
            return {"exact_from": max(asked.at or 0, self.exact_from)}
        return {"bytes": 4096, "limit": 100_000_000} if asked.size else {"tables": []}

    async def picture(self, asked: FetchPicture) -> FetchedPicture:
        """See the port. Nothing can be reached."""
        raise Rejected(f"{asked.url} can't be reached", kind="invalid_request", path="/url")

    async def try_delegate(self, asked: TryDelegate) -> str:
        """See the port. Every delegate is ready."""
        self._may_refuse()
        return f"{asked.name} is ready"

    def _may_refuse(self) -> None:
        if self.refusal is not None:
            raise self.refusal


class NoDatabase:
    """A `Database` that can't be reached."""

    def snapshot(self) -> contextlib.AbstractAsyncContextManager[ProjectionSnapshot]:
        """See the port."""
        raise Transient("Postgres can't be reached")


class Kept:
    """`SecretValueStore` in memory."""

    def __init__(self) -> None:
        self.values: dict[tuple[AgentId, str], str] = {}
        self._revision = 0

    async def put(self, agent_id: AgentId, name: str, value: str) -> int:
        """See the port."""
        self.values[agent_id, name] = value
        self._revision += 1
        return self._revision

    async def get(self, agent_id: AgentId, name: str) -> str:
        """See the port."""
        if (agent_id, name) not in self.values:
            raise Rejected(f"the secret {name} has no value (any more)", kind="not_found")
        return self.values[agent_id, name]

    def sealed(self, agent_id: AgentId, name: str, value: str) -> bytes:
        """See the port."""
        return f"sealed {agent_id}/{name}: {len(value)}".encode()

    async def delete(self, agent_id: AgentId, name: str) -> None:
        """See the port."""
        self.values.pop((agent_id, name), None)

    async def names(self, agent_id: AgentId, begin: str) -> Sequence[str]:
        """See the port."""
        kept = [name for of, name in self.values if of == agent_id]
        return sorted(name for name in kept if f"{name}.".startswith(f"{begin}."))


class Models:
    """`ModelTesting` that answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answer = ModelTried("openai/x", said="ok", ms=5)
        self.asked: list[ModelTrial] = []

    async def test(self, asked: ModelTrial) -> ModelTried:
        """See the port."""
        self.asked.append(asked)
        return self.answer


class Box:
    """`DeadLetterSource` in memory."""

    def __init__(self) -> None:
        self.letters: dict[int, StoredLetter] = {}

    async def all(self) -> list[StoredLetter]:
        """See the port."""
        return list(self.letters.values())

    async def page(self, before: int | None, limit: int) -> LetterPage:
        """See the port."""
        numbers = [one for one in sorted(self.letters, reverse=True) if before is None or one < before]
        shown = numbers[:limit]
        more = shown[-1] if len(numbers) > limit else None
        return LetterPage([self.letters[one] for one in shown], len(self.letters), more)

    async def find(self, number: int) -> StoredLetter | None:
        """See the port."""
        return self.letters.get(number)

    async def discard(self, number: int) -> None:
        """See the port."""
        del self.letters[number]


class Crew:
    """`WorkerReports` in memory."""

    def __init__(self) -> None:
        self.told: list[WorkerStatus] = []
        self.answering: dict[str, int] = {}

    async def services(self) -> Mapping[str, int]:
        """See the port."""
        return self.answering

    async def workers(self) -> list[WorkerStatus]:
        """See the port."""
        return self.told

    async def queues(self) -> list[Queue]:
        """See the port."""
        return []


class Told:
    """A notifier that keeps what it is told, and answers a test as it is set to."""

    def __init__(self) -> None:
        self.tested: list[str] = []
        self.eyes: list[tuple[SessionId, bool]] = []
        self.outcome = TestOutcome(True)

    async def test(self, name: str) -> TestOutcome:
        """See the port."""
        self.tested.append(name)
        return self.outcome

    async def looking(self, session_id: SessionId, visible: bool) -> None:
        """See the port."""
        self.eyes.append((session_id, visible))


class Pool:
    """`BrowserHolders` that answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[TakeoverLook | TakeoverAct | TakeoverFinish | TakeoverRelease] = []

    async def ask(
        self, session_id: SessionId, call_id: CallId, what: TakeoverLook | TakeoverAct | TakeoverFinish
    ) -> Answer:
        """See the port."""
        self.asked.append(what)
        return self.answers.pop(0)

    async def tell(self, session_id: SessionId, call_id: CallId, what: TakeoverRelease) -> None:
        """See the port."""
        self.asked.append(what)


class Hosts:
    """`McpHosts` that connect with whatever they are told to: `as_is` by the server's name; `step` is how
    far each login is. They fall silent at the next `silent` calls."""

    def __init__(self) -> None:
        self.as_is: dict[str, McpState] = {}
        self.tested: list[str] = []
        self.asked: list[LoginQuestion] = []
        self.step = LoginStep()
        self.calls: list[CodeCall] = []
        self.answers: dict[str, ToolAnswer] = {}
        self.silent = 0
        self.stopped: list[StopCodeCall] = []

    async def states(self, agent_id: AgentId) -> Mapping[str, McpState]:
        """See the port."""
        return self.as_is

    async def test(self, agent_id: AgentId, server: str) -> McpState:
        """See the port."""
        self.tested.append(server)
        return self.as_is.get(server, McpState("error", "2026-01-01T00:00:00Z", "nobody there"))

    async def call(self, asked: CodeCall) -> ToolAnswer:
        """See the port: as told, by the server's name; what an app asks, by the tool's."""
        self.calls.append(asked)
        if self.silent:
            self.silent -= 1
            raise Transient("it fell silent", kind="timeout")
        return self.answers[asked.tool if asked.of_app else str(asked.arguments["server"])]

    async def stop(self, told: StopCodeCall) -> None:
        """See the port."""
        self.stopped.append(told)

    async def log_in(self, question: LoginQuestion) -> LoginStep:
        """See the port."""
        self.asked.append(question)
        return self.step
