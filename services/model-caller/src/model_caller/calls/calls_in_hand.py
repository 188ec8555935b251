"""The calls that this process has in hand, by model: since when, and whether anything was answered yet. A
model that became slow is seen by these first: its calls have not ended."""

import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from cachetools import LRUCache
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

_MOST_MODELS = 50
"""Names come from people, and stay few."""


class CallInHand:
    """One call of a model."""

    def __init__(self, model: str, since: float) -> None:
        self.model = model
        self.since = since
        self.is_answered = False
        """Whether its first token came."""

    @property
    def state(self) -> str:
        """`waiting` for the first token, or `answering`."""
        return "answering" if self.is_answered else "waiting"


class CallsInHand(Collector):
    """How many there are, and how old the oldest is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: set[CallInHand] = set()
        self._models: LRUCache[str, None] = LRUCache(_MOST_MODELS)

    @asynccontextmanager
    async def one_of(self, model: str) -> AsyncIterator[CallInHand]:
        """One try of a call, while the block runs: what it waited for before is not the model's time."""
        call = CallInHand(model, self._clock())
        self._models[model] = None
        self._calls.add(call)
        try:
            yield call
        finally:
            self._calls.discard(call)

    def collect(self) -> Iterable[Metric]:
        """As gauges, which are 0 for a model that was asked before and isn't now."""
        now = self._clock()
        known = ((model, state) for model in self._models for state in ("waiting", "answering"))
        ages: dict[tuple[str, str], list[float]] = {key: [] for key in known}
        for call in self._calls:
            ages.setdefault((call.model, call.state), []).append(now - call.since)
        labels = ["model", "state"]
        number = GaugeMetricFamily(
            "foldline_model_calls_in_hand",
            "Model calls that have not ended: waiting for the first token, or answering",
            labels=labels,
        )
        oldest = GaugeMetricFamily(
            "foldline_model_oldest_call_seconds", "Seconds since the oldest of these began", labels=labels
        )
        for key, found in sorted(ages.items()):
            number.add_metric(list(key), len(found))
            oldest.add_metric(list(key), max(found, default=0.0))
        return [number, oldest]
