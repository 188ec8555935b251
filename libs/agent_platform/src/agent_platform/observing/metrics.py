"""The numbers that every service counts, for Prometheus."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, Metric, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from agent_platform.observing.recent_appends import RecentAppends

CONTENT_TYPE = CONTENT_TYPE_LATEST
_FAST = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_SLOW = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """One registry and its common metrics. A service adds its own with `registry=metrics.registry`."""

    def __init__(self) -> None:
        """A fresh registry, with this process's memory, CPU time and open files (on Linux)."""
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.page: Callable[[], Awaitable[bytes]] = self._own_page
        """What is served as `/metrics`: this registry, or one page of all services."""
        self.looks: list[Callable[[], Awaitable[None]]] = []
        """What is measured anew whenever the numbers are asked for, each within half a second."""
        self.messages_handled = Counter(
            "foldline_messages_handled",
            "Messages that a consumer was done with, by outcome: ack, nak, term, dead",
            ["consumer", "outcome"],
            registry=self.registry,
        )
        self.handling_seconds = Histogram(
            "foldline_handling_seconds",
            "Seconds from receiving a message to being done with it",
            ["consumer"],
            buckets=_SLOW,
            registry=self.registry,
        )
        self._handled: dict[tuple[str, str], tuple[Counter, Histogram]] = {}
        self._log_append_seconds = Histogram(
            "foldline_log_append_seconds",
            "Seconds until NATS acknowledged an append to the log, or a worker's word that it lives",
            buckets=_FAST,
            registry=self.registry,
        )
        self._recent_appends = RecentAppends()
        self.registry.register(self._recent_appends)
        self.log_conflicts = Counter(
            "foldline_log_conflicts",
            "Appends that lost to another writer",
            registry=self.registry,
        )

    def message_handled(self, consumer: str, outcome: str, seconds: float) -> None:
        """Count one message that a consumer was done with."""
        handled = self._handled.get((consumer, outcome))
        if handled is None:
            of_consumer = (
                self.messages_handled.labels(consumer, outcome),
                self.handling_seconds.labels(consumer),
            )
            handled = self._handled[consumer, outcome] = of_consumer
        handled[0].inc()
        handled[1].observe(seconds)

    def appended(self, seconds: float) -> None:
        """Count an append that was acknowledged after so long, or was waited for in vain."""
        self._log_append_seconds.observe(seconds)
        self._recent_appends.note(seconds)

    def render(self) -> bytes:
        """The text that Prometheus reads, of type CONTENT_TYPE."""
        return generate_latest(self.registry)

    async def look(self) -> None:
        """Measure anew what isn't counted as it happens."""
        await asyncio.gather(*(look() for look in self.looks))

    async def _own_page(self) -> bytes:
        await self.look()
        return self.render()


class _CollectedNumbers(CollectorRegistry):
    """What was collected already, for the function that writes the text."""

    def __init__(self, families: Iterable[Metric]) -> None:
        super().__init__()
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def rendered(families: Iterable[Metric]) -> bytes:
    """Numbers of anybody as that text."""
    return generate_latest(_CollectedNumbers(families))
