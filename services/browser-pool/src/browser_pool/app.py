"""The browser pool as a service: its tools, its place at the log, and its life from start to stop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import msgspec
import structlog

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.log.lease_keys import browser_lease_key
from agent_contracts.log.offered import Worker
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    CATALOG_BUCKET,
    LEASES_BUCKET,
    QUOTAS_BUCKET,
    SITE_LOGINS_BUCKET,
    query_subject,
)
from agent_contracts.questions.code_calls import CALL_BROWSER, STOP_BROWSER_CALL
from agent_domain.catalog import Catalog
from agent_domain.erasing.telling import blobs_of, on_erased
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_domain.secrets.key import SecretsKey
from agent_domain.site_logins.kept import SiteLogins
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
from agent_platform.services.leases.leases import Leases
from agent_platform.services.service import Service, connect_as, running_service
from agent_tools.registry import Registry
from agent_tools.running.call_log import CallLog
from agent_tools.running.code_calls import CodeCalls
from agent_tools.running.failures import outcome_unknown
from agent_tools.running.handlers import ToolCalls
from agent_tools.running.platform_ports import platform_ports
from agent_tools.running.runner import ToolRunner
from agent_tools.toolbox import Toolbox
from browser_pool.chromium.on_demand import Start
from browser_pool.chromium.running import RunningChromium, running_chromium
from browser_pool.contexts.contexts import Contexts
from browser_pool.handing_over.hand_overs import HandOvers, over_nats
from browser_pool.handlers import Work, stopping
from browser_pool.metrics import PoolMetrics
from browser_pool.owners import BrowserOwners
from browser_pool.pool_tools import NoOwnTools, discover
from browser_pool.ports import browser_ports
from browser_pool.routing import Routing
from browser_pool.service import BROWSER_CALLS, DECLARATION, PACK
from browser_pool.settings import BrowserPoolSettings
from egress.dialing import CheckedDialing, SystemResolver
from egress.rules import rules_from

log = structlog.get_logger()

_DIGITS = 10
"""Of an id, so many at its end tell one pool from another: 50 bits by chance. They stand in each result."""


FAILED = msgspec.json.encode(
    ToolAnswer(error=ToolError(ErrorKind.INTERNAL, "the browser pool failed; its log says why"))
)
STOPPED = msgspec.json.encode(ToolAnswer(error=outcome_unknown("the browser pool was stopped meanwhile")))
"""Answers to code, where the pool fails, and where it ends before a call does."""


async def serve(settings: BrowserPoolSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled. Chromium starts with the first call."""
    registry = discover()
    dialing = CheckedDialing(rules_from(settings), SystemResolver())

    def chromium() -> AbstractAsyncContextManager[RunningChromium]:
        return running_chromium(settings, dialing, settings.browser_contexts)

    async with (
        running_service(DECLARATION, settings) as service,
        working(service, registry, settings, chromium) as (calls, of_code, routing, contexts, hand_overs),
    ):
        await _publish(service.connection, registry)
        stop, erased = stopping(calls, of_code, contexts, hand_overs)
        await service.connection.subscribe(ALL_CANCELLATIONS, stop)
        await on_erased(service.connection, DECLARATION.name, erased)
        await service.connection.subscribe(query_subject(STOP_BROWSER_CALL), of_code.told_to_stop)
        asked = Answering(
            service.connection,
            query_subject(CALL_BROWSER),
            DECLARATION.name,
            routing.answer,
            failed=FAILED,
            stopped=STOPPED,
        )
        spec = settings.paced(BROWSER_CALLS)
        async with asyncio.TaskGroup() as group:
            group.create_task(contexts.run())
            group.create_task(routing.run())
            group.create_task(asked.run())
            group.create_task(JetStreamConsumer(service, spec, routing.handle, calls.give_up).run())
            group.create_task(MaxDeliveriesListener(service, spec.name, calls.give_up).run())


async def announce(settings: BrowserPoolSettings) -> None:
    """Publish the tools, and end: a call of one starts a pool."""
    connection = await connect_as(settings, DECLARATION.name)
    try:
        await _publish(connection, discover())
    finally:
        await connection.close()


async def _publish(connection: Connection, registry: Registry) -> None:
    catalog = Catalog(bucket(connection, CATALOG_BUCKET))
    for pack in registry.packs:
        if pack.name == PACK:
            await catalog.put(pack.catalogue())


@asynccontextmanager
async def working(
    service: Service, registry: Registry, settings: BrowserPoolSettings, start: Start
) -> AsyncIterator[tuple[ToolCalls, CodeCalls, Routing, Contexts, HandOvers]]:
    """The handlers of this process, under a name that no other process has or had."""
    connection, clock = service.connection, SystemClock()
    quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
    stored = JetStreamLog(connection)
    events, bounded = CountedLog(stored, quota), CountedLog(stored, quota, bounded=True)
    blobs = CountedBlobs(await blobs_of(connection, DECLARATION.name), quota)
    room = stored_room(connection, events, clock, settings.agent_kept_limit)
    entities = Entities(bounded, clock, DECLARATION.source, room)
    files = Files(entities, blobs)
    me = f"b_{clock.new_id('b')[-_DIGITS:]}"
    metrics = PoolMetrics(service.metrics)
    leases = Leases(bucket(connection, LEASES_BUCKET), me, browser_lease_key)
    logins = SiteLogins(bucket(connection, SITE_LOGINS_BUCKET), SecretsKey(settings), clock)
    hand_overs = HandOvers(over_nats(connection), logins, clock, settings.browser_hand_over)
    idle_s, most = settings.browser_idle, settings.browser_contexts
    contexts = Contexts(start, leases, logins, metrics, idle_s=idle_s, most=most)
    ports = browser_ports(contexts, hand_overs, files, Workspaces(events), entities)
    toolbox = Toolbox.of(registry, *platform_ports(clock, blobs), *ports)
    offers = NatsOffers(connection, Worker.BROWSER, "browser.offering", quota)
    calls = CallLog(events, clock, DECLARATION.source, me, offers)
    handlers = ToolCalls(ToolRunner(toolbox, NoOwnTools(), calls, blobs), calls, clock)
    of_code = CodeCalls(toolbox)
    work = Work(handlers.handle, of_code.run)
    try:
        routing = Routing(connection, leases, contexts, work, metrics, BrowserOwners(events))
        yield handlers, of_code, routing, contexts, hand_overs
    finally:
        await hand_overs.stop()
