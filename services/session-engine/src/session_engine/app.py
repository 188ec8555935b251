"""The engine as a service."""

import asyncio
import secrets
from collections.abc import Mapping

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import (
    CATALOG_BUCKET,
    QUOTAS_BUCKET,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    query_subject,
)
from agent_contracts.questions.queries import SERVER_ANSWERS, QueryAnswer
from agent_domain.catalog import Catalog
from agent_domain.erasing.progress import blobs_of, on_erased
from agent_domain.rewinding.asked_runners import AskedRunners
from agent_domain.rewinding.database import DatabaseLog
from agent_domain.rewinding.rewinds import Rewinds
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import stored_room
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import running_service
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.showing import RecordedModelCalls
from session_domain.sessions import FoldedSessions
from session_domain.snapshots import KeptSnapshots
from session_engine.answering.queries import Queries, Repairs, Responder, responder
from session_engine.catalogue import ENGINE_TOOLS
from session_engine.handlers import Engine
from session_engine.imports.imports import ImportRunner
from session_engine.neighbours.forks import ForkMaker
from session_engine.offers import OfferListener
from session_engine.partitions import Partitions
from session_engine.repairing.redelivery import Redelivery
from session_engine.repairing.session_unsticker import SessionUnsticker
from session_engine.repairing.work_progress import ConsumerWork
from session_engine.retries import Retries
from session_engine.service import DECLARATION, REWINDS, SESSIONS, TIMERS
from session_engine.settings import EngineSettings
from session_engine.timers import SessionTimers

_REPLICAS = "engines"
"""The queue group: each question is answered by one engine."""

log = structlog.get_logger()


async def serve(settings: EngineSettings) -> None:
    """Decide, and answer questions from the fold, until cancelled."""
    async with running_service(DECLARATION, settings) as service:
        connection = service.connection
        quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), SystemClock(), settings.agent_log_limit)
        events = CountedLog(JetStreamLog(connection, metrics=service.metrics), quota)
        kept_limit = settings.agent_kept_limit
        room = stored_room(connection, events, SystemClock(), kept_limit)
        snapshots = KeptSnapshots(bucket(connection, SNAPSHOTS_BUCKET), events)
        sessions = FoldedSessions(events, snapshots)
        schedule = JetStreamLog(connection, stream=TIMER_STREAM)
        timers = SessionTimers(schedule, events, sessions, SystemClock())
        retries = Retries(schedule, SystemClock(), settings.retry_spread)
        entities = Entities(events, SystemClock(), DECLARATION.source)
        database = DatabaseLog(events, SystemClock(), DECLARATION.source, AskedRunners(connection))
        rewinds = Rewinds(events, entities, database)
        engine = Engine(events, sessions, SystemClock(), connection, timers, rewinds)
        blobs = await blobs_of(connection, DECLARATION.name)
        contexts = ModelContexts(blobs)
        queries = Queries(
            events,
            sessions,
            RecordedModelCalls(events, sessions, contexts, blobs),
            ForkMaker(events, sessions, SystemClock(), blobs, room),
            ImportRunner(events, blobs),
            Repairs(
                Redelivery(events, engine.handle, schedule, timers.handle),
                SessionUnsticker(events, sessions, engine, ConsumerWork(connection), SystemClock()),
            ),
        )
        responders = {
            **queries.responders(),
            query_subject(SERVER_ANSWERS): responder(retries.respond),
        }
        await _answer(connection, responders)

        async def forget(name: str) -> None:
            sessions.forget(SessionId(name))

        await on_erased(connection, DECLARATION.name, forget)
        await Catalog(bucket(connection, CATALOG_BUCKET)).put(ENGINE_TOOLS)
        me = secrets.token_hex(6)
        partitions = Partitions(service, me, engine.handle)
        log.info("engine.started", engine=me)
        async with asyncio.TaskGroup() as group:
            group.create_task(partitions.run())
            group.create_task(OfferListener(connection, partitions, engine).run())
            group.create_task(
                JetStreamConsumer(service, SESSIONS, partitions.handle, engine.given_up, engine.preview).run()
            )
            group.create_task(JetStreamConsumer(service, TIMERS, timers.handle, timers.given_up).run())
            group.create_task(JetStreamConsumer(service, REWINDS, rewinds.handle, rewinds.given_up).run())
            group.create_task(timers.watch_clock())
            group.create_task(timers.watch_store(lambda: partitions.owned))
            group.create_task(snapshots.run())
            group.create_task(MaxDeliveriesListener(service, SESSIONS.name, engine.given_up).run())


async def _answer(connection: NatsConnection, responders: Mapping[str, Responder]) -> None:
    answering: set[asyncio.Task[None]] = set()

    for subject, respond in responders.items():

        async def answer(message: Msg, respond: Responder = respond) -> None:
            task = asyncio.create_task(_respond(connection, message, respond))
            answering.add(task)
            task.add_done_callback(answering.discard)

        await connection.subscribe(subject, answer, queue=_REPLICAS)


async def _respond(connection: NatsConnection, message: Msg, respond: Responder) -> None:
    try:
        await connection.publish(message.reply, await respond(message.data))
    except Rejected as too_large:  # as all that was said in a very long session
        told = QueryAnswer(error_kind=too_large.kind, error=f"{too_large.message}. Ask for less of it")
        await connection.publish(message.reply, msgspec.json.encode(told))
