"""The workspace host as a service: what it holds, and which ports it gives to its tools."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import structlog

from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import LEASES_BUCKET
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.log.bucket import bucket
from agent_platform.process.clock import SystemClock
from agent_platform.process.open_files import open_files
from agent_platform.services.service import ServiceRuntime
from agent_tools.hosting.base import WorkerBase
from agent_tools.hosting.host import Host, HostedWork, announce_packs, run_host
from egress.dialing import CheckedDialing, SystemResolver
from egress.rules import rules_from
from workspace_host import limits
from workspace_host.begun_calls import BegunCalls
from workspace_host.commands.host import CommandHost
from workspace_host.folders.folders import Folders, own_place
from workspace_host.handlers import CommandEndings
from workspace_host.host_tools import discover, own_pack
from workspace_host.isolation.isolation import Isolation, isolation_here
from workspace_host.network.network import Network
from workspace_host.ports import agent_ports, workspace_ports
from workspace_host.service import DECLARATION
from workspace_host.settings import WorkspaceHostSettings

log = structlog.get_logger()


async def serve(settings: WorkspaceHostSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled.

    Raises `Rejected` where nothing on this machine could keep a command in.
    """
    isolation = await _isolation(settings)
    open_files(limits.OPEN_FILES_OF_THE_HOST)
    log.info("workspace.isolation", kind=isolation.kind, weaker=isolation.weaker)
    with own_place() as place:
        begin = partial(_begin, settings, isolation, Folders(place))
        await run_host(DECLARATION, settings, Host(ResultSource.WORKSPACE, "w", begin))


async def announce(settings: WorkspaceHostSettings) -> None:
    """Publish the tools, and end: a call of one starts a host."""
    await announce_packs(DECLARATION, settings, [own_pack(await _isolation(settings))])


async def _isolation(settings: WorkspaceHostSettings) -> Isolation:
    return await asyncio.to_thread(lambda: isolation_here(host_mode=settings.workspace_host_mode))


@asynccontextmanager
async def _begin(
    settings: WorkspaceHostSettings,
    isolation: Isolation,
    folders: Folders,
    service: ServiceRuntime,
    base: WorkerBase,
) -> AsyncIterator[HostedWork]:
    dialing = CheckedDialing(rules_from(settings), SystemResolver())
    host = CommandHost(isolation, dialing, lambda: SystemClock().new_id("cmd"))
    entities = base.entities
    network = Network(entities, EffectiveSettings(entities, settings), isolation)
    begun = BegunCalls(bucket(service.connection, LEASES_BUCKET), base.events, base.clock, base.me)
    await begun.end_those_of_earlier_hosts()
    ports = workspace_ports(host, folders, base.workspaces, network, begun)
    calls = base.handlers(base.toolbox(discover(isolation), *ports, *agent_ports(entities)))
    ending = CommandEndings(host, folders)
    packs = [own_pack(isolation)]
    yield HostedWork(calls, packs, stopped=ending.stop, erased=ending.forget, tasks=[host.run])
