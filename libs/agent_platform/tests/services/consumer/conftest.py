"""What consumers need around them."""

from collections.abc import Iterator

import pytest

from agent_platform.nats.connection import Connection
from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from agent_platform.services.service import Service


@pytest.fixture
def service(connection: Connection) -> Iterator[Service]:
    """A service's surroundings without its HTTP server."""
    tracing = Tracing("test")
    yield Service(connection, HealthChecks(), Metrics(), tracing)
    tracing.close()
