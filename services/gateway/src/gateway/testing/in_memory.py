"""For tests: what people can do, over a log in memory, without a server and without HTTP."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr

from agent_contracts import subjects
from agent_contracts.agent_texts import DEFAULT_AGENT
from agent_contracts.codec import type_of
from agent_contracts.errors import Failure, Rejected, Transient
from agent_contracts.function_calls import FunctionCall
from agent_contracts.hand_over import Act, Answer, Finish, Look, Release
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.model_tests import ModelTrial, ModelTried
from agent_contracts.notifications import TestOutcome
from agent_contracts.queries import SESSION_STATE
from agent_contracts.session_events.base import Event
from agent_contracts.session_events.decisions import RolledBack
from agent_contracts.session_events.inputs import RollbackAsked
from agent_contracts.session_events.results import Result
from agent_contracts.session_key import SessionKey
from agent_contracts.subjects import (
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    LOGINS_BUCKET,
    NOTIFICATIONS_BUCKET,
    QUOTAS_BUCKET,
    SITE_LOGINS_BUCKET,
    WAKE_CREDENTIALS_BUCKET,
)
from agent_contracts.tool_spec import RunsOn
from agent_contracts.user_questions import (
    CheckDefinition,
    FetchedPicture,
    FetchPicture,
    ReadDatabase,
    ToolAnswer,
)
from agent_contracts.workers import Worker
from agent_domain.budgets.budgets import Budgets
from agent_domain.catalog import Catalog
from agent_domain.notifications.book import NotificationBook
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.site_logins.kept import SiteLogins
from agent_domain.wakes.credentials import CredentialsRegister
from agent_platform.log.bucket import Bucket
from agent_platform.log.decoding import decode
from agent_platform.log.event_message import event_message
from agent_platform.log.port import StoredMessage
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.dead_letter import LetterPage, StoredLetter
from agent_platform.testing.memory_blobs import MemoryBlobs
from agent_platform.testing.memory_log import MemoryLog
from agent_platform.testing.origins import origin_of
from gateway.live.feed import Feed
from gateway.live.subscription import Limits
from gateway.operations.agents.catalogued import CataloguedTools
from gateway.operations.asked import Asked
from gateway.operations.levers.ports import Queue
from gateway.operations.logins import LoginRegister
from gateway.operations.operations import Operations, Outside, operations
from gateway.operations.ports import Called, Query
from gateway.queries.database import Snapshot
from gateway.settings import GatewaySettings

LIMITS = {
    "token_limit": 1_000,
    "child_timeout": 60.0,
    "child_depth": 2,
    "child_count": 3,
    "retry_delays": "30",
    "timezone": "UTC",
}


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

    async def call(self, called: FunctionCall, request: Asked) -> Called:
        """See the port. A call of the same id is answered, not made again."""
        first = self.calls.setdefault(called.call_id, called)
        if request.key is not None:
            request.check_same(first.request)
        self._may_refuse()
        return Called(first.arguments, None)

    async def try_out(self, called: FunctionCall, request: Asked) -> ToolAnswer:
        """See the port. Returns what it was called with."""
        answer = await self.call(called, request)
        return ToolAnswer(answer.result, logs=("it ran",), ms=1)

    async def check(self, asked: CheckDefinition) -> Json:
        """See the port."""
        self._may_refuse()
        return asked.definition

    async def read(self, asked: ReadDatabase) -> Json:
        """See the port. A database without tables."""
        self._may_refuse()
        return {"bytes": 4096, "limit": 100_000_000} if asked.size else {"tables": []}

    async def picture(self, asked: FetchPicture) -> FetchedPicture:
        """See the port. Nothing can be reached."""
        raise Rejected(f"{asked.url} can't be reached", kind="invalid_request", path="/url")

    def _may_refuse(self) -> None:
        if self.refusal is not None:
            raise self.refusal


class NoDatabase:
    """A `Database` that can't be reached."""

    def snapshot(self) -> contextlib.AbstractAsyncContextManager[Snapshot]:
        """See the port."""
        raise Transient("Postgres can't be reached")


class Kept:
    """`Values` in memory."""

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
    """`Letters` in memory."""

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
    """`Workforce` in memory."""

    def __init__(self) -> None:
        self.told: list[Worker] = []

    async def workers(self) -> list[Worker]:
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
        self.asked: list[Look | Act | Finish | Release] = []

    async def ask(self, session_id: SessionId, call_id: CallId, what: Look | Act | Finish) -> Answer:
        """See the port."""
        self.asked.append(what)
        return self.answers.pop(0)

    async def tell(self, session_id: SessionId, call_id: CallId, what: Release) -> None:
        """See the port."""
        self.asked.append(what)


class InMemory:
    """Everything that people can do, and what other services would write."""

    def __init__(self, log_limit: int = 0, **settings: Any) -> None:
        self.log = MemoryLog()
        self.blobs = MemoryBlobs()
        self.engine = Engine()
        self.runner = Runner()
        self.secrets = Kept()
        self.box = Box()
        self.crew = Crew()
        self.budgets = Budgets(Bucket(MemoryLog(), BUDGETS_BUCKET), SystemClock())
        self.quota = DailyQuota(Bucket(MemoryLog(), QUOTAS_BUCKET), SystemClock(), log_limit)
        self.catalog = Catalog(Bucket(MemoryLog(), CATALOG_BUCKET))
        key = SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
        self.notifications = NotificationBook(Bucket(MemoryLog(), NOTIFICATIONS_BUCKET), key)
        self.notifier = Told()
        self.site_logins = SiteLogins(Bucket(MemoryLog(), SITE_LOGINS_BUCKET), key, SystemClock())
        self.pool = Pool()
        self.models = Models()
        self.feed = Feed(self.log, Limits())
        self.wakes = MemoryLog()
        self.operations: Operations = operations(
            Outside(
                log=self.log,
                clock=SystemClock(),
                database=NoDatabase(),
                questions=self.engine,
                runners=self.runner,
                blobs=self.blobs,
                values=self.secrets,
                quota=self.quota,
                budgets=self.budgets,
                log_is_whole=self._is_whole,
                letters=self.box,
                wakes=self.wakes,
                workforce=self.crew,
                logins=LoginRegister(Bucket(MemoryLog(), LOGINS_BUCKET), SystemClock(), None),
                wake_credentials=CredentialsRegister(Bucket(MemoryLog(), WAKE_CREDENTIALS_BUCKET)),
                built_in=CataloguedTools(self.catalog),
                notifications=self.notifications,
                notifier=self.notifier,
                site_logins=self.site_logins,
                browsers=self.pool,
                models=self.models,
                settings=GatewaySettings(**{**LIMITS, **settings}),
            ),
            projection_wait_s=0.0,
            feed=self.feed,
        )

    async def _is_whole(self) -> None:
        """A log in memory loses nothing."""

    async def stored(self, session_id: str) -> list[StoredMessage]:
        """Everything of a session in the log."""
        everything = subjects.any_agents_session_filter(SessionId(session_id))
        return [message async for message in self.log.read(everything)]

    async def kinds(self, session_id: str) -> list[str]:
        """The kinds of a session's events, in order."""
        return [decode(one).envelope.type.split(".")[2] for one in await self.stored(session_id)]

    async def decided(
        self, session_id: str, event: Event, call: tuple[RunsOn | None, CallId] | None = None
    ) -> int:
        """Write what the engine would write; the sequence."""
        key = SessionKey(DEFAULT_AGENT, SessionId(session_id))
        return await self._append(session_id, key.decision(type_of(event), call), event)

    async def resulted(self, session_id: str, event: Result) -> int:
        """Write what a runner would write; the sequence."""
        key = SessionKey(DEFAULT_AGENT, SessionId(session_id))
        return await self._append(session_id, key.result(event.call_id), event)

    async def _append(self, session_id: str, subject: str, event: Event) -> int:
        message, _ = event_message(event, subject, origin_of(event), SystemClock())
        return await self.log.append(message)

    async def everything(self) -> bytes:
        """All that the log holds, to look for what it must not hold."""
        return b"\n".join([message.data async for message in self.log.read(">")])

    @contextlib.asynccontextmanager
    async def deciding(self) -> AsyncIterator[None]:
        """For as long as the block runs, an engine that goes back when it is asked to."""
        async with _meanwhile(self._go_back()):
            yield

    @contextlib.asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """For as long as the block runs, the live feed follows the log."""
        async with _meanwhile(self.feed.run()):
            await self.feed.following.wait()
            yield

    async def _go_back(self) -> None:
        async for message in self.log.tail(("ses.>",), after=await self.log.last_sequence()):
            event = decode(message).event
            if isinstance(event, RollbackAsked):
                session_id = subjects.parse_session_subject(message.subject).key.session_id
                decided = RolledBack(to=event.to, conversation="conversation" in event.parts)
                await self.decided(session_id, decided)


@contextlib.asynccontextmanager
async def _meanwhile(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def at_rest(memory: InMemory, session_id: SessionId, at: int) -> None:
    """Every event up to this one is a point of rest, as the engine tells it."""
    memory.engine.answers[SESSION_STATE] = {
        "session_id": session_id,
        "agent_id": DEFAULT_AGENT,
        "status": "idle",
        "title": None,
        "model": None,
        "parent_id": None,
        "depth": 0,
        "token_limit": 5,
        "usage": {"input": 0, "output": 0},
        "error": None,
        "open_calls": [],
        "queue": [],
        "messages": [],
        "children": [],
        "forked_from": None,
        "last_sequence": at,
        "failed_turn": None,
        "least_token_limit": 1,
        "rest_at": at,
        "events": 1,
        "model_calls": 0,
    }
