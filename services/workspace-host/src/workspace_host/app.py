"""The workspace host as a service: its tools, its place at the log, and its life from start to stop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from agent_contracts.log.offered import Worker
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    CATALOG_BUCKET,
    LEASES_BUCKET,
    QUOTAS_BUCKET,
)
from agent_domain.catalog import Catalog
from agent_domain.erasing.telling import blobs_of, on_erased
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_domain.personal.reading import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.blobs.counted import CountedBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.offering import NatsOffers
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import stored_room
from agent_platform.nats.connection import Connection
from agent_platform.process.clock import SystemClock
from agent_platform.process.open_files import open_files
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import connect_as, running_service
from agent_tools.registry import Pack
from agent_tools.running.call_log import CallLog
from agent_tools.running.handlers import ToolCalls
from agent_tools.running.platform_ports import platform_ports
from agent_tools.running.runner import ToolRunner
from agent_tools.toolbox import Toolbox
from egress.dialing import CheckedDialing, SystemResolver
from egress.rules import rules_from
from workspace_host import limits
from workspace_host.begun import BegunCalls
from workspace_host.commands.host import CommandHost
from workspace_host.folders.folders import Folders, own_place
from workspace_host.handlers import stopping
from workspace_host.host_tools import NoOwnTools, discover, own_pack
from workspace_host.isolation.isolation import isolation_here
from workspace_host.network.network import Network
from workspace_host.ports import agent_ports, workspace_ports
from workspace_host.service import COMMANDS, DECLARATION
from workspace_host.settings import WorkspaceHostSettings

log = structlog.get_logger()

_DIGITS = 10
"""Of an id, so many at its end tell one host from another: 50 bits by chance. They stand in each result."""


async def serve(settings: WorkspaceHostSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled.

    Raises `Rejected` where nothing on this machine could keep a command in.
    """
    isolation = await asyncio.to_thread(lambda: isolation_here(host_mode=settings.workspace_host_mode))
    open_files(limits.OPEN_FILES_OF_THE_HOST)
    log.info("workspace.isolation", kind=isolation.kind, weaker=isolation.weaker)
    dialing = CheckedDialing(rules_from(settings), SystemResolver())
    host = CommandHost(isolation, dialing, lambda: SystemClock().new_id("cmd"))
    with own_place() as place:
        folders = Folders(place)
        async with (
            running_service(DECLARATION, settings) as service,
            working(service.connection, settings, host, folders) as calls,
        ):
            await _publish(service.connection, own_pack(isolation))
            stop, erased = stopping(calls, host, folders)
            await service.connection.subscribe(ALL_CANCELLATIONS, stop)
            await on_erased(service.connection, DECLARATION.name, erased)
            spec = settings.paced(COMMANDS)
            async with asyncio.TaskGroup() as group:
                group.create_task(host.run())
                group.create_task(JetStreamConsumer(service, spec, calls.handle, calls.give_up).run())
                group.create_task(MaxDeliveriesListener(service, spec.name, calls.give_up).run())


async def announce(settings: WorkspaceHostSettings) -> None:
    """Publish the tools, and end: a call of one starts a host."""
    isolation = await asyncio.to_thread(lambda: isolation_here(host_mode=settings.workspace_host_mode))
    connection = await connect_as(settings, DECLARATION.name)
    try:
        await _publish(connection, own_pack(isolation))
    finally:
        await connection.close()


async def _publish(connection: Connection, pack: Pack) -> None:
    """Those of installed packs are the tool runner's to publish, with the rest of their packs."""
    await Catalog(bucket(connection, CATALOG_BUCKET)).put(pack.catalogue())


@asynccontextmanager
async def working(
    connection: Connection, settings: WorkspaceHostSettings, host: CommandHost, folders: Folders
) -> AsyncIterator[ToolCalls]:
    """The handlers of this process, under a name that no other process has or had."""
    clock = SystemClock()
    quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
    stored = JetStreamLog(connection)
    events, bounded = CountedLog(stored, quota), CountedLog(stored, quota, bounded=True)
    blobs = CountedBlobs(await blobs_of(connection, DECLARATION.name), quota)
    room = stored_room(connection, events, clock, settings.agent_kept_limit)
    entities = Entities(bounded, clock, DECLARATION.source, room)
    files = Files(entities, blobs)
    network = Network(entities, EffectiveSettings(entities, settings), host.isolation)
    me = f"w_{clock.new_id('w')[-_DIGITS:]}"
    begun = BegunCalls(bucket(connection, LEASES_BUCKET), events, clock, me)
    await begun.end_those_of_earlier_hosts()
    toolbox = Toolbox.of(
        discover(host.isolation),
        *workspace_ports(host, folders, files, Workspaces(events), network, begun),
        *agent_ports(entities),
        *platform_ports(clock, blobs),
    )
    offers = NatsOffers(connection, Worker.WORKSPACE, "workspace.offering", quota)
    calls = CallLog(events, clock, DECLARATION.source, me, offers)
    yield ToolCalls(ToolRunner(toolbox, NoOwnTools(), calls, blobs), calls, clock)
