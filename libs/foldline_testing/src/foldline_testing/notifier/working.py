"""For tests: a notifier in memory, whose clock stands still until it is told, over a log in memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import SecretStr

from agent_contracts.channels.registry import CHANNEL_KINDS
from agent_contracts.channels.webhook import Webhook
from agent_contracts.entities.notifications import KINDS, Channel, NoticeKind
from agent_domain.notifications.book import NotificationBook
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.notifier.chat import Chat
from notifier.desk.channels import Channels
from notifier.desk.kept_desk import KeptDesk
from notifier.desk.notices import NoticeMessage
from notifier.handlers import LogFollower
from notifier.notices.presence import PagePresence
from notifier.notices.session_notices import SUBJECTS, SessionNotices
from notifier.sending.dispatcher import NoticeDispatcher
from notifier.settings import NotifierSettings
from session_domain.sessions import FoldedSessions

NOON = datetime(2026, 1, 31, 12, 35, tzinfo=UTC)
BUCKET = "notifications"
_SETTLES_S = 0.02
_LOOKS_WITHIN_S = 60


class StandingClock(SystemClock):
    """A clock that is set by hand."""

    def __init__(self, now: datetime = NOON) -> None:
        self.time = now

    def now(self) -> datetime:
        """The time that it was set to."""
        return self.time

    def later(self, seconds: float) -> None:
        """Time passes."""
        self.time += timedelta(seconds=seconds)


class Outbox:
    """A sender that keeps what it is given. `failures` are raised first, one after another."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, NoticeMessage]] = []
        self.failures: dict[str, list[Exception]] = {}
        self.hanging: set[str] = set()

    async def send(self, channel: Channel, message: NoticeMessage) -> None:
        """See `Sender`."""
        if channel.name in self.hanging:
            await asyncio.Event().wait()
        if self.failures.get(channel.name):
            raise self.failures[channel.name].pop(0)
        self.sent.append((channel.name, message))

    @property
    def titles(self) -> list[str]:
        """What was sent, by title."""
        return [message.title for _, message in self.sent]


class World:
    """Everything that outlives a notifier, and the notifier of now."""

    def __init__(self, limit: int = 5) -> None:
        self.log = MemoryLog()
        self.bucket = Bucket(MemoryLog(), BUCKET)
        self.book = NotificationBook(
            self.bucket, SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
        )
        self.clock = StandingClock()
        self.outbox = Outbox()
        self.presence = PagePresence()
        self.limit = limit
        self.kept = KeptDesk(self.bucket)

    async def has_channel(self, name: str = "phone", kinds: tuple[NoticeKind, ...] = KINDS) -> None:
        """The person has a channel."""
        await self.book.put(
            Channel(name, Webhook(url="https://example.org/hook", secret="whsec_AAAA"), kinds)
        )

    async def chat(self, session_id: str, title: str, *, imported: bool = False, **created: Any) -> Chat:
        """A session begins."""
        return await Chat(self.log, self.clock, session_id, imported=imported).begins(title, **created)

    @asynccontextmanager
    async def works(self) -> AsyncIterator[None]:
        """A notifier works, until the block ends."""
        self.kept = KeptDesk(self.bucket)
        noticing = SessionNotices(self.log, FoldedSessions(self.log))
        told = NotifierSettings(notifications_limit=self.limit)
        entities = Entities(self.log, SystemClock(), "/notifier")
        channels = Channels(self.book, EffectiveSettings(entities, told), trusted_s=0)
        dispatching = NoticeDispatcher(
            self.kept,
            self.book,
            channels,
            noticing,
            dict.fromkeys(CHANNEL_KINDS, self.outbox),
            self.clock,
        )
        following = LogFollower(self.log, noticing, self.presence, channels, self.kept, self.clock)
        await dispatching.note_cut_off(await self.kept.take(await self.log.last_sequence()))
        tasks = [asyncio.create_task(dispatching.run()), asyncio.create_task(following.run())]
        self.dispatching, self.following = dispatching, following
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            for one in done:
                if isinstance(one, Exception):
                    raise one

    async def settles(self) -> None:
        """Everything that can be done now is done."""
        told = await self.log.last_of_each(*SUBJECTS)
        newest = max((one.sequence for one in told), default=0)
        async with asyncio.timeout(_LOOKS_WITHIN_S):
            while self.following.seen < newest:  # noqa: ASYNC110 — it tells nobody
                await asyncio.sleep(_SETTLES_S)
        for _ in range(10):
            self.kept.changed.set()
            await asyncio.sleep(_SETTLES_S)  # sleeps: quiet
