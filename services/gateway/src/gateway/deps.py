"""What the doors work with, made once by whoever starts the gateway."""

from dataclasses import dataclass, field

from agent_platform.observing.health import HealthChecks
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.telemetry import Tracing
from gateway.live.client_answers import ClientAnswers
from gateway.live.event_listener import StreamTiming
from gateway.live.feed import Feed
from gateway.live.session_rows import SessionRows
from gateway.live.streams import Streams
from gateway.live.subscription import LagLimits
from gateway.measuring.log_metrics import LogMetrics
from gateway.operations.operations import OperationPorts, Operations, operations


@dataclass(frozen=True)
class GatewayOptions:
    """What the gateway is set to. `projection_wait_s`: how many seconds a read waits for the projections at
    most."""

    projection_wait_s: float = 10.0
    stream_limits: LagLimits = field(default_factory=LagLimits)
    stream_timing: StreamTiming = field(default_factory=StreamTiming)


@dataclass(frozen=True)
class GatewayTelemetry:
    """What is seen of the process."""

    checks: HealthChecks
    metrics: Metrics
    tracing: Tracing


@dataclass(frozen=True)
class Deps:
    """What people can do, what happens meanwhile, and the process around it."""

    configured: GatewayOptions
    outside: OperationPorts
    operations: Operations
    feed: Feed
    streams: Streams
    observing: GatewayTelemetry
    client_answers: ClientAnswers
    counted: LogMetrics


def make_deps(
    configured: GatewayOptions,
    outside: OperationPorts,
    observing: GatewayTelemetry,
    client_answers: ClientAnswers,
) -> Deps:
    """Everything that follows from the outside parts."""
    counted = LogMetrics(observing.metrics.registry)
    rows = SessionRows(outside.log, outside.database)
    feed = Feed(outside.log, configured.stream_limits, rows, counted.note)
    made = operations(outside, configured.projection_wait_s, feed)
    return Deps(configured, outside, made, feed, Streams(), observing, client_answers, counted)
