"""Engine, model caller and tool runner in this process, each with its own connection and rights."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic import SecretStr

from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import (
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    QUOTAS_BUCKET,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    WORKERS_BUCKET,
)
from agent_domain.budgets.budgets import Budgets
from agent_domain.catalog import Catalog
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.result_offers import NatsOffers
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import running_service
from agent_tools.hosting.host import run_host
from agent_tools.registry import Registry
from model_caller.answers.recording import SOURCE, Recorder
from model_caller.answers.thinking_kept import ThinkingTexts
from model_caller.answers.workforce import HeardWorkers
from model_caller.app import following
from model_caller.calls.cancelling import Cancellations
from model_caller.calls.cool_downs import CoolDowns
from model_caller.calls.fallback import Fallback
from model_caller.calls.model_asker import ModelAsker
from model_caller.calls.overflows import Overflows
from model_caller.calls.preparation import Preparation
from model_caller.calls.server_prober import ServerProber
from model_caller.calls.whole_texts import WholeTexts
from model_caller.calls.windows import Windows
from model_caller.handlers import ModelCaller
from model_caller.limits import ModelCallLimits
from model_caller.offering.made_things import MadeByAgents
from model_caller.offering.offered_tools import WatchedTools
from model_caller.offering.profile import Profiles
from model_caller.offering.workspace_shown import WorkspacesShown
from model_caller.providers.port import Provider
from model_caller.providers.sight import HttpSight
from model_caller.service import DECLARATION as MODEL_CALLER
from model_caller.service import MODEL_CALLS
from model_caller.settings import ModelCallerSettings
from session_domain.model_requests.contexts import ModelContexts
from session_domain.model_requests.pictures import PictureReader
from session_domain.model_requests.shown_before import ShownBefore
from session_domain.sessions import FoldedSessions
from session_domain.snapshots import KeptSnapshots
from session_engine.app import serve as serve_engine
from session_engine.settings import EngineSettings
from tool_runner.app import tool_host
from tool_runner.service import DECLARATION as RUNNER
from tool_runner.settings import RunnerSettings

_OWN_SERVER = "http://127.0.0.1:9/v1"
"""A model on somebody's own server, for which no list has a price. Nobody is asked there."""


@asynccontextmanager
async def parts(
    url: str, passwords: dict[str, str], provider: Provider, registry: Registry
) -> AsyncIterator[None]:
    """All three at work, with `provider` for a model and the registry's tools; a part that fails ends it."""

    def where(user: str) -> dict[str, Any]:
        return {"nats_url": url, "nats_credentials": SecretStr(f"{user}:{passwords[user]}")}

    runner = RunnerSettings(**where("runner"))
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(serve_engine(EngineSettings(**where("engine")))),
            group.create_task(run_host(RUNNER, runner, tool_host(runner, registry))),
            group.create_task(
                _serve_model_caller(
                    ModelCallerSettings(
                        **where("model"), timezone="UTC", model="local", model_base_url=_OWN_SERVER
                    ),
                    provider,
                )
            ),
        ]
        yield
        for task in tasks:
            task.cancel()


async def _serve_model_caller(settings: ModelCallerSettings, provider: Provider) -> None:
    """As `model_caller.app`, but for the provider."""
    async with running_service(MODEL_CALLER, settings) as service:
        connection = service.connection
        clock = SystemClock()
        quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
        budgets = Budgets(bucket(connection, BUDGETS_BUCKET), clock)
        events = CountedLog(JetStreamLog(connection), quota)
        tools = WatchedTools(Catalog(bucket(connection, CATALOG_BUCKET)))
        entities = Entities(events, clock, SOURCE)
        effective = EffectiveSettings(entities, settings)
        shown = WorkspacesShown(entities, Workspaces(events))
        profiles = Profiles(entities, MadeByAgents(entities), tools, effective, shown)
        blobs = JetStreamBlobs(connection)
        contexts = ModelContexts(blobs)
        before = ShownBefore(events)
        snapshots = KeptSnapshots(bucket(connection, SNAPSHOTS_BUCKET), events)
        sessions = FoldedSessions(events, snapshots, heard=before.heard)
        preparation = Preparation(
            sessions, profiles, contexts, before, PictureReader(blobs), Windows(provider)
        )
        asking = ModelAsker(provider, connection, ModelCallLimits())
        schedule = JetStreamLog(connection, stream=TIMER_STREAM)
        probing = ServerProber(schedule, connection, HttpSight(), clock, interval_s=15)
        offers = NatsOffers(
            connection, ResultSource.MODEL, "model.offering", quota, committed=following(sessions)
        )
        recorder = Recorder(events, clock, offers)
        workforce = HeardWorkers(bucket(connection, WORKERS_BUCKET), clock)
        caller = ModelCaller(
            events,
            preparation,
            asking,
            recorder,
            Cancellations(),
            probing,
            quota,
            budgets,
            workforce,
            Overflows(WholeTexts(Files(entities, blobs), Workspaces(events), blobs)),
            Fallback(CoolDowns()),
            ThinkingTexts(blobs),
            clock,
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(budgets.run())
            group.create_task(tools.run())
            group.create_task(JetStreamConsumer(service, MODEL_CALLS, caller.handle, caller.given_up).run())
