"""The gateway as a whole: its routes behind its door, and its life from start to stop."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import structlog
from fastapi import FastAPI
from starlette.routing import Route

from agent_contracts.api.operating import STORAGE_CHECK
from agent_contracts.files import LARGEST_FILE
from agent_contracts.log.subjects import (
    ALL_DELTAS,
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    CHATS_BUCKET,
    LEASES_BUCKET,
    LOGINS_BUCKET,
    NOTIFICATIONS_BUCKET,
    PROGRAM_TOKENS_BUCKET,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SITE_LOGINS_BUCKET,
    WAKE_CREDENTIALS_BUCKET,
    WAKE_STREAM,
)
from agent_domain.budgets.budgets import Budgets
from agent_domain.catalog import Catalog
from agent_domain.chats.book import ChatBook
from agent_domain.erasing.progress import blobs_of
from agent_domain.notifications.book import NotificationBook
from agent_domain.secrets.key import SecretsKey
from agent_domain.secrets.vault import Vault, secrets_known
from agent_domain.site_logins.site_logins import SiteLogins
from agent_domain.tokens.programs import ProgramTokenRegister
from agent_domain.wakes.credentials import CredentialsRegister
from agent_platform.log.blobs.counted_blobs import CountedBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.log.probing import StorageProbe
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import stored_room
from agent_platform.log.sealing.checking import read_record, refuse_if_lost
from agent_platform.log.sealing.record import LastBackup
from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.told_metrics import EveryService
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.dead_letter import DeadLetterStore
from agent_platform.services.service import running_service
from gateway.deps import Deps, GatewayTelemetry, make_deps
from gateway.door import login, mcp_login
from gateway.door.auth import LOGIN_PATH, MCP_PATH, Access, AuthMiddleware, Entrance, access
from gateway.door.bodies import Bodies, StreamedRoute
from gateway.door.guesses import Guesses
from gateway.door.json_bodies import JsonBodies
from gateway.door.public_path import PublicPathMiddleware
from gateway.door.request_metrics import LiveMetrics, ObservingMiddleware, RequestMetrics
from gateway.door.security_headers import SecurityHeaders
from gateway.door.server import HttpServer, listen
from gateway.door.serving_options import ServingOptions, serving, the_token
from gateway.handlers import deltas_to
from gateway.http.api import api
from gateway.http.pages.ui import UnclaimedPaths, ui
from gateway.http.wire.encoded_paths import EncodedPaths
from gateway.live.client_answers import ClientAnswers
from gateway.mcp.door import McpDoor
from gateway.measuring.store_metrics import StoreMetrics
from gateway.measuring.whole_page import WholePage
from gateway.operations.agents.catalogue_tools import CatalogueTools
from gateway.operations.logins import LoginRegister
from gateway.operations.nats_browsers import NatsBrowsers
from gateway.operations.nats_mcp_hosts import NatsMcpHosts
from gateway.operations.nats_questions import NatsQuestions
from gateway.operations.nats_runners import NatsRunners
from gateway.operations.notifications.nats_notifier import NatsNotifier
from gateway.operations.open_doors import open_doors
from gateway.operations.operating.nats_workforce import NatsWorkforce
from gateway.operations.operations import OperationPorts
from gateway.operations.settings.nats_models import NatsModels
from gateway.queries.database import Postgres
from gateway.service import DECLARATION
from gateway.settings import GatewaySettings, names_in

log = structlog.get_logger()

_IMPORT = re.compile("/api/v1/sessions:import")
_UPLOAD = re.compile("/api/v1/files")
_CONTENT = re.compile("/api/v1/files/[^/]+/content")


def build_app(deps: Deps, rules: Access, own: ServingOptions) -> FastAPI:
    """The application. A request passes: observing, the path below a proxy, security headers, door, body
    check, route.
    """
    app = api()
    app.state.deps = deps
    app.state.entrance = entrance = Entrance(
        rules,
        Guesses(),
        deps.operations.logins,
        deps.operations.wake_register,
        deps.operations.program_register,
    )
    app.include_router(login.router)
    app.include_router(mcp_login.router)
    mcp = McpDoor(deps.operations, deps.streams, deps.client_answers)
    app.router.routes.append(Route(MCP_PATH, mcp, include_in_schema=False))
    app.mount("/", UnclaimedPaths(app.router, ui(own.ui_folder)))
    app.add_middleware(EncodedPaths)
    streamed = (
        StreamedRoute("POST", _IMPORT, own.import_limit),
        StreamedRoute("POST", _UPLOAD, own.upload_limit),
        StreamedRoute("PUT", _CONTENT, LARGEST_FILE),
    )
    limits = {LOGIN_PATH: login.BODY_LIMIT}
    app.add_middleware(Bodies, limit=own.body_limit, limits=limits, streamed=streamed)
    app.add_middleware(AuthMiddleware, entrance=entrance)
    app.add_middleware(JsonBodies)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(PublicPathMiddleware, public_path=own.public_path)
    metrics, feed = deps.observing.metrics, deps.feed
    app.add_middleware(ObservingMiddleware, metrics=RequestMetrics(metrics), tracing=deps.observing.tracing)
    metrics.registry.register(LiveMetrics(lambda: feed.listeners, lambda: feed.too_slow))
    return app


async def serve(settings: GatewaySettings) -> None:
    """Serve until cancelled. `Rejected` for settings that can't be; the log and Postgres may come later."""
    own = serving(settings)
    access(the_token(settings), own.host, own.allowed_hosts)  # refuse before anybody can connect
    listening = listen(own.host, own.port)
    try:
        await _serve(settings, listening)
    finally:
        listening.close()


async def _serve(settings: GatewaySettings, listening: socket.socket) -> None:
    own = serving(settings)
    rules = access(the_token(settings), own.host, own.allowed_hosts)
    database = Postgres(settings.required_dsn())
    async with running_service(DECLARATION, settings) as service:
        connection = service.connection
        quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), SystemClock(), settings.agent_log_limit)
        events = JetStreamLog(connection, metrics=service.metrics)
        key = SecretsKey(settings)
        vault = Vault(bucket(connection, SECRETS_BUCKET), key)
        blobs = CountedBlobs(await blobs_of(connection, DECLARATION.name), quota)
        try:
            await database.open()
            outside = OperationPorts(
                log=events,
                clock=SystemClock(),
                database=database,
                questions=NatsQuestions(connection),
                runners=NatsRunners(connection, blobs),
                blobs=blobs,
                values=vault,
                quota=quota,
                room=stored_room(connection, events, SystemClock(), settings.agent_kept_limit),
                budgets=Budgets(bucket(connection, BUDGETS_BUCKET), SystemClock()),
                log_is_whole=lambda: refuse_if_lost(connection),
                letters=DeadLetterStore(connection),
                wakes=JetStreamLog(connection, stream=WAKE_STREAM),
                workforce=NatsWorkforce(connection),
                logins=LoginRegister(bucket(connection, LOGINS_BUCKET), SystemClock(), rules.token),
                wake_credentials=CredentialsRegister(bucket(connection, WAKE_CREDENTIALS_BUCKET)),
                program_tokens=ProgramTokenRegister(bucket(connection, PROGRAM_TOKENS_BUCKET)),
                chats=ChatBook(bucket(connection, CHATS_BUCKET), SystemClock()),
                built_in=CatalogueTools(Catalog(bucket(connection, CATALOG_BUCKET))),
                models=NatsModels(connection),
                settings=settings,
                notifications=NotificationBook(bucket(connection, NOTIFICATIONS_BUCKET), key),
                notifier=NatsNotifier(connection),
                site_logins=SiteLogins(bucket(connection, SITE_LOGINS_BUCKET), key, SystemClock()),
                browsers=NatsBrowsers(connection),
                mcp_hosts=NatsMcpHosts(connection, bucket(connection, LEASES_BUCKET)),
            )
            observing = GatewayTelemetry(service.checks, service.metrics, service.tracing)
            deps = make_deps(own.configured, outside, observing, ClientAnswers(connection))
            agents = deps.operations.agents
            services = EveryService(connection, names_in(settings.expected_services))
            await services.listen()
            stores = _stores(outside, connection, settings)
            page = WholePage(service.metrics, services, stores, deps.counted, outside.built_in)
            service.metrics.page = page.text
            check_log(service.checks, events)
            service.checks.add_readiness(STORAGE_CHECK, StorageProbe(connection, DECLARATION.name).check)
            service.checks.add_readiness("default agent", agents.default_is_there)
            await connection.subscribe(ALL_DELTAS, deltas_to(deps.feed))
            async with (
                secrets_known(vault),
                meanwhile(agents.keep_default(), "default agent"),
                meanwhile(deps.operations.bisections.keep_working(), "bisections"),
                open_doors(deps.operations),
            ):
                await answer_until_cancelled(deps, rules, own, listening)
        finally:
            await database.close()


def _stores(outside: OperationPorts, connection: NatsConnection, settings: GatewaySettings) -> StoreMetrics:
    async def backup() -> LastBackup | None:
        record = await read_record(connection)
        return record.backup if record else None

    return StoreMetrics(outside.database, outside.workforce, outside.letters, backup, settings.data_dir)


async def answer_until_cancelled(
    deps: Deps, rules: Access, own: ServingOptions, listening: socket.socket
) -> None:
    """Follow the log and answer requests; when cancelled, end the streams and stop in order.

    Raises what makes either impossible, so that whoever runs the gateway starts it again.
    """
    server = HttpServer(build_app(deps, rules, own), own.connections, own.head_s)
    host, port = listening.getsockname()[:2]
    log.info("gateway.listening", host=host, port=port)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(deps.feed.run(), name="feed")
        await server.run_until_cancelled(listening, deps.streams.end)


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """Have something done for as long as the block runs."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def check_log(checks: HealthChecks, events: Log) -> None:
    """Ready as long as the log answers. Without Postgres writes and live events go on, and reads say that
    it is missing, so that is no reason to take the gateway out of service."""

    async def log_answers() -> None:
        await events.last_sequence()

    checks.add_readiness("log", log_answers)
