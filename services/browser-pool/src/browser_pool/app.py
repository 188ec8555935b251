"""The browser pool as a service: its tools, its place at the log, and its life from start to stop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import structlog

from agent_contracts.offered import Worker
from agent_contracts.subjects import (
    ALL_CANCELLATIONS,
    ALL_ERASED,
    CATALOG_BUCKET,
    LEASES_BUCKET,
    QUOTAS_BUCKET,
)
from agent_domain.catalog import Catalog
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_platform.entities.entities import Entities
from agent_platform.log.blobs.counted import CountedBlobs
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.offering import NatsOffers
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import Service, running_service
from agent_tools.registry import Registry
from agent_tools.running.call_log import CallLog
from agent_tools.running.handlers import ToolCalls
from agent_tools.running.runner import ToolRunner
from agent_tools.toolbox import Toolbox
from browser_pool.chromium.on_demand import Start
from browser_pool.chromium.running import RunningChromium, running_chromium
from browser_pool.consumers import BROWSER_CALLS
from browser_pool.contexts.contexts import Contexts
from browser_pool.handlers import stopping
from browser_pool.leases import Leases
from browser_pool.metrics import PoolMetrics
from browser_pool.pool_tools import NoOwnTools, discover
from browser_pool.ports import browser_ports
from browser_pool.routing import Routing
from browser_pool.service import DECLARATION
from browser_pool.settings import BrowserPoolSettings
from egress.dialing import CheckedDialing, SystemResolver
from egress.rules import rules_from

log = structlog.get_logger()

_DIGITS = 10
"""Of an id, so many at its end tell one pool from another: 50 bits by chance. They stand in each result."""


async def serve(settings: BrowserPoolSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled. Chromium starts with the first call."""
    registry = discover()
    dialing = CheckedDialing(rules_from(settings), SystemResolver())

    def chromium() -> AbstractAsyncContextManager[RunningChromium]:
        return running_chromium(settings, dialing)

    async with (
        running_service(DECLARATION, settings) as service,
        working(service, registry, settings, chromium) as (calls, routing, contexts),
    ):
        catalog = Catalog(bucket(service.connection, CATALOG_BUCKET))
        for pack in registry.packs:
            await catalog.put(pack.catalogue())
        stop, erased = stopping(calls, contexts)
        await service.connection.subscribe(ALL_CANCELLATIONS, stop)
        await service.connection.subscribe(ALL_ERASED, erased)
        spec = settings.paced(BROWSER_CALLS)
        async with asyncio.TaskGroup() as group:
            group.create_task(contexts.run())
            group.create_task(routing.run())
            group.create_task(JetStreamConsumer(service, spec, routing.handle, calls.give_up).run())
            group.create_task(MaxDeliveriesListener(service, spec.name, calls.give_up).run())


@asynccontextmanager
async def working(
    service: Service, registry: Registry, settings: BrowserPoolSettings, start: Start
) -> AsyncIterator[tuple[ToolCalls, Routing, Contexts]]:
    """The handlers of this process, under a name that no other process has or had."""
    connection, clock = service.connection, SystemClock()
    quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
    stored = JetStreamLog(connection)
    events, bounded = CountedLog(stored, quota), CountedLog(stored, quota, bounded=True)
    blobs = CountedBlobs(JetStreamBlobs(connection), quota)
    files = Files(Entities(bounded, clock, DECLARATION.source), blobs)
    me = f"b_{clock.new_id('b')[-_DIGITS:]}"
    metrics = PoolMetrics(service.metrics)
    leases = Leases(bucket(connection, LEASES_BUCKET), me)
    contexts = Contexts(start, leases, metrics, idle_s=settings.browser_idle, most=settings.browser_contexts)
    toolbox = Toolbox.of(registry, *browser_ports(contexts, files, Workspaces(events)))
    offers = NatsOffers(connection, Worker.BROWSER, "browser.offering", quota)
    calls = CallLog(events, clock, DECLARATION.source, me, offers)
    handlers = ToolCalls(ToolRunner(toolbox, NoOwnTools(), calls, blobs), calls, clock)
    yield handlers, Routing(connection, leases, contexts, handlers.handle, metrics), contexts
