"""For tests: what people can do, over a log in memory, without a server and without HTTP."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from pydantic import SecretStr

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.ids import SessionId
from agent_contracts.log import subjects
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.log.subjects import (
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    CHATS_BUCKET,
    LOGINS_BUCKET,
    NOTIFICATIONS_BUCKET,
    PROGRAM_TOKENS_BUCKET,
    QUOTAS_BUCKET,
    SITE_LOGINS_BUCKET,
    WAKE_CREDENTIALS_BUCKET,
)
from agent_contracts.questions.queries import SESSION_STATE
from agent_contracts.session_events.decisions import Rewound
from agent_contracts.session_events.results import Result
from agent_contracts.session_events.union import SessionEvent
from agent_domain.budgets.budgets import Budgets
from agent_domain.catalog import Catalog
from agent_domain.chats.book import ChatBook
from agent_domain.notifications.book import NotificationBook
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.site_logins.site_logins import SiteLogins
from agent_domain.tokens.programs import ProgramTokenRegister
from agent_domain.wakes.credentials import CredentialsRegister
from agent_platform.log.bucket import Bucket
from agent_platform.log.event_message import event_message
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.memory_room import memory_room
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.gateway.other_services import (
    Box,
    Crew,
    Engine,
    Hosts,
    Kept,
    Models,
    NoDatabase,
    Pool,
    Runner,
    Told,
)
from foldline_testing.gateway.rewinding_engine import RewindingEngine
from foldline_testing.gateway.tables import used
from gateway.live.feed import Feed
from gateway.live.session_rows import SessionRows
from gateway.live.subscription import LagLimits
from gateway.operations.agents.catalogue_tools import CatalogueTools
from gateway.operations.logins import LoginRegister
from gateway.operations.operations import OperationPorts, Operations, operations
from gateway.settings import GatewaySettings

LIMITS = {
    "token_limit": 1_000,
    "child_timeout": 60.0,
    "child_depth": 2,
    "child_count": 3,
    "retry_delays": "30",
    "timezone": "UTC",
}


class InMemory:
    """Everything that people can do, and what other services would write."""

    def __init__(self, log_limit: int = 0, kept_limit: int = 0, **settings: Any) -> None:
        self.log = MemoryLog()
        self.blobs = MemoryBlobs()
        self.engine = Engine()
        self.runner = Runner()
        self.secrets = Kept()
        self.box = Box()
        self.crew = Crew()
        self.budgets = Budgets(Bucket(MemoryLog(), BUDGETS_BUCKET), SystemClock())
        self.quota = DailyQuota(Bucket(MemoryLog(), QUOTAS_BUCKET), SystemClock(), log_limit)
        self.room = memory_room(self.log, kept_limit)
        self.catalog = Catalog(Bucket(MemoryLog(), CATALOG_BUCKET))
        key = SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
        self.notifications = NotificationBook(Bucket(MemoryLog(), NOTIFICATIONS_BUCKET), key)
        self.notifier = Told()
        self.site_logins = SiteLogins(Bucket(MemoryLog(), SITE_LOGINS_BUCKET), key, SystemClock())
        self.pool = Pool()
        self.hosts = Hosts()
        self.models = Models()
        self.feed = Feed(self.log, LagLimits(), SessionRows(self.log, NoDatabase()))
        self.wakes = MemoryLog()
        self.operations: Operations = operations(
            OperationPorts(
                log=self.log,
                clock=SystemClock(),
                database=NoDatabase(),
                questions=self.engine,
                runners=self.runner,
                blobs=self.blobs,
                values=self.secrets,
                quota=self.quota,
                room=self.room,
                budgets=self.budgets,
                log_is_whole=self._is_whole,
                letters=self.box,
                wakes=self.wakes,
                workforce=self.crew,
                logins=LoginRegister(Bucket(MemoryLog(), LOGINS_BUCKET), SystemClock(), None),
                wake_credentials=CredentialsRegister(Bucket(MemoryLog(), WAKE_CREDENTIALS_BUCKET)),
                program_tokens=ProgramTokenRegister(Bucket(MemoryLog(), PROGRAM_TOKENS_BUCKET)),
                chats=ChatBook(Bucket(MemoryLog(), CHATS_BUCKET), SystemClock()),
                built_in=CatalogueTools(self.catalog),
                notifications=self.notifications,
                notifier=self.notifier,
                site_logins=self.site_logins,
                browsers=self.pool,
                mcp_hosts=self.hosts,
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

    async def decided(self, session_id: str, event: SessionEvent) -> int:
        """Write what the engine would write; the sequence."""
        return await self._append(session_id, event)

    async def resulted(self, session_id: str, event: Result) -> int:
        """Write what a runner would write; the sequence."""
        return await self._append(session_id, event)

    async def _append(self, session_id: str, event: SessionEvent) -> int:
        subject = subject_of(event, SessionKey(DEFAULT_AGENT, SessionId(session_id)))
        message, _ = event_message(event, subject, origin_of(event), SystemClock())
        return await self.log.append(message)

    async def everything(self) -> bytes:
        """All that the log holds, to look for what it must not hold."""
        return b"\n".join([message.data async for message in self.log.read(">")])

    @contextlib.asynccontextmanager
    async def deciding(self) -> AsyncIterator[None]:
        """For as long as the block runs, an engine that goes back when it is asked to."""
        engine = RewindingEngine(self.log, self.runner, self._decided)
        async with _meanwhile(engine.run()):
            yield

    @contextlib.asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """For as long as the block runs, the live feed follows the log."""
        async with _meanwhile(self.feed.run()):
            await self.feed.following.wait()
            yield

    async def _decided(self, session: SessionKey, event: Rewound) -> int:
        return await self.decided(session.session_id, event)


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
        "thinking": None,
        "parent_id": None,
        "depth": 0,
        "token_limit": 5,
        "usage": used(0, 0),
        "error": None,
        "open_calls": [],
        "queue": [],
        "messages": [],
        "children": [],
        "forked_from": None,
        "last_sequence": at,
        "failed_turn": None,
        "least_token_limit": 1,
        "rest_sequence": at,
        "events": 1,
        "model_calls": 0,
    }
