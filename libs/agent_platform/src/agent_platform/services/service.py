"""What every service has around its work: a connection to NATS, health, metrics and traces."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import structlog

from agent_contracts.errors import Rejected
from agent_contracts.extensions import installed_at_start, untold
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.observing.health import HealthChecks, HealthServer
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.observing.told_metrics import tell_when_asked
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.shared import NatsSettings, ServiceSettings

_CONNECTED_WITHIN_S = 1.0

_log = structlog.get_logger()


@dataclass(frozen=True)
class ServiceRuntime:
    """A service's surroundings while it runs."""

    connection: NatsConnection
    checks: HealthChecks
    metrics: Metrics
    tracing: Tracing


@asynccontextmanager
async def running_service(
    declared: ServiceDeclaration, settings: ServiceSettings
) -> AsyncIterator[ServiceRuntime]:
    """Connect, serve health on `HEALTH_PORT` (if set), and close all of it at the end.

    NATS' monitoring and traces call the service by its declared name, as logs and the command line do.

    Ready means: NATS can be reached, and doesn't say that it can't store; a service adds checks of its own.
    Raises `Rejected` for settings that can't work, `Transient` if no server answers within half a minute.
    """
    async with AsyncExitStack() as stack:
        connection = await connect_as(settings, declared.name)
        stack.push_async_callback(lambda: asyncio.shield(connection.close()))
        tracing = Tracing(declared.name, settings.otel_exporter_otlp_endpoint)
        stack.callback(tracing.close)
        checks, metrics = HealthChecks(), Metrics()

        async def nats_works() -> None:
            await connection.until_connected(_CONNECTED_WITHIN_S)
            await connection.check_storage()

        checks.add_readiness("nats", nats_works)
        await tell_when_asked(connection, declared.name, declared.nats_user, metrics)
        if settings.health_port is not None:
            server = HealthServer(checks, metrics)
            await server.start(settings.host, settings.health_port)
            stack.push_async_callback(server.stop)
        installed_at_start()  # what comes later isn't used by this process
        for broken in untold():
            _log.error("extension.broken", kind=broken.kind, name=broken.name, why=broken.why)
        yield ServiceRuntime(connection, checks, metrics, tracing)


async def connect_as(settings: NatsSettings, name: str) -> NatsConnection:
    """Connect with the settings' credentials (`user:password`); `name` shows in the server's monitoring."""
    if settings.nats_url is None:
        raise Rejected(
            "FOLDLINE_NATS_URL is not set: name the NATS server, or start everything by `foldline up`",
            kind="no_url",
        )
    given = settings.nats_credentials.get_secret_value() if settings.nats_credentials else ""
    user, colon, password = given.partition(":")
    if given and not colon:
        raise Rejected("FOLDLINE_NATS_CREDENTIALS must be user:password", kind="invalid_setting")
    connection = await connect(settings.nats_url, name=name, user=user or None, password=password or None)
    if settings.nats_monitor_url is not None:
        connection.monitored_at(settings.nats_monitor_url)
    return connection
