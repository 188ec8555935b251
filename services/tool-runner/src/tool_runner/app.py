"""The tool runner as a service: what it holds, and which ports it gives to its tools."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import msgspec

from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import CATALOG_BUCKET, SECRETS_BUCKET, SNAPSHOTS_BUCKET, progress_subject
from agent_contracts.tool_spec import RunsOn
from agent_domain.catalog import Catalog
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.secrets.key import SecretsKey
from agent_domain.secrets.vault import Vault, secrets_known
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import NatsConnection
from agent_platform.services.service import ServiceRuntime
from agent_tools.context import CallContext
from agent_tools.hosting.base import WorkerBase
from agent_tools.hosting.host import Host, HostedWork, run_host
from agent_tools.providers import Provider
from agent_tools.registry import Registry
from agent_tools.running.compute import ComputeThread
from agent_tools.running.models import ModelCallers, NatsModelCallers
from egress.dialing import SystemResolver
from egress.guard import Egress
from egress.rules import rules_from, tools_proxies
from tool_runner.agent.history import HistorySearch, NatsHistory
from tool_runner.agent.other_runners import NatsOtherRunners, OtherRunners
from tool_runner.agent.ports import (
    FILE_PORTS,
    computing_ports,
    entity_ports,
    history_ports,
    inbox_ports,
    other_ports,
    outside_ports,
    time_ports,
)
from tool_runner.agent.searching.services import SearchBySettings, SearchOf, SearchServices, web_search_from
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.agent_db.snapshots import SnapshotRules
from tool_runner.code.own_tools import StoredFunctions, StoredTools
from tool_runner.code.ports import code_ports, set_back_ports
from tool_runner.core import discover
from tool_runner.definitions.built_in import BuiltIn, CataloguedTools
from tool_runner.definitions.ports import definition_ports
from tool_runner.documents.documents import Documents
from tool_runner.handlers import queries
from tool_runner.questions.function_calls import FunctionCalls
from tool_runner.questions.user_questions import UserQuestions
from tool_runner.sandbox.compiled import FOLDER
from tool_runner.sandbox.limits import MIB
from tool_runner.sandbox.memory_metrics import SandboxMemoryMetrics
from tool_runner.sandbox.sandbox import Sandbox
from tool_runner.sandbox.trial import SandboxTrial
from tool_runner.service import DECLARATION
from tool_runner.settings import RunnerSettings

COPIES = "agent-databases"
"""The folder in the data directory for copies of agents' databases. It may be removed between runs."""
SNAPSHOTS_PART = 4
"""Snapshots of an agent's database may take this part of what the agent may keep."""


@dataclass(frozen=True)
class RunnerParts:
    """Everything that outlives a call, but for the sandbox."""

    settings: EffectiveSettings[RunnerSettings]
    databases: AgentDatabases
    compute: ComputeThread
    documents: Documents
    built_in: BuiltIn
    """The tools that agents' own may not be named after."""
    egress: Egress
    vault: Vault
    models: ModelCallers
    search: SearchOf
    history: HistorySearch
    runners: OtherRunners
    """The other workers, which agents' code may ask."""

    def ports(self, base: WorkerBase) -> tuple[Provider, ...]:
        """All ports beside those of every worker, and of code."""
        entities = base.entities
        return (
            *computing_ports(self.compute, self.documents),
            *definition_ports(self.built_in),
            *entity_ports(entities, self.databases),
            *FILE_PORTS,
            *inbox_ports(entities),
            *time_ports(entities, base.clock, self.settings),
            *outside_ports(entities, self.egress, self.vault, self.models, self.search),
            *history_ports(self.history),
            *other_ports(self.runners),
            *set_back_ports(base.events, entities),
        )


async def serve(settings: RunnerSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled.

    Raises `Rejected` for tools or settings that can't be used, `Transient` if no NATS answers.
    """
    await run_host(DECLARATION, settings, tool_host(settings, discover(selftest=settings.selftest_tools)))


def tool_host(settings: RunnerSettings, registry: Registry) -> Host:
    """A runner of the registry's tools, and of those that agents made."""
    return Host(ResultSource.TOOL, "r", partial(_begin, settings, registry))


@asynccontextmanager
async def _begin(
    settings: RunnerSettings, registry: Registry, service: ServiceRuntime, base: WorkerBase
) -> AsyncIterator[HostedWork]:
    parts = _parts(settings, service.connection, base)
    sandbox = Sandbox(
        settings.data_dir / FOLDER, settings.sandbox_workers, memory=settings.sandbox_memory * MIB
    )
    service.metrics.registry.register(SandboxMemoryMetrics(sandbox.memory))
    trial = SandboxTrial(sandbox)
    service.checks.add_life("sandbox", trial.works)
    service.checks.add_readiness("sandbox", trial.is_ready)
    try:
        toolbox = base.toolbox(
            registry.on(RunsOn.TOOLS), *parts.ports(base), *code_ports(sandbox, base.entities)
        )
        calls = base.handlers(toolbox, StoredTools(base.entities))
        functions = FunctionCalls(
            StoredFunctions(base.events, base.entities),
            toolbox,
            base.keyed,
            base.blobs,
            lambda call, told: service.connection.publish(progress_subject(call), msgspec.json.encode(told)),
            parallel=settings.work_parallel,
        )
        asked = UserQuestions(base.events, toolbox, parts.databases, base.blobs, base.clock)
        packs, answered = registry.as_found(toolbox.registry).packs, queries(functions, asked)
        async with secrets_known(parts.vault):
            yield HostedWork(calls, packs, every_pack=True, erased=asked.forget, queries=answered)
    finally:
        await trial.close()
        parts.compute.close()
        await parts.documents.close()
        await sandbox.close()
        await parts.databases.close()


def _parts(settings: RunnerSettings, connection: NatsConnection, base: WorkerBase) -> RunnerParts:
    rules, resolver, proxies = rules_from(settings), SystemResolver(), tools_proxies(settings, os.environ)
    web_search_from(settings, rules, resolver, proxies=proxies)  # refuse to start with settings that can't be
    vault = Vault(bucket(connection, SECRETS_BUCKET), SecretsKey(settings))
    effective = EffectiveSettings(base.entities, settings, vault)

    def search(call: CallContext) -> SearchServices:
        return SearchBySettings(effective, call, rules, resolver, proxies)

    databases = AgentDatabases(
        base.bounded,
        bucket(connection, SNAPSHOTS_BUCKET),
        base.blobs,
        settings.data_dir / COPIES,
        base.clock,
        base.source,
        most_bytes=settings.agent_database_limit,
        room=base.room,
        rules=SnapshotRules(settings.agent_snapshot_days, settings.agent_kept_limit // SNAPSHOTS_PART),
    )
    return RunnerParts(
        effective,
        databases,
        ComputeThread(),
        Documents(),
        CataloguedTools(Catalog(bucket(connection, CATALOG_BUCKET))),
        Egress(rules, resolver, proxies=proxies),
        vault,
        NatsModelCallers(connection),
        search,
        NatsHistory(connection),
        NatsOtherRunners(connection),
    )
