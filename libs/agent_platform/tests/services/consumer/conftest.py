"""What consumers need around them."""

from collections.abc import Iterator

import pytest

from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.services.service import ServiceRuntime


@pytest.fixture
def service(connection: NatsConnection) -> Iterator[ServiceRuntime]:
    """A service's surroundings without its HTTP server."""
    tracing = Tracing("test")
    yield ServiceRuntime(connection, HealthChecks(), Metrics(), tracing)
    tracing.close()
