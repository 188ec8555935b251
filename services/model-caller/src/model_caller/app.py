"""The model caller as a service."""

import asyncio
import os
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.record.records import StoredMessage, split
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    WORKERS_BUCKET,
    parse_cancellation,
    query_subject,
)
from agent_contracts.questions.embedding import EMBED
from agent_contracts.questions.generation import GENERATE
from agent_contracts.questions.model_tests import TEST_MODEL
from agent_domain.budgets.budgets import Budgets
from agent_domain.catalog import Catalog
from agent_domain.erasing.progress import blobs_of, on_erased
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.secrets.key import SecretsKey
from agent_domain.secrets.vault import Vault, secrets_known
from agent_platform.entities.entities import Entities
from agent_platform.log.blobs.counted_blobs import CountedBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import stored_room
from agent_platform.log.result_offers import NatsOffers
from agent_platform.nats.long_answers import QuestionServer
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import running_service
from model_caller.answers.recording import SOURCE, Recorder
from model_caller.answers.thinking_kept import ThinkingTexts
from model_caller.answers.workforce import HeardWorkers
from model_caller.calls.adaptation_memory import AdaptationMemory
from model_caller.calls.calls_in_hand import CallsInHand
from model_caller.calls.cancelling import Cancellations
from model_caller.calls.cool_downs import CoolDowns
from model_caller.calls.embedding import FAILED as EMBEDDING_FAILED
from model_caller.calls.embedding import STOPPED as EMBEDDING_STOPPED
from model_caller.calls.embedding import EmbeddingAnswerer
from model_caller.calls.fallback import Fallback
from model_caller.calls.generating import FAILED, STOPPED, GenerationAnswerer, NoListeners
from model_caller.calls.model_asker import ModelAsker
from model_caller.calls.model_trials import TEST_FAILED, TEST_STOPPED, ModelTrials
from model_caller.calls.overflows import Overflows
from model_caller.calls.preparation import Preparation
from model_caller.calls.server_prober import ServerProber
from model_caller.calls.whole_texts import WholeTexts
from model_caller.calls.windows import Windows
from model_caller.choosing.model_choice import choice_of, choose_model
from model_caller.choosing.target import ModelTarget, target_for
from model_caller.handlers import ModelCaller
from model_caller.offering.made_things import MadeByAgents
from model_caller.offering.offered_tools import WatchedTools
from model_caller.offering.profile import Profiles
from model_caller.offering.workspace_shown import WorkspacesShown
from model_caller.providers.by_model import ByModel, EmbedderByModel
from model_caller.providers.sight import HttpSight
from model_caller.service import DECLARATION, MODEL_CALLS, PROBES
from model_caller.settings import ModelCallerSettings
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.pictures import PictureReader
from session_domain.model_requests.shown_before import ShownBefore
from session_domain.sessions import FoldedSessions
from session_domain.snapshots import KeptSnapshots

log = structlog.get_logger()


async def serve(settings: ModelCallerSettings) -> None:
    """Ask models what sessions ask for, until cancelled. `Rejected` for settings that can't be used."""
    told, because = await _told(settings)
    provider = ByModel(settings.limits())
    embedder = EmbedderByModel(settings.limits())
    async with running_service(DECLARATION, settings) as service:
        connection = service.connection
        clock = SystemClock()
        quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
        budgets = Budgets(bucket(connection, BUDGETS_BUCKET), clock)
        events = CountedLog(JetStreamLog(connection, metrics=service.metrics), quota)
        tools = WatchedTools(Catalog(bucket(connection, CATALOG_BUCKET)))
        entities = Entities(events, clock, SOURCE)
        remembering = AdaptationMemory(entities, clock)
        vault = Vault(bucket(connection, SECRETS_BUCKET), SecretsKey(settings))
        effective = EffectiveSettings(entities, told, vault)
        shown = WorkspacesShown(entities, Workspaces(events))
        profiles = Profiles(entities, MadeByAgents(entities), tools, effective, shown)
        snapshots = KeptSnapshots(bucket(connection, SNAPSHOTS_BUCKET), events)
        blobs = await blobs_of(connection, DECLARATION.name)
        contexts = ModelContexts(CountedBlobs(blobs, quota))
        before = ShownBefore(events)
        sessions = FoldedSessions(events, snapshots, heard=before.heard)
        cancellations = Cancellations()
        schedule = JetStreamLog(connection, stream=TIMER_STREAM)
        probing = ServerProber(
            schedule, connection, HttpSight(), clock, interval_s=settings.model_probe_interval
        )
        preparation = Preparation(
            sessions, profiles, contexts, before, PictureReader(blobs), Windows(provider)
        )
        room = stored_room(connection, events, clock, settings.agent_kept_limit)
        kept = Entities(CountedLog(JetStreamLog(connection), quota, bounded=True), clock, SOURCE, room)
        fallback = Fallback(CoolDowns())
        in_hand = CallsInHand()
        service.metrics.registry.register(in_hand)
        offers = NatsOffers(
            connection, ResultSource.MODEL, "model.offering", quota, committed=following(sessions)
        )
        caller = ModelCaller(
            events,
            preparation,
            ModelAsker(provider, connection, provider.limits, learned=remembering.learned, in_hand=in_hand),
            Recorder(events, clock, offers),
            cancellations,
            probing,
            quota,
            budgets,
            HeardWorkers(bucket(connection, WORKERS_BUCKET), clock),
            Overflows(WholeTexts(Files(kept, CountedBlobs(blobs, quota)), Workspaces(events), blobs)),
            fallback,
            ThinkingTexts(CountedBlobs(blobs, quota)),
            clock,
        )
        spec = settings.paced(MODEL_CALLS)
        await on_erased(connection, DECLARATION.name, _forgetting(sessions, preparation))
        await connection.subscribe(ALL_CANCELLATIONS, _cancelling(cancellations))
        generating = GenerationAnswerer(
            ModelAsker(
                provider, NoListeners(), provider.limits, learned=remembering.learned, in_hand=in_hand
            ),
            effective,
            blobs,
            cancellations,
            budgets,
            clock,
            remembering,
            fallback,
            parallel=settings.work_parallel,
        )
        answering = QuestionServer(
            connection,
            query_subject(GENERATE),
            DECLARATION.name,
            generating.answer,
            failed=FAILED,
            stopped=STOPPED,
        )
        embedding = QuestionServer(
            connection,
            query_subject(EMBED),
            DECLARATION.name,
            EmbeddingAnswerer(embedder, effective, budgets, clock).answer,
            failed=EMBEDDING_FAILED,
            stopped=EMBEDDING_STOPPED,
        )
        testing = QuestionServer(
            connection,
            query_subject(TEST_MODEL),
            DECLARATION.name,
            ModelTrials(provider, effective, vault, remembering).answer,
            failed=TEST_FAILED,
            stopped=TEST_STOPPED,
        )
        log.info("model_caller.started", model=told.model, because=because)
        try:
            async with secrets_known(vault), asyncio.TaskGroup() as group:
                group.create_task(tools.run())
                group.create_task(budgets.run())
                group.create_task(answering.run())
                group.create_task(embedding.run())
                group.create_task(testing.run())
                group.create_task(
                    _once_warm(
                        provider,
                        target_for(choice_of(told), None),
                        JetStreamConsumer(service, spec, caller.handle, caller.given_up),
                    )
                )
                group.create_task(JetStreamConsumer(service, PROBES, probing.handle, probing.given_up).run())
                group.create_task(MaxDeliveriesListener(service, spec.name, caller.given_up).run())
        finally:
            await provider.close()
            await embedder.close()


async def _told(settings: ModelCallerSettings) -> tuple[ModelCallerSettings, str]:
    """The settings with a model in any case, and why it is this one."""
    choice = await asyncio.to_thread(choose_model, settings, os.environ)
    told = settings.model_copy(update={"model": choice.model, "model_base_url": choice.base_url})
    return told, choice.source


def following(sessions: FoldedSessions) -> Callable[[StoredMessage], None]:
    """What to do with the record that an answer was committed in: the next call goes on from it."""

    def committed(record: StoredMessage) -> None:
        sessions.follow(split(record))

    return committed


async def _once_warm(provider: ByModel, target: ModelTarget, consumer: JetStreamConsumer) -> None:
    """Take calls only once they can be answered: loading takes seconds, in which deliveries would run out."""
    await provider.warm_up(target)
    await consumer.run()


def _forgetting(sessions: FoldedSessions, preparation: Preparation) -> Callable[[str], Awaitable[None]]:
    """What to do when a session was erased: nothing of it stays."""

    async def erased(name: str) -> None:
        session_id = SessionId(name)
        sessions.forget(session_id)
        preparation.forget(session_id)

    return erased


def _cancelling(cancellations: Cancellations) -> Callable[[Msg], Awaitable[None]]:
    """What to do when the engine tells that nobody waits any more."""

    async def cancelled(message: Msg) -> None:
        try:
            session_id, call_id = parse_cancellation(message.subject, message.data)
        except Rejected as error:
            log.warning("cancellation.unreadable", subject=message.subject, reason=str(error))
            return
        cancellations.cancel(session_id, call_id)

    return cancelled
