"""What the scheduler counts, for Prometheus."""

from datetime import datetime

from prometheus_client import Counter, Histogram

from agent_platform.observing.metrics import Metrics

_LATE = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 600.0, 3600.0, 86400.0)


class Numbers:
    """Counts what became of due times, and how late that was written."""

    def __init__(self, metrics: Metrics) -> None:
        self._outcomes = Counter(
            "foldline_scheduled",
            "What became of due times, by kind (reminder, schedule) and outcome",
            ["kind", "outcome"],
            registry=metrics.registry,
        )
        self._late = Histogram(
            "foldline_scheduled_late_seconds",
            "Seconds from a due time until the log has what came of it",
            ["kind"],
            buckets=_LATE,
            registry=metrics.registry,
        )
        self._paused = Counter(
            "foldline_schedules_paused",
            "Schedules that were paused since their runs failed one after another",
            registry=metrics.registry,
        )

    def fired(self, kind: str, outcome: str, due_at: str, now: datetime) -> None:
        """Count one due time that became something."""
        self._outcomes.labels(kind, outcome).inc()
        self._late.labels(kind).observe(max(0.0, (now - datetime.fromisoformat(due_at)).total_seconds()))

    def ended(self, outcome: str) -> None:
        """Count one run that is over."""
        self._outcomes.labels("schedule", outcome).inc()

    def paused(self) -> None:
        """Count one schedule that was paused."""
        self._paused.inc()
