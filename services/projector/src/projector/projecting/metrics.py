"""What a projection tells about itself, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_COMMIT = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_DELAY = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 5.0, 60.0)


class ProjectionMetrics:
    """The numbers of one projection, in `registry`."""

    def __init__(self, registry: CollectorRegistry, projection: str) -> None:
        """All numbers carry the projection's name."""
        label = ["projection"]
        self.events = Counter(
            "foldline_projection_events", "Events folded into the tables", label, registry=registry
        ).labels(projection)
        self.problems = Counter(
            "foldline_projection_problems",
            "Events that could only be recorded, not projected",
            label,
            registry=registry,
        ).labels(projection)
        self.commit_seconds = Histogram(
            "foldline_projection_commit_seconds",
            "Seconds to write one batch",
            label,
            buckets=_COMMIT,
            registry=registry,
        ).labels(projection)
        self.delay_seconds = Histogram(
            "foldline_projection_delay_seconds",
            "Seconds from an event's time to its commit, for the oldest event of each batch",
            label,
            buckets=_DELAY,
            registry=registry,
        ).labels(projection)
        self.lag_events = Gauge(
            "foldline_projection_lag_events",
            "Events in the log that the tables don't hold yet",
            label,
            registry=registry,
        ).labels(projection)
        self.lag_seconds = Gauge(
            "foldline_projection_lag_seconds",
            "Age of the oldest event that the tables don't hold yet",
            label,
            registry=registry,
        ).labels(projection)
