"""How fast the disk below NATS is now: the appends of the last half minute, kept by who makes them.

A histogram doesn't tell whoever asks once: it counts from the start of its process on, and what became slow
an hour later is a small part of it. Each worker says every ten seconds that it lives, so there are some also
while nobody does anything.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

WINDOW_S = 30.0
SLOW_APPEND_S = 0.1
"""Seconds. A disk that takes longer for a flush is slow: an SSD takes some milliseconds."""
_MOST = 4096


class RecentAppends(Collector):
    """The last ones, slow and fast, with how long they took in all."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._appends: deque[tuple[float, float]] = deque(maxlen=_MOST)

    def note(self, seconds: float) -> None:
        """One ended now, which took so long."""
        self._appends.append((self._clock(), seconds))

    def collect(self) -> Iterable[Metric]:
        """As gauges: numbers of several processes may be added up."""
        begin = self._clock() - WINDOW_S
        while self._appends and self._appends[0][0] < begin:
            self._appends.popleft()
        took = [seconds for _, seconds in self._appends]
        slow = sum(seconds > SLOW_APPEND_S for seconds in took)
        number = GaugeMetricFamily(
            "foldline_recent_appends", "Appends to NATS's streams in the last 30 seconds", labels=["pace"]
        )
        number.add_metric(["slow"], slow)
        number.add_metric(["fast"], len(took) - slow)
        yield number
        yield GaugeMetricFamily("foldline_recent_append_seconds", "Seconds that these took in all", sum(took))
