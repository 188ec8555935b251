"""The tool runner as a whole: its tools, its place at the log, and its life from start to stop."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import structlog

from agent_contracts.log.offered import Worker
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    CATALOG_BUCKET,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SNAPSHOTS_BUCKET,
    progress_subject,
    query_subject,
)
from agent_contracts.questions.function_calls import CALL_FUNCTION
from agent_contracts.questions.user_questions import (
    CHECK_DEFINITION,
    FETCH_PICTURE,
    READ_DATABASE,
    TRY_DELEGATE,
)
from agent_contracts.tool_spec import RunsOn
from agent_domain.catalog import Catalog
from agent_domain.erasing.telling import blobs_of, on_erased
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_domain.personal.reading import EffectiveSettings
from agent_domain.secrets.key import SecretsKey
from agent_domain.secrets.vault import Vault, secrets_known
from agent_platform.entities.entities import Entities
from agent_platform.log.blobs.counted import CountedBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.offering import NatsOffers
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import stored_room
from agent_platform.nats.connection import Connection
from agent_platform.nats.long_answers import Answering
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import running_service
from agent_tools.context import CallContext
from agent_tools.registry import Registry
from agent_tools.running.call_log import CallLog
from agent_tools.running.compute import ComputeThread
from agent_tools.running.handlers import ToolCalls
from agent_tools.running.keyed_calls import KeyedCalls
from agent_tools.running.models import NatsModelCallers
from agent_tools.running.platform_ports import platform_ports
from agent_tools.running.runner import ToolRunner
from agent_tools.toolbox import Toolbox
from egress.dialing import SystemResolver
from egress.guard import Egress
from egress.rules import rules_from, tools_proxies
from tool_runner.agent.history import NatsHistory
from tool_runner.agent.other_runners import NatsRunners
from tool_runner.agent.ports import (
    computing_ports,
    entity_ports,
    file_ports,
    history_ports,
    inbox_ports,
    other_ports,
    outside_ports,
    time_ports,
)
from tool_runner.agent.searching.choosing import SearchBySettings, WebSearch, web_search_from
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.agent_db.snapshots import SnapshotRules
from tool_runner.code.own_tools import StoredFunctions, StoredTools
from tool_runner.code.ports import code_ports, set_back_ports
from tool_runner.core import discover
from tool_runner.definitions.built_in import CataloguedTools
from tool_runner.definitions.ports import definition_ports
from tool_runner.documents.documents import Documents
from tool_runner.handlers import cancellations_to
from tool_runner.questions.answers import FAILED, TRY_AGAIN
from tool_runner.questions.function_calls import CUT_SHORT, FunctionCalls
from tool_runner.questions.user_questions import UserQuestions
from tool_runner.sandbox.compiled import FOLDER
from tool_runner.sandbox.limits import MIB
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.sandbox.trial import SandboxTrial
from tool_runner.service import DECLARATION, TOOL_CALLS
from tool_runner.settings import RunnerSettings

log = structlog.get_logger()

SOURCE = DECLARATION.source
"""What this service is called in the events that it writes."""
_RUNNER_DIGITS = 10
"""Of an id, so many at its end tell one runner from another: 50 bits by chance. They stand in each result."""
COPIES = "agent-databases"
"""The folder in the data directory for copies of agents' databases. It may be removed between runs."""
SNAPSHOTS_PART = 4
"""Snapshots of an agent's database may take this part of what the agent may keep."""


async def serve(settings: RunnerSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled.

    Raises `Rejected` for tools or settings that can't be used, `Transient` if no NATS answers.
    """
    registry = discover(selftest=settings.selftest_tools)
    async with (
        running_service(DECLARATION, settings) as service,
        working(service.connection, registry, settings) as (calls, functions, asked, usable, trial),
    ):
        service.checks.add_life("sandbox", trial.works)
        service.checks.add_readiness("sandbox", trial.is_ready)
        await publish_tools(service.connection, usable)
        await service.connection.subscribe(ALL_CANCELLATIONS, cancellations_to(calls))
        await on_erased(service.connection, DECLARATION.name, asked.forget)
        answers = (
            (CALL_FUNCTION, functions.answer, CUT_SHORT),
            (CHECK_DEFINITION, asked.check, TRY_AGAIN),
            (READ_DATABASE, asked.read, TRY_AGAIN),
            (FETCH_PICTURE, asked.picture, TRY_AGAIN),
            (TRY_DELEGATE, asked.try_delegate, TRY_AGAIN),
        )
        answering = [
            Answering(
                service.connection,
                query_subject(name),
                DECLARATION.name,
                answer,
                failed=FAILED,
                stopped=stopped,
            )
            for name, answer, stopped in answers
        ]
        spec = settings.paced(TOOL_CALLS)
        async with asyncio.TaskGroup() as group:
            for one in answering:
                group.create_task(one.run())
            group.create_task(JetStreamConsumer(service, spec, calls.handle, calls.give_up).run())
            group.create_task(MaxDeliveriesListener(service, spec.name, calls.give_up).run())


async def publish_tools(connection: Connection, registry: Registry) -> None:
    """Tell the model callers what there is: one catalogue a pack, with those of its tools as well that other
    runners run."""
    catalog = Catalog(bucket(connection, CATALOG_BUCKET))
    for pack in registry.packs:
        await catalog.put(pack.catalogue())
        log.info("catalogue.published", pack=pack.name, version=pack.version, tools=len(pack.tools))
    gone = await catalog.keep_packs(pack.name for pack in registry.packs)
    if gone:
        log.info("catalogue.removed", packs=gone)


@asynccontextmanager
async def working(
    connection: Connection, registry: Registry, settings: RunnerSettings
) -> AsyncIterator[tuple[ToolCalls, FunctionCalls, UserQuestions, Registry, SandboxTrial]]:
    """The handlers of this process: of sessions' calls, under a name that no other process has or had; of
    pages' calls; of people's questions. And the tools that can be used, and a trial of the sandbox. Below the
    data directory it keeps what agents' databases need.

    Raises BrokenTools where a core tool asks for a port that this runner doesn't provide.
    """
    clock = SystemClock()
    stored = JetStreamLog(connection)
    quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
    events, bounded = CountedLog(stored, quota), CountedLog(stored, quota, bounded=True)
    room = stored_room(connection, events, clock, settings.agent_kept_limit)
    entities = Entities(bounded, clock, SOURCE, room)
    blobs = CountedBlobs(await blobs_of(connection, DECLARATION.name), quota)
    compute, documents = ComputeThread(), Documents()
    databases = AgentDatabases(
        bounded,
        bucket(connection, SNAPSHOTS_BUCKET),
        blobs,
        settings.data_dir / COPIES,
        clock,
        SOURCE,
        most_bytes=settings.agent_database_limit,
        room=room,
        rules=SnapshotRules(settings.agent_snapshot_days, settings.agent_kept_limit // SNAPSHOTS_PART),
    )
    sandbox = Sandbox(
        settings.data_dir / FOLDER, settings.sandbox_workers, memory=settings.sandbox_memory * MIB
    )
    trial = SandboxTrial(sandbox)
    built_in = CataloguedTools(Catalog(bucket(connection, CATALOG_BUCKET)))
    rules, resolver = rules_from(settings), SystemResolver()
    proxies = tools_proxies(settings, os.environ)
    vault = Vault(bucket(connection, SECRETS_BUCKET), SecretsKey(settings))
    effective = EffectiveSettings(entities, settings, vault)
    egress = Egress(rules, resolver, proxies=proxies)
    web_search_from(settings, rules, resolver, proxies=proxies)  # refuse to start with settings that can't be

    def search(call: CallContext) -> WebSearch:
        return SearchBySettings(effective, call, rules, resolver, proxies)

    try:
        toolbox = Toolbox.of(
            registry.on(RunsOn.TOOLS),
            *platform_ports(clock, blobs),
            *computing_ports(compute, documents),
            *definition_ports(built_in),
            *entity_ports(entities, databases),
            *file_ports(Files(entities, blobs), Workspaces(events)),
            *inbox_ports(entities),
            *time_ports(entities, clock, effective),
            *outside_ports(entities, egress, vault, NatsModelCallers(connection), search),
            *history_ports(NatsHistory(connection)),
            *other_ports(NatsRunners(connection)),
            *code_ports(sandbox, entities),
            *set_back_ports(events, entities),
        )
        offers = NatsOffers(connection, Worker.TOOL, "runner.offering", quota)
        calls = CallLog(events, clock, SOURCE, f"r_{clock.new_id('r')[-_RUNNER_DIGITS:]}", offers)
        handlers = ToolCalls(ToolRunner(toolbox, StoredTools(entities), calls, blobs), calls, clock)
        functions = FunctionCalls(
            StoredFunctions(events, entities),
            toolbox,
            KeyedCalls(Entities(events, clock, SOURCE), clock),
            blobs,
            lambda call_id, told: connection.publish(progress_subject(call_id), msgspec.json.encode(told)),
            parallel=settings.work_parallel,
        )
        asked = UserQuestions(events, toolbox, databases, blobs, clock)
        async with secrets_known(vault):
            yield handlers, functions, asked, registry.as_found(toolbox.registry), trial
    finally:
        await trial.close()
        compute.close()
        await documents.close()
        await sandbox.close()
        await databases.close()
