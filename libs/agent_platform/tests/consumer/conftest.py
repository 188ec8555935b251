"""What consumers need around them."""

from collections.abc import Iterator

import pytest

from agent_platform.connection import Connection
from agent_platform.health import HealthChecks
from agent_platform.metrics import Metrics
from agent_platform.service import Service
from agent_platform.telemetry import Tracing


@pytest.fixture
def service(connection: Connection) -> Iterator[Service]:
    """A service's surroundings without its HTTP server."""
    tracing = Tracing("test")
    yield Service(connection, HealthChecks(), Metrics(), tracing)
    tracing.close()
