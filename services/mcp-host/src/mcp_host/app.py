"""The MCP host as a service: what it holds, and which ports it gives to its tools."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from agent_contracts.log.lease_keys import mcp_lease_key
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import LEASES_BUCKET, SECRETS_BUCKET
from agent_contracts.questions.code_calls import STOP_MCP_CALL
from agent_domain.secrets.key import SecretsKey
from agent_domain.secrets.vault import Vault, secrets_known
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import bucket
from agent_platform.services.leases.leases import Leases
from agent_platform.services.service import ServiceRuntime
from agent_tools.hosting.base import WorkerBase
from agent_tools.hosting.host import Host, HostedWork, WorkerNotice, announce_packs, run_host
from agent_tools.registry import Registry
from agent_tools.running.code_calls import CodeCalls
from agent_tools.running.models import NatsModelCallers
from egress.dialing import SystemResolver
from egress.rules import rules_from
from mcp_host.asked_for import asked_for
from mcp_host.call_canceller import CallCanceller
from mcp_host.calling.app_calls import AppCalls
from mcp_host.calling.apps import Apps
from mcp_host.calling.foreign_tools import ServerTools
from mcp_host.calling.held_calls import HeldCalls
from mcp_host.calling.tasks import Tasks
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.http import WayOut
from mcp_host.connecting.secret_filler import SecretFiller
from mcp_host.connecting.server_opener import ServerKey, ServerOpener
from mcp_host.handlers import ServerFollower, queries, stopping
from mcp_host.host_tools import discover, host_ports
from mcp_host.login.login_answers import LoginAnswers
from mcp_host.login.login_vault import LoginVault
from mcp_host.login.logins import PeoplesLogins
from mcp_host.routing import McpRouting
from mcp_host.service import DECLARATION
from mcp_host.settings import McpHostSettings


async def serve(settings: McpHostSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled. A server is connected with when it is
    first needed."""
    await run_host(DECLARATION, settings, Host(ResultSource.MCP, "m", partial(_begin, settings, discover())))


async def announce(settings: McpHostSettings) -> None:
    """Publish the tools, and end: a call of one starts a host."""
    await announce_packs(DECLARATION, settings, discover().packs)


@asynccontextmanager
async def _begin(
    settings: McpHostSettings, registry: Registry, service: ServiceRuntime, base: WorkerBase
) -> AsyncIterator[HostedWork]:
    connection, clock, states = service.connection, base.clock, bucket(service.connection, LEASES_BUCKET)
    # What servers list is kept also for an agent that may keep nothing more.
    entities = Entities(base.bounded, clock, base.source)
    vault = Vault(bucket(connection, SECRETS_BUCKET), SecretsKey(settings))
    way = WayOut(rules_from(settings), SystemResolver())
    logins = PeoplesLogins(LoginVault(vault, states), SecretFiller(entities, vault), states, clock, base.me)
    opening = ServerOpener(entities, vault, way, logins, settings.data_dir)
    connections = Connections(
        opening, entities, states, clock, settings.mcp_idle, extensions=(Tasks(), Apps())
    )
    leases: Leases[ServerKey] = Leases(states, base.me, lambda key: mcp_lease_key(key.agent_id, key.server))
    held, foreign = HeldCalls(settings.mcp_held), ServerTools(entities)
    callers = NatsModelCallers(connection)
    toolbox = base.toolbox(registry, *host_ports(connections, entities, states, held, callers))
    calls = base.handlers(toolbox, foreign)
    find = asked_for(foreign)
    of_code = CodeCalls(toolbox, find)
    of_apps = AppCalls(find, entities, of_code, base.keyed)
    routing = McpRouting(connection, leases, connections, calls.handle, of_apps.run)
    following = ServerFollower(base.stored, entities, routing, connections)
    async with secrets_known(vault):
        yield HostedWork(
            calls,
            registry.packs,
            handle=routing.handle,
            stopped=stopping(of_code, held, CallCanceller(base.stored, routing)),
            queries=queries(routing, LoginAnswers(logins, connections, way, routing.test)),
            notices=[WorkerNotice(STOP_MCP_CALL, of_apps.told_to_stop)],
            tasks=[connections.run, routing.run, following.run],
        )
