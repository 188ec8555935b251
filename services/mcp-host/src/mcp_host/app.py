"""The MCP host as a service: its tools, its place at the log, and its life from start to stop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Rejected, ToolError
from agent_contracts.log.lease_keys import mcp_lease_key
from agent_contracts.log.offered import Worker
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    CATALOG_BUCKET,
    LEASES_BUCKET,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    query_subject,
)
from agent_contracts.questions.code_calls import CALL_MCP, STOP_MCP_CALL
from agent_contracts.questions.mcp_logins import MCP_LOGIN
from agent_contracts.questions.mcp_states import TEST_MCP_SERVER, McpState, TestServer
from agent_domain.catalog import Catalog
from agent_domain.erasing.telling import blobs_of
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
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
from agent_platform.nats.connection import Connection as Nats
from agent_platform.nats.long_answers import Answering
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.leases.leases import Leases
from agent_platform.services.service import Service, connect_as, running_service
from agent_tools.registry import Registry
from agent_tools.running.call_log import CallLog
from agent_tools.running.code_calls import CodeCalls
from agent_tools.running.failures import outcome_unknown
from agent_tools.running.handlers import ToolCalls
from agent_tools.running.keyed_calls import KeyedCalls
from agent_tools.running.models import NatsModelCallers
from agent_tools.running.platform_ports import platform_ports
from agent_tools.running.runner import ToolRunner
from agent_tools.toolbox import Toolbox
from egress.dialing import SystemResolver
from egress.rules import rules_from
from mcp_host.asked_for import asked_for
from mcp_host.calling.app_calls import AppCalls
from mcp_host.calling.apps import Apps
from mcp_host.calling.foreign_tools import ForeignTools
from mcp_host.calling.held import HeldCalls
from mcp_host.calling.tasks import Tasks
from mcp_host.cancelling import Cancelling
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.filling import Filling
from mcp_host.connecting.http import WayOut
from mcp_host.connecting.opening import Opening, ServerKey
from mcp_host.handlers import Following, Stop, stopping
from mcp_host.host_tools import discover, host_ports
from mcp_host.login.answering import FAILED, STOPPED, Answers
from mcp_host.login.kept import KeptLogins
from mcp_host.login.logins import PeoplesLogins
from mcp_host.routing import Routing
from mcp_host.service import DECLARATION, MCP_CALLS
from mcp_host.settings import McpHostSettings

_DIGITS = 10
"""Of an id, so many at its end tell one host from another: 50 bits by chance. They stand in each result."""


CODE_FAILED = msgspec.json.encode(
    ToolAnswer(error=ToolError(ErrorKind.INTERNAL, "the MCP host failed; its log says why"))
)
CODE_STOPPED = msgspec.json.encode(ToolAnswer(error=outcome_unknown("the MCP host was stopped meanwhile")))
"""Answers to code, where the host fails, and where it ends before a call does."""


async def serve(settings: McpHostSettings) -> None:
    """Publish the tools and run what is asked for, until cancelled. A server is connected with when it is
    first needed."""
    registry = discover()
    async with (
        running_service(DECLARATION, settings) as service,
        working(service, registry, settings) as (
            calls,
            of_apps,
            stop,
            routing,
            connections,
            following,
            logins,
        ),
    ):
        await _publish(service.connection, registry)
        await service.connection.subscribe(ALL_CANCELLATIONS, stop)
        await service.connection.subscribe(query_subject(STOP_MCP_CALL), of_apps.told_to_stop)
        by_code = Answering(
            service.connection,
            query_subject(CALL_MCP),
            DECLARATION.name,
            routing.answer,
            failed=CODE_FAILED,
            stopped=CODE_STOPPED,
        )
        tested = Answering(
            service.connection,
            query_subject(TEST_MCP_SERVER),
            DECLARATION.name,
            lambda question: _tested(routing, question),
            failed=_failed("the host failed; its log says why"),
            stopped=_failed("the host was stopped meanwhile: try again"),
        )
        asked = Answering(
            service.connection,
            query_subject(MCP_LOGIN),
            DECLARATION.name,
            logins.answer,
            failed=FAILED,
            stopped=STOPPED,
        )
        spec = settings.paced(MCP_CALLS)
        async with asyncio.TaskGroup() as group:
            group.create_task(connections.run())
            group.create_task(routing.run())
            group.create_task(tested.run())
            group.create_task(by_code.run())
            group.create_task(asked.run())
            group.create_task(following.run())
            group.create_task(JetStreamConsumer(service, spec, routing.handle, calls.give_up).run())
            group.create_task(MaxDeliveriesListener(service, spec.name, calls.give_up).run())


async def announce(settings: McpHostSettings) -> None:
    """Publish the tools, and end: a call of one starts a host."""
    connection = await connect_as(settings, DECLARATION.name)
    try:
        await _publish(connection, discover())
    finally:
        await connection.close()


async def _publish(connection: Nats, registry: Registry) -> None:
    catalog = Catalog(bucket(connection, CATALOG_BUCKET))
    for pack in registry.packs:
        await catalog.put(pack.catalogue())


@asynccontextmanager
async def working(
    service: Service, registry: Registry, settings: McpHostSettings
) -> AsyncIterator[tuple[ToolCalls, AppCalls, Stop, Routing, Connections, Following, Answers]]:
    """The handlers of this process, under a name that no other process has or had."""
    connection, clock = service.connection, SystemClock()
    quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
    stored = JetStreamLog(connection)
    events, bounded = CountedLog(stored, quota), CountedLog(stored, quota, bounded=True)
    blobs = CountedBlobs(await blobs_of(connection, DECLARATION.name), quota)
    entities = Entities(bounded, clock, DECLARATION.source)
    room = stored_room(connection, events, clock, settings.agent_kept_limit)
    files = Files(Entities(bounded, clock, DECLARATION.source, room), blobs)
    vault = Vault(bucket(connection, SECRETS_BUCKET), SecretsKey(settings))
    way = WayOut(rules_from(settings), SystemResolver())
    states, me = bucket(connection, LEASES_BUCKET), f"m_{clock.new_id('m')[-_DIGITS:]}"
    logins = PeoplesLogins(KeptLogins(vault, states), Filling(entities, vault), states, clock, me)
    opening = Opening(entities, vault, way, logins, settings.data_dir)
    connections = Connections(
        opening, entities, states, clock, settings.mcp_idle, extensions=(Tasks(), Apps())
    )
    leases: Leases[ServerKey] = Leases(states, me, lambda key: mcp_lease_key(key.agent_id, key.server))
    held = HeldCalls(settings.mcp_held)
    callers = NatsModelCallers(connection)
    ports = host_ports(connections, entities, states, files, Workspaces(events), held, clock, callers)
    toolbox = Toolbox.of(registry, *platform_ports(clock, blobs), *ports)
    offers = NatsOffers(connection, Worker.MCP, "mcp.offering", quota)
    calls = CallLog(events, clock, DECLARATION.source, me, offers)
    runner = ToolRunner(toolbox, ForeignTools(entities), calls, blobs)
    handlers = ToolCalls(runner, calls, clock)
    foreign = ForeignTools(entities)
    find = asked_for(foreign)
    of_code = CodeCalls(toolbox, find)
    keyed = KeyedCalls(Entities(events, clock, DECLARATION.source), clock)
    of_apps = AppCalls(find, entities, of_code, keyed)
    routing = Routing(connection, leases, connections, handlers.handle, of_apps.run)
    following = Following(stored, entities, routing, connections)
    stop = stopping(handlers, of_code, held, Cancelling(stored, routing))
    async with secrets_known(vault):
        yield (
            handlers,
            of_apps,
            stop,
            routing,
            connections,
            following,
            Answers(logins, connections, way, routing.test),
        )


async def _tested(routing: Routing, question: bytes) -> bytes:
    try:
        asked = msgspec.json.decode(question, type=TestServer)
    except msgspec.DecodeError as error:
        raise Rejected(f"not a question after a server: {error}") from error
    return await routing.test(ServerKey(asked.agent_id, asked.server))


def _failed(why: str) -> bytes:
    return msgspec.json.encode(McpState("error", rfc3339(SystemClock().now()), why))
