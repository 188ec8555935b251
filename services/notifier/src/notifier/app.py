"""The notifier as a service."""

import asyncio
import os

import msgspec
import structlog

from agent_contracts.entities.notifications import TEST_CHANNEL, TestChannel, TestOutcome
from agent_contracts.errors import Transient
from agent_contracts.log.subjects import ALL_LOOKING, NOTIFICATIONS_BUCKET, SNAPSHOTS_BUCKET, query_subject
from agent_domain.notifications.book import NotificationBook
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.secrets.key import SecretsKey
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.long_answers import QuestionServer
from agent_platform.process.clock import SystemClock
from agent_platform.process.interruption import Interruption
from agent_platform.services.service import ServiceRuntime, running_service
from egress.dialing import SystemResolver
from egress.guard import Egress
from egress.proxies.proxies import proxies_from
from egress.rules import rules_from
from notifier.desk.channels import Channels
from notifier.desk.desk import PendingDelivery
from notifier.desk.kept_desk import KeptDesk
from notifier.handlers import LogFollower
from notifier.notices.presence import PagePresence
from notifier.notices.session_notices import SessionNotices
from notifier.sending.dispatcher import NoticeDispatcher
from notifier.sending.port import SenderParts, senders
from notifier.service import DECLARATION
from notifier.settings import NotifierSettings
from session_domain.sessions import FoldedSessions
from session_domain.snapshots import KeptSnapshots

log = structlog.get_logger()

_FAILED = msgspec.json.encode(TestOutcome(False, "the notifier could not try it: its log says why"))
_STOPPED = msgspec.json.encode(TestOutcome(False, "the notifier was stopped meanwhile: try again"))
_RETRY_S = 1.0
_WARM = 50


async def serve(settings: NotifierSettings) -> None:
    """Tell people until cancelled. `Rejected` for settings that can't be."""
    rules, proxies = rules_from(settings), proxies_from(os.environ)
    async with running_service(DECLARATION, settings) as service:
        connection, clock, resolver = service.connection, SystemClock(), SystemResolver()
        egress = Egress(rules, resolver, proxies=proxies)
        events = JetStreamLog(connection)
        notifications = bucket(connection, NOTIFICATIONS_BUCKET)
        book = NotificationBook(notifications, SecretsKey(settings))
        sessions = FoldedSessions(
            events, KeptSnapshots(bucket(connection, SNAPSHOTS_BUCKET), events), warm=_WARM
        )
        noticing, presence = SessionNotices(events, sessions), PagePresence()
        effective = EffectiveSettings(Entities(events, clock, DECLARATION.source), settings)
        channels, kept = Channels(book, effective), KeptDesk(notifications)
        parts = SenderParts(egress, rules, resolver, book, clock)
        dispatching = NoticeDispatcher(kept, book, channels, noticing, senders(parts), clock)
        following = LogFollower(events, noticing, presence, channels, kept, clock)

        async def tested(question: bytes) -> bytes:
            asked = msgspec.json.decode(question, type=TestChannel)
            return msgspec.json.encode(await dispatching.test(asked.name))

        _check(service, following)
        await connection.subscribe(ALL_LOOKING, presence.heard)
        answering = QuestionServer(
            connection,
            query_subject(TEST_CHANNEL),
            DECLARATION.name,
            tested,
            failed=_FAILED,
            stopped=_STOPPED,
        )
        cut_off = await _taken(kept, events)
        await dispatching.note_cut_off(cut_off)
        async with asyncio.TaskGroup() as group:
            group.create_task(answering.run())
            group.create_task(dispatching.run())
            group.create_task(following.keep_checkpoints())
            group.create_task(following.run())


async def _taken(kept: KeptDesk, events: JetStreamLog) -> tuple[PendingDelivery, ...]:
    """The desk, as soon as the log and the bucket answer."""
    interruption = Interruption("desk")
    while True:
        try:
            taken = await kept.take(await events.last_sequence())
            interruption.over()
            return taken
        except Transient as failure:
            interruption.hit(failure.message)
            await asyncio.sleep(_RETRY_S)


def _check(service: ServiceRuntime, following: LogFollower) -> None:
    async def follows() -> None:
        if following.trouble is not None:
            raise Transient(following.trouble)

    service.checks.add_readiness("log", follows)
