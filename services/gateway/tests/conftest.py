"""A real gateway: HTTP on a free port, a real log, and Postgres where a test asks for it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import psycopg
import pytest
import pytest_asyncio
from pydantic import SecretStr

from agent_contracts.log.subjects import (
    ALL_DELTAS,
    BLOB_STREAM,
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    CHATS_BUCKET,
    DLQ_STREAM,
    LEASES_BUCKET,
    LOG_STREAM,
    LOGINS_BUCKET,
    NOTIFICATIONS_BUCKET,
    OBJECTS_BUCKET,
    PROGRAM_TOKENS_BUCKET,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SITE_LOGINS_BUCKET,
    SNAPSHOTS_BUCKET,
    WAKE_CREDENTIALS_BUCKET,
    WAKE_STREAM,
    WORKERS_BUCKET,
)
from agent_domain.budgets.budgets import Budgets
from agent_domain.catalog import Catalog
from agent_domain.chats.book import ChatBook
from agent_domain.notifications.book import NotificationBook
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault
from agent_domain.site_logins.site_logins import SiteLogins
from agent_domain.tokens.programs import ProgramTokenRegister
from agent_domain.wakes.credentials import CredentialsRegister
from agent_platform.log.blobs.jetstream import JetStreamBlobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import stored_room
from agent_platform.log.sealing.checking import refuse_if_lost
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings, stream_configs
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.observing.told_metrics import EveryService
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.dead_letter import DeadLetterStore
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.gateway.running import NO_POSTGRES, TOKEN, RunningGateway, Start
from gateway.app import answer_until_cancelled, check_log
from gateway.deps import GatewayTelemetry, make_deps
from gateway.door.auth import access
from gateway.door.server import listen
from gateway.door.serving_options import ServingOptions
from gateway.handlers import deltas_to
from gateway.live.client_answers import ClientAnswers
from gateway.operations.agents.catalogue_tools import CatalogueTools
from gateway.operations.logins import LoginRegister
from gateway.operations.nats_browsers import NatsBrowsers
from gateway.operations.nats_mcp_hosts import NatsMcpHosts
from gateway.operations.nats_questions import NatsQuestions
from gateway.operations.nats_runners import NatsRunners
from gateway.operations.notifications.nats_notifier import NatsNotifier
from gateway.operations.operating.nats_workforce import NatsWorkforce
from gateway.operations.operations import OperationPorts
from gateway.operations.settings.nats_models import NatsModels
from gateway.queries.database import Postgres
from gateway.settings import GatewaySettings
from projections.schema import SCHEMA, SCHEMA_SQL

BUCKETS = (
    SECRETS_BUCKET,
    SITE_LOGINS_BUCKET,
    SNAPSHOTS_BUCKET,
    WORKERS_BUCKET,
    LOGINS_BUCKET,
    QUOTAS_BUCKET,
    NOTIFICATIONS_BUCKET,
    WAKE_CREDENTIALS_BUCKET,
    PROGRAM_TOKENS_BUCKET,
    CATALOG_BUCKET,
    CHATS_BUCKET,
)
KEYED = SecretsSettings(secrets_key=SecretStr(new_key()))


@asynccontextmanager
async def starting(nats_server: NatsForTest) -> AsyncIterator[Start]:
    """Starts gateways over one log; stops them at the end."""
    running: list[RunningGateway] = []
    admin = await connect(nats_server.url, name="test")
    stores = (BLOB_STREAM, f"OBJ_{OBJECTS_BUCKET}")
    needed = (LOG_STREAM, DLQ_STREAM, *stores, *(f"KV_{name}" for name in BUCKETS))
    for config in (one for one in stream_configs(StreamSettings()) if one["name"] in needed):
        await admin.api(f"STREAM.CREATE.{config['name']}", config)
    await admin.close()

    async def start_one(
        *,
        dsn: str = NO_POSTGRES,
        token: str | None = TOKEN,
        port: int = 0,
        told: dict[str, Any] | None = None,
        **settings: Any,
    ) -> RunningGateway:
        connection = await connect(nats_server.url, name="gateway")
        events = JetStreamLog(connection, timeout_s=1.0, patience_s=2.0)
        database = Postgres(dsn)
        await database.open()
        own = replace(ServingOptions(projection_wait_s=1.0), **settings)
        vault = Vault(bucket(connection, SECRETS_BUCKET), SecretsKey(KEYED))
        blobs = JetStreamBlobs(connection)
        observing = GatewayTelemetry(HealthChecks(), Metrics(), Tracing("gateway"))
        check_log(observing.checks, events)
        outside = OperationPorts(
            log=events,
            clock=SystemClock(),
            database=database,
            questions=NatsQuestions(connection),
            runners=NatsRunners(connection, blobs),
            blobs=blobs,
            values=vault,
            budgets=Budgets(bucket(connection, BUDGETS_BUCKET), SystemClock()),
            quota=DailyQuota(bucket(connection, QUOTAS_BUCKET), SystemClock(), 0),
            room=stored_room(connection, events, SystemClock(), 0),
            log_is_whole=lambda: refuse_if_lost(connection),
            letters=DeadLetterStore(connection),
            wakes=JetStreamLog(connection, stream=WAKE_STREAM),
            workforce=NatsWorkforce(connection, EveryService(connection, ())),
            logins=LoginRegister(bucket(connection, LOGINS_BUCKET), SystemClock(), token),
            wake_credentials=CredentialsRegister(bucket(connection, WAKE_CREDENTIALS_BUCKET)),
            program_tokens=ProgramTokenRegister(bucket(connection, PROGRAM_TOKENS_BUCKET)),
            chats=ChatBook(bucket(connection, CHATS_BUCKET), SystemClock()),
            built_in=CatalogueTools(Catalog(bucket(connection, CATALOG_BUCKET))),
            notifications=NotificationBook(bucket(connection, NOTIFICATIONS_BUCKET), SecretsKey(KEYED)),
            notifier=NatsNotifier(connection),
            site_logins=SiteLogins(bucket(connection, SITE_LOGINS_BUCKET), SecretsKey(KEYED), SystemClock()),
            browsers=NatsBrowsers(connection),
            mcp_hosts=NatsMcpHosts(connection, bucket(connection, LEASES_BUCKET)),
            models=NatsModels(connection),
            settings=GatewaySettings(**told or {}),
        )
        deps = make_deps(own.configured, outside, observing, ClientAnswers(connection))
        rules = access(token, own.host, own.allowed_hosts)
        await connection.subscribe(ALL_DELTAS, deltas_to(deps.feed))
        listening = listen(own.host, port)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"

        async def serve() -> None:
            try:
                await answer_until_cancelled(deps, rules, own, listening)
            finally:
                listening.close()
                await database.close()

        task = asyncio.create_task(serve())
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = httpx.AsyncClient(base_url=url, headers=headers, timeout=20, verify=NO_TLS)
        running.append(RunningGateway(url, client, deps, vault, connection, task))
        async with asyncio.timeout(10):
            await deps.feed.following.wait()
        return running[-1]

    yield start_one
    for gateway in running:
        await gateway.stop()


@pytest.fixture
async def start(nats_server: NatsForTest) -> AsyncIterator[Start]:
    """Starts gateways over one log; stops them after the test."""
    async with starting(nats_server) as start_one:
        yield start_one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_gateway(take_nats: Callable[[], NatsForTest]) -> AsyncIterator[RunningGateway]:
    """One gateway for all tests of a module, which then share its loop and its log."""
    async with starting(take_nats()) as start_one:
        yield await start_one()


@pytest.fixture
async def gateway(start: Start) -> RunningGateway:
    """A gateway without Postgres."""
    return await start()


@pytest.fixture
async def projections(postgres_dsn: str) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """A connection that may write the tables of the projections."""
    async with await psycopg.AsyncConnection.connect(postgres_dsn, autocommit=True) as connection:
        await connection.execute(f"CREATE SCHEMA {SCHEMA}")
        await connection.execute(f"SET search_path TO {SCHEMA}")
        await connection.execute(SCHEMA_SQL.encode())
        yield connection
